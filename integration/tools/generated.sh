#!/usr/bin/env bash
# Fails if generated code of generated.txt, the descriptor set of the example or the promised contract is out of date:
# `make check-generated`.
#
#   generated.sh FROZEN EXAMPLE...   the promised contract, and how buf builds the example
set -euo pipefail
frozen=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
integration/tools/generate.sh "$tmp"
while read -r made; do diff -r "$made" "$tmp/$made"; done <integration/tools/generated.txt
.bin/buf build "$@" -o "$tmp/acme.binpb"
cmp docs/examples/acme.binpb "$tmp/acme.binpb"
.bin/buf build proto --as-file-descriptor-set --exclude-source-info -o "$tmp/v1.binpb"
cmp "$frozen" "$tmp/v1.binpb" || { echo "the contract has what $frozen has not: run make freeze"; exit 1; }
echo "gen/ and clients/ are what proto/ gives, and so are the example and the promised contract"
