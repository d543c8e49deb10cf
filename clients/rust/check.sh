#!/usr/bin/env bash
# Checks the Rust client: format, lints, tests, documentation and the package. TOOLRESULT_BINARY names the sidecar.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/../../.run/clients/rust/target}" CARGO_TERM_COLOR=never
mkdir -p "$CARGO_TARGET_DIR"
cargo fetch --locked --quiet
export CARGO_NET_OFFLINE=true

cargo fmt --check
cargo clippy --quiet --locked -- -D warnings
cargo clippy --quiet --locked --all-targets --all-features -- -D warnings
cargo test --quiet --locked --all-features
RUSTDOCFLAGS="-D warnings" cargo doc --quiet --locked --no-deps --all-features

listed=$(cargo package --list --allow-dirty --locked)
for file in README.md LICENSE Cargo.lock build.rs proto/toolresult/v1/service.proto src/service_config.json; do
	grep -qx "$file" <<<"$listed" || { echo "the package has no $file" >&2; exit 1; }
done
