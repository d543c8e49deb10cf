#!/usr/bin/env bash
# Builds the driver: prepare.sh DIR makes DIR/driver. What is built stays in DIR, too.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$1/target}"
cargo build --quiet --locked --release --example conformance
cp --force "$CARGO_TARGET_DIR/release/examples/conformance" "$1/driver"
