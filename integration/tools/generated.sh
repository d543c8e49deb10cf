#!/usr/bin/env bash
# Fails if generated code, the descriptor set of the example or the promised contract is out of date: `make check-generated`.
#
#   generated.sh FROZEN EXAMPLE...   the promised contract, and how buf builds the example
set -euo pipefail
frozen=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
.bin/buf generate -o "$tmp"
go run ./clients/generate -out "$tmp"
diff -r gen "$tmp/gen"
find "$tmp/clients" -type f -printf '%P\n' | while read -r file; do diff "clients/$file" "$tmp/clients/$file"; done
.bin/buf build "$@" -o "$tmp/acme.binpb"
cmp docs/examples/acme.binpb "$tmp/acme.binpb"
.bin/buf build proto --as-file-descriptor-set --exclude-source-info -o "$tmp/v1.binpb"
cmp "$frozen" "$tmp/v1.binpb" || { echo "the contract has what $frozen has not: run make freeze"; exit 1; }
echo "generated code, the example and the promised contract are up to date"
