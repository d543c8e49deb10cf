//! What tools answer: texts, commands and failures.

use std::borrow::Cow;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Output};
use std::time::Duration;

use crate::v1;
use crate::v1::complete_tool_output::Result as Family;
use crate::v1::payload::Source;

/// A text that a tool answered: any bytes. Strings and bytes become one by themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    data: Vec<u8>,
    media_type: String,
}

impl Text {
    /// Returns a text of bytes.
    pub fn new(data: impl Into<Vec<u8>>) -> Self {
        Text {
            data: data.into(),
            media_type: String::new(),
        }
    }

    /// Sets the media type, such as `text/markdown`. Default: not known.
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = media_type.into();
        self
    }

    /// Returns the text as the output of a tool.
    pub(crate) fn output(self, tool: String) -> v1::CompleteToolOutput {
        let text = v1::TextOutput {
            content: Some(inline(self.data)),
            media_type: self.media_type,
            ..Default::default()
        };
        v1::CompleteToolOutput {
            tool_name: tool,
            result: Some(Family::Text(text)),
            ..Default::default()
        }
    }
}

/// Makes texts of types that are bytes.
macro_rules! texts {
    ($($type:ty),*) => {$(
        impl From<$type> for Text {
            fn from(data: $type) -> Self {
                Text::new(data)
            }
        }
    )*};
}

texts!(&str, String, &[u8], Vec<u8>);

impl From<Cow<'_, str>> for Text {
    fn from(data: Cow<'_, str>) -> Self {
        Text::new(data.into_owned())
    }
}

impl From<Cow<'_, [u8]>> for Text {
    fn from(data: Cow<'_, [u8]>) -> Self {
        Text::new(data.into_owned())
    }
}

impl From<&String> for Text {
    fn from(data: &String) -> Self {
        Text::new(data.as_str())
    }
}

impl From<&Vec<u8>> for Text {
    fn from(data: &Vec<u8>) -> Self {
        Text::new(data.as_slice())
    }
}

impl<const N: usize> From<&[u8; N]> for Text {
    fn from(data: &[u8; N]) -> Self {
        Text::new(data.as_slice())
    }
}

/// How a command ended. A number is an exit code, and an [`ExitStatus`] of the standard library is
/// what the system says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exit {
    status: Option<i32>,
    signal: Option<i32>,
    timeout_ms: Option<u64>,
    cancelled: bool,
}

impl Exit {
    /// Returns an end of which nothing is known.
    pub fn new() -> Self {
        Exit::default()
    }

    /// Sets the exit code.
    pub fn status(mut self, code: i32) -> Self {
        self.status = Some(code);
        self
    }

    /// Sets the number of the signal that ended it.
    pub fn signal(mut self, number: i32) -> Self {
        self.signal = Some(number);
        self
    }

    /// Sets that it was ended because the time that it was given was over.
    pub fn timed_out(mut self, time: Duration) -> Self {
        self.timeout_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        self
    }

    /// Sets that it was ended because the call was cancelled.
    pub fn cancelled(mut self) -> Self {
        self.cancelled = true;
        self
    }

    /// Writes the end into a message.
    fn write(self, command: &mut v1::CommandOutput) {
        command.exit_status = self.status;
        command.signal = self.signal;
        command.timeout_ms = self.timeout_ms;
        if self.timeout_ms.is_some() {
            command.set_disposition(v1::CommandDisposition::TimedOut);
        } else if self.cancelled {
            command.set_disposition(v1::CommandDisposition::Cancelled);
        }
    }
}

impl From<i32> for Exit {
    fn from(code: i32) -> Self {
        Exit::new().status(code)
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Exit {
            status: status.code(),
            signal: status.signal(),
            ..Exit::default()
        }
    }
}

/// A command that has ended: what it printed, and how it ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Command {
    line: String,
    tool: Option<String>,
    exit: Exit,
    stdout: Option<Vec<u8>>,
    stderr: Option<Vec<u8>>,
    output: Option<Vec<u8>>,
}

impl Command {
    /// Returns a command by its command line, as it was given to the shell. Empty: not known.
    pub fn new(line: impl Into<String>) -> Self {
        Command {
            line: line.into(),
            ..Command::default()
        }
    }

