#!/usr/bin/env bash
# Generates what generated.txt lists from the contract: generate.sh [DIR], below another directory.
set -euo pipefail
out=${1:-.}
while read -r made; do rm -rf "${out:?}/$made"; done <integration/tools/generated.txt
.bin/buf generate -o "$out"
go run ./clients/generate -out "$out"
