#!/usr/bin/env bash
# Installs the generators of the clients' code, pinned: install.sh DIR. `make generate` and `make check-generated` need them, and
# with them Rust; `go build` and `go test` do not.
set -euo pipefail
dir=$1
rm -rf "$dir"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)


cargo install --quiet --locked --root "$dir" protoc-gen-prost@0.5.0 protoc-gen-tonic@0.5.0
