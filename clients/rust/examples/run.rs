//! Runs a command, and prints what a model would read of it: `cargo run --example run -- make test`.
//!
//! Its output goes to the sidecar while it runs, so that it never is in memory as a whole.

use std::process::{ExitCode, Stdio};

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use toolresult::Client;

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (program, args) = words.split_first().ok_or("which command?")?;
    let client = Client::connect().start(true).await?;
    let mut child = Command::new(program)
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let (mut stdout, mut stderr) = (child.stdout.take(), child.stderr.take());
    let mut stream = client
        .stream("exec_command")
        .command_line(words.join(" "))
        .split_command()
        .await?;
    let (mut out, mut err) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    while stdout.is_some() || stderr.is_some() {
        tokio::select! {
            n = read(&mut stdout, &mut out) => stream.write_stdout(&out[..n?]).await?,
            n = read(&mut stderr, &mut err) => stream.write_stderr(&err[..n?]).await?,
        }
    }
    let status = child.wait().await?;
    let result = stream.finish(status).await?;
    println!("{}", result.receipt);
    let code = status.code().unwrap_or(1);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
}

/// Reads from a pipe, which is `None` from its end on. Without one it waits for ever.
async fn read(
    pipe: &mut Option<impl AsyncRead + Unpin>,
    buffer: &mut [u8],
) -> std::io::Result<usize> {
    let Some(open) = pipe else {
        return std::future::pending().await;
    };
    let n = open.read(buffer).await?;
    if n == 0 {
        *pipe = None;
    }
    Ok(n)
}
