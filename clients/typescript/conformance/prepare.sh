#!/usr/bin/env bash
# Builds the driver: prepare.sh DIR makes DIR/driver.
set -euo pipefail
here=$(dirname "$0")
dir=$(realpath "$1")
"$here/../build.sh" "$dir"
printf '#!/bin/sh\nexec node %q\n' "$dir/package/conformance/driver.js" >"$dir/driver"
chmod +x "$dir/driver"
