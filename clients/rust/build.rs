//! Generates the messages and clients of the contract.

use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    // A link to the contract of the repository; in a package, a copy.
    let contract = Path::new("proto");
    println!("cargo::rerun-if-changed=proto/toolresult/v1");
    let mut files = Vec::new();
    for entry in contract.join("toolresult/v1").read_dir()? {
        files.push(entry?.path());
    }
    files.sort();
    tonic_prost_build::configure()
        .build_server(false)
        .compile_fds(protox::compile(files, [contract])?)?;
    Ok(())
}