    /// Returns a command that the standard library, or tokio, ran.
    pub fn captured(line: impl Into<String>, output: Output) -> Self {
        Command::new(line)
            .exit(output.status)
            .stdout(output.stdout)
            .stderr(output.stderr)
    }

    /// Sets the name of the tool. Default: `exec_command`.
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }

    /// Sets what was captured of the standard output. Default: it was not captured.
    pub fn stdout(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.stdout = Some(data.into());
        self
    }

    /// Sets what was captured of the standard error. Default: it was not captured.
    pub fn stderr(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.stderr = Some(data.into());
        self
    }

    /// Sets both in the order in which they were written, in place of [`stdout`](Self::stdout) and
    /// [`stderr`](Self::stderr).
    pub fn output(mut self, data: impl Into<Vec<u8>>) -> Self {
        self.output = Some(data.into());
        self
    }

    /// Sets how it ended. Default: nothing is known.
    pub fn exit(mut self, exit: impl Into<Exit>) -> Self {
        self.exit = exit.into();
        self
    }

    /// Sets the exit code.
    pub fn exit_status(mut self, code: i32) -> Self {
        self.exit = self.exit.status(code);
        self
    }

    /// Sets the number of the signal that ended it.
    pub fn signal(mut self, number: i32) -> Self {
        self.exit = self.exit.signal(number);
        self
    }

    /// Sets that it was ended because the time that it was given was over.
    pub fn timed_out(mut self, time: Duration) -> Self {
        self.exit = self.exit.timed_out(time);
        self
    }

    /// Sets that it was ended because the call was cancelled.
    pub fn cancelled(mut self) -> Self {
        self.exit = self.exit.cancelled();
        self
    }

    /// Returns the command as the output of a tool.
    pub(crate) fn into_output(self) -> v1::CompleteToolOutput {
        let command = v1::CommandOutput {
            command_line: self.line,
            stdout: self.stdout.map(inline),
            stderr: self.stderr.map(inline),
            combined_output: self.output.map(inline),
            ..Default::default()
        };
        let tool = self.tool.unwrap_or_else(|| "exec_command".to_owned());
        ended(tool, command, self.exit)
    }
}

/// Returns a command that has ended as the output of a tool.
pub(crate) fn ended(
    tool: String,
    mut command: v1::CommandOutput,
    exit: Exit,
) -> v1::CompleteToolOutput {
    exit.write(&mut command);
    v1::CompleteToolOutput {
        tool_name: tool,
        result: Some(Family::Command(command)),
        ..Default::default()
    }
}

/// Why a tool could not do its work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    kind: String,
    message: Vec<u8>,
    details: Option<Vec<u8>>,
    recovery_hint: Option<String>,
    retryable: Option<bool>,
}

impl Failure {
    /// Returns a failure of a kind that is machine-readable, such as `file_not_found`, with a
    /// message for the model. An empty kind: `tool_execution_failed`.
    pub fn new(kind: impl Into<String>, message: impl Into<Vec<u8>>) -> Self {
        Failure {
            kind: kind.into(),
            message: message.into(),
            ..Failure::default()
        }
    }

    /// Sets details, best JSON text. Default: none.
    pub fn details(mut self, details: impl Into<Vec<u8>>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Sets advice for the model; empty: none. Default: that of the kind.
    pub fn recovery_hint(mut self, hint: impl Into<String>) -> Self {
        self.recovery_hint = Some(hint.into());
        self
    }

    /// Sets whether the same call may succeed when it is made again. Default: not known.
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = Some(retryable);
        self
    }

    /// Returns the failure as the output of a tool.
    pub(crate) fn output(self, tool: String) -> v1::CompleteToolOutput {
        let error = v1::CompleteToolError {
            kind: self.kind,
            message: Some(inline(self.message)),
            details: self.details.map(inline),
            recovery_hint: self.recovery_hint,
            retryable: self.retryable,
        };
        v1::CompleteToolOutput {
            tool_name: tool,
            error: Some(error),
            ..Default::default()
        }
    }
}

/// Returns a payload that is in the message.
fn inline(data: Vec<u8>) -> v1::Payload {
    v1::Payload {
        source: Some(Source::Inline(data)),
        ..Default::default()
    }
}

/// Returns the payload that a stream is.
pub(crate) fn streamed(name: impl Into<String>) -> v1::Payload {
    v1::Payload {
        source: Some(Source::Stream(name.into())),
        ..Default::default()
    }
}
