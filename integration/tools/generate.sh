#!/usr/bin/env bash
# Makes what is made from the contract, in place of what generated.txt names: generate.sh [DIR], below another directory.
set -euo pipefail
out=${1:-.}
while read -r made; do rm -rf "${out:?}/$made"; done <integration/tools/generated.txt
mkdir -p "$out"/clients/{python/src,rust/src/gen}
.bin/buf generate -o "$out"
go run ./clients/generate -out "$out"
