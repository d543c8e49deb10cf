//! Calls that project outputs.

use std::time::Duration;

use serde_json::{Value, json};
use toolresult::{
    Client, Command, CommandStream, Exit, Failure, OpenStream, Projection, SplitCommandStream,
    Text, TextStream, ToolResult,
};

use crate::arguments::With;
use crate::{Driver, Failed, Reply};

/// A stream that is open.
pub enum Open {
    Command(CommandStream),
    Split(SplitCommandStream),
    Text(TextStream),
}

/// Sets the options that arguments have, by their names.
macro_rules! set_options {
    ($call:ident, $with:ident) => {
        if $with.has("session") {
            $call = $call.session($with.text("session"));
        }
        if $with.has("call_id") {
            $call = $call.call_id($with.text("call_id"));
        }
        if $with.has("request_id") {
            $call = $call.request_id($with.text("request_id"));
        }
        if $with.has("max_tokens") {
            $call = $call.max_tokens($with.small("max_tokens"));
        }
        if let Some(timeout) = $with.timeout() {
            $call = $call.timeout(timeout);
        }
    };
}

/// Makes a projection with the options that arguments have.
async fn project(mut projection: Projection<'_>, with: With<'_>) -> Result<ToolResult, Failed> {
    set_options!(projection, with);
    Ok(projection.await?)
}

/// Returns how a command ended.
fn exit(with: With<'_>) -> Exit {
    let mut exit = Exit::new();
    if let Some(status) = with.0["exit_status"].as_i64() {
        exit = exit.status(status as i32);
    }
    if with.has("signal") {
        exit = exit.signal(with.number("signal") as i32);
    }
    if with.has("timed_out_ms") {
        exit = exit.timed_out(Duration::from_millis(with.number("timed_out_ms")));
    }
    if with.flag("cancelled") {
        exit = exit.cancelled();
    }
    exit
}

/// Returns the command that arguments describe.
fn command(with: With<'_>) -> Command {
    let mut command = Command::new(with.text("command_line")).exit(exit(with));
    if with.has("tool") {
        command = command.tool(with.text("tool"));
    }
    if let Some(data) = with.bytes("stdout") {
        command = command.stdout(data);
    }
    if let Some(data) = with.bytes("stderr") {
        command = command.stderr(data);
    }
    if let Some(data) = with.bytes("output") {
        command = command.output(data);
    }
    command
}

/// Returns a stream that is to be opened.
fn stream<'a>(client: &'a Client, with: With<'_>) -> OpenStream<'a> {
    let mut stream = client.stream(with.text("tool"));
    set_options!(stream, with);
    stream
        .command_line(with.text("command_line"))
        .media_type(with.text("media_type"))
}

impl Driver {
    pub async fn connect(&mut self, with: With<'_>) -> Reply {
        let mut connect = Client::connect()
            .address(with.text("address"))
            .token(with.text("token"))
            .session(with.text("session"))
            .start(with.flag("start"));
        if let Some(timeout) = with.timeout() {
            connect = connect.timeout(timeout);
        }
        let client = connect.await?;
        let address = client.address().to_owned();
        self.client = Some(client);
        Ok(json!({ "address": address }))
    }

    pub async fn project_text(&mut self, with: With<'_>, save: &str) -> Reply {
        let text = Text::new(with.bytes("text").unwrap_or_default());
        let text = text.media_type(with.text("media_type"));
        let client = self.client()?;
        let result = project(client.project_text(with.text("tool"), text), with).await?;
        Ok(self.result(save, result))
    }

    pub async fn project_command(&mut self, with: With<'_>, save: &str) -> Reply {
        let client = self.client()?;
        let result = project(client.project_command(command(with)), with).await?;
        Ok(self.result(save, result))
    }

    pub async fn project_error(&mut self, with: With<'_>, save: &str) -> Reply {
        let mut failure = Failure::new(with.text("kind"), with.text("message"));
        if with.has("details") {
            failure = failure.details(with.text("details"));
        }
        if with.has("recovery_hint") {
            failure = failure.recovery_hint(with.text("recovery_hint"));
        }
        if let Some(retryable) = with.0["retryable"].as_bool() {
            failure = failure.retryable(retryable);
        }
        let client = self.client()?;
        let result = project(client.project_error(with.text("tool"), failure), with).await?;
        Ok(self.result(save, result))
    }

    /// Opens a stream: for a text, or for a command whose outputs are apart or not, which the
    /// client has by type.
    pub async fn stream_open(&mut self, with: With<'_>, split: bool) -> Reply {
        let client = self.client()?;
        let stream = stream(&client, with);
        self.stream = Some(match with.text("family") {
            "text" => Open::Text(stream.text().await?),
            _ if split => Open::Split(stream.split_command().await?),
            _ => Open::Command(stream.command().await?),
        });
        Ok(json!({}))
    }

    /// Returns the stream.
    fn open(&mut self) -> Result<&mut Open, Failed> {
        let stream = self.stream.as_mut();
        stream.ok_or_else(|| Failed::Argument("there is no stream".to_owned()))
    }

    pub async fn stream_write(&mut self, with: With<'_>) -> Reply {
        let data = with.bytes("data").unwrap_or_default();
        match (self.open()?, with.text("stream")) {
            (Open::Command(stream), "output") => stream.write(data).await?,
            (Open::Text(stream), "output") => stream.write(data).await?,
            (Open::Split(stream), "stdout") => stream.write_stdout(data).await?,
            (Open::Split(stream), "stderr") => stream.write_stderr(data).await?,
            (_, name) => return Err(Failed::Argument(format!("the stream has no {name:?}"))),
        }
        Ok(json!({}))
    }

    pub async fn stream_snapshot(&mut self, with: With<'_>) -> Result<ToolResult, Failed> {
        let task_id = with.text("task_id");
        Ok(match self.open()? {
            Open::Command(stream) => stream.snapshot(task_id).await?,
            Open::Split(stream) => stream.snapshot(task_id).await?,
            Open::Text(stream) => stream.snapshot().await?,
        })
    }

    pub async fn stream_finish(&mut self, with: With<'_>, save: &str) -> Reply {
        self.open()?;
        let result = match self.stream.take() {
            Some(Open::Text(stream)) => stream.finish().await?,
            Some(Open::Command(stream)) => stream.finish(exit(with)).await?,
            Some(Open::Split(stream)) => stream.finish(exit(with)).await?,
            None => unreachable!("it is open"),
        };
        Ok(self.result(save, result))
    }

    /// Opens a stream, writes it, and finishes or leaves it.
    pub async fn stream_all(&mut self, with: With<'_>, save: &str) -> Reply {
        let split = with
            .objects("writes")
            .any(|write| ["stdout", "stderr"].contains(&write.text("stream")));
        self.stream_open(with, split).await?;
        let answer = self.write_all(with, save).await;
        self.stream = None;
        answer
    }

    /// Makes the writes and the finish of a stream.
    async fn write_all(&mut self, with: With<'_>, save: &str) -> Reply {
        let mut snapshots: Vec<Value> = Vec::new();
        for write in with.objects("writes") {
            if write.has("snapshot") {
                let task = json!({ "task_id": write.text("snapshot") });
                let result = self.stream_snapshot(With(&task)).await?;
                snapshots.push(result.receipt.into());
                continue;
            }
            self.stream_write(write).await?;
        }
        if !with.has("finish") {
            return Ok(json!({}));
        }
        let mut answer = self.stream_finish(With(&with.0["finish"]), save).await?;
        answer["snapshots"] = snapshots.into();
        Ok(answer)
    }
}
