//! The driver of the Rust client for the list of integration/conformance: it reads a call from each
//! line of its standard input, makes it, and writes what it got as a line. It knows no
//! expectations.

mod arguments;
mod calls;
mod later;

use std::collections::HashMap;
use std::io::{BufRead, Write};
use std::time::Instant;

use serde_json::{Value, json};
use toolresult::{Client, Error, ToolResult};

use arguments::With;
use calls::Open;

/// The client, and what calls have saved.
#[derive(Default)]
struct Driver {
    client: Option<Client>,
    stream: Option<Open>,
    saved: HashMap<String, ToolResult>,
}

/// What a call got: an answer, or why it was not made.
type Reply = Result<Value, Failed>;

/// Why a call was not made.
enum Failed {
    /// It has an error of the client.
    Call(Error),
    /// It is not one that the client can make.
    Argument(String),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Call(error)
    }
}

#[tokio::main]
async fn main() {
    let mut driver = Driver::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("UTF-8");
        let reply = match serde_json::from_str::<Value>(&line) {
            Ok(line) => match driver.call(&line).await {
                Ok(answer) => json!({ "answer": answer }),
                Err(failed) => json!({ "error": describe(failed) }),
            },
            Err(error) => {
                json!({ "error": { "class": "BrokenLine", "message": error.to_string() } })
            }
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "{reply}").expect("standard output");
        out.flush().expect("standard output");
    }
}

impl Driver {
    /// Makes a call.
    async fn call(&mut self, line: &Value) -> Reply {
        let with = With(&line["with"]);
        let save = line["save"].as_str().unwrap_or_default();
        match line["call"].as_str().unwrap_or_default() {
            "connect" => self.connect(with).await,
            "close" => {
                self.client = None;
                Ok(json!({}))
            }
            "project_text" => self.project_text(with, save).await,
            "project_command" => self.project_command(with, save).await,
            "project_error" => self.project_error(with, save).await,
            "stream" => self.stream_all(with, save).await,
            "stream_open" => self.stream_open(with, false).await,
            "stream_write" => self.stream_write(with).await,
            "stream_snapshot" => {
                let result = self.stream_snapshot(with).await?;
                Ok(self.result(save, result))
            }
            "stream_finish" => self.stream_finish(with, save).await,
            "render" => self.render(with).await,
            "compact" => self.compact(with).await,
            "read" => self.read(with).await,
            "encode_turn" => self.encode_turn(with).await,
            "register_secrets" => self.register_secrets(with).await,
            "tool_definitions" => self.tool_definitions(with).await,
            "call_tool" => self.call_tool(with).await,
            "info" => self.info().await,
            "health" => Ok(json!({ "serving": self.client()?.healthy().await? })),
            "raw_info" => self.raw_info().await,
            "time" => Box::pin(self.time(with)).await,
            other => Err(Failed::Argument(format!("there is no call {other:?}"))),
        }
    }

    /// Returns the client.
    fn client(&self) -> Result<Client, Failed> {
        let client = self.client.clone();
        client.ok_or_else(|| Failed::Argument("there is no client".to_owned()))
    }

    /// Saves a result, and returns it as the list has it.
    fn result(&mut self, save: &str, result: ToolResult) -> Value {
        let answer = json!({
            "receipt": &result.receipt, "tokens": result.tokens, "family": &result.family, "failed": result.failed,
            "artifacts": result.artifacts(),
        });
        if !save.is_empty() {
            self.saved.insert(save.to_owned(), result);
        }
        answer
    }

    /// Returns a saved result, `$name`.
    fn named(&self, with: With<'_>, name: &str) -> &ToolResult {
        let name = with.text(name);
        &self.saved[name.trim_start_matches('$')]
    }

    /// Makes a call many times, one after the other.
    async fn time(&mut self, with: With<'_>) -> Reply {
        let mut times = Vec::new();
        for i in 0..with.number("warmup") + with.number("times") {
            let began = Instant::now();
            self.call(&with.0["call"]).await?;
            if i >= with.number("warmup") {
                times.push(began.elapsed());
            }
        }
        times.sort();
        let at = |share: f64| {
            let place = (share * (times.len() - 1) as f64) as usize;
            times[place].as_nanos() as f64 / 1000.0
        };
        Ok(json!({ "p50_us": at(0.5), "p95_us": at(0.95) }))
    }
}

/// Returns an error as the list has it.
fn describe(failed: Failed) -> Value {
    let error = match failed {
        Failed::Argument(message) | Failed::Call(Error::Argument(message)) => {
            return json!({ "class": "ArgumentError", "message": message });
        }
        Failed::Call(error) => error,
    };
    let reason = error.rejection().map_or("", |r| r.reason_text.as_str());
    let class = match &error {
        Error::NoSidecar(_) => "NoSidecar".to_owned(),
        Error::Unavailable(_) => "Unavailable".to_owned(),
        _ if reason.is_empty() => "ToolResult".to_owned(),
        _ => reason.split('_').map(capitalized).collect(),
    };
    json!({
        "class": format!("{class}Error"), "reason": reason, "field": error.field(), "hint": error.hint(),
        "retryable": error.is_retryable(), "message": error.message(), "code": code_name(&error),
    })
}

/// Returns a word with its first letter alone in capitals.
fn capitalized(word: &str) -> String {
    let lower = word.to_lowercase();
    lower[..1].to_uppercase() + &lower[1..]
}

/// Returns the name of the status, as gRPC specifies it: `InvalidArgument` is INVALID_ARGUMENT.
fn code_name(error: &Error) -> String {
    let mut name = String::new();
    for letter in format!("{:?}", error.code()).chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_uppercase());
    }
    name
}
