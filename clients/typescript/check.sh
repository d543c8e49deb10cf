#!/usr/bin/env bash
# Builds the package in .run, checks its types, and tests it: check.sh. TOOLRESULT_BINARY names the sidecar.
set -euo pipefail
cd "$(dirname "$0")"
TOOLRESULT_BINARY=$(realpath "${TOOLRESULT_BINARY:?names the sidecar that is tested}")
export TOOLRESULT_BINARY
mkdir -p ../../.run/clients/typescript
dir=$(realpath ../../.run/clients/typescript)
./build.sh "$dir"
(cd "$dir/package" && node --test --test-reporter=dot test/*.test.js)
test/install.sh "$dir"
