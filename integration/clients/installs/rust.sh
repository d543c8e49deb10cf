#!/usr/bin/env bash
# Installs the Rust client by `cargo add`.
set -euo pipefail
export CARGO_TARGET_DIR=$CLONE/.run/clients/rust-install

# Project: a binary crate
cargo new --quiet --vcs none project
cd project
cargo add --quiet --path "$CLONE/clients/rust"
cargo add --quiet tokio@1.54.1 --features macros,rt-multi-thread
cat >src/main.rs <<'EOF'
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = toolresult::Client::connect().await?;
    println!("{}", client.project_text("echo", "hello\n").await?.receipt);
    Ok(())
}
EOF
cargo run --quiet
