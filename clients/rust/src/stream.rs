//! The output of tools that still run.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use v1::complete_tool_output::Result as Family;
use v1::project_stream_request::Message;
use v1::project_stream_response::Answer;

use crate::command::{ended, streamed};
use crate::connection::notice_end;
use crate::projection::{Options, option_setters, with_timeout};
use crate::upload::{CHUNK, last_answer, message};
use crate::{BoxFuture, Client, Error, Exit, Result, ToolResult, v1};

/// Messages that wait to be sent. What is written waits behind them.
const WAITING: usize = 2;

/// The names of streams.
const OUTPUT: &str = "output";
const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

/// A stream that is to be opened, by [`Client::stream`]: for a command, whose output is one stream
/// or two, or for a text.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is opened"]
pub struct OpenStream<'a> {
    client: &'a Client,
    tool: String,
    line: String,
    media_type: String,
    options: Options,
}

impl<'a> OpenStream<'a> {
    /// Returns a stream that is to be opened.
    pub(crate) fn new(client: &'a Client, tool: String) -> Self {
        OpenStream {
            client,
            tool,
            line: String::new(),
            media_type: String::new(),
            options: Options::default(),
        }
    }

    option_setters!();

    /// Sets the command line, by which lines are ranked while they are received. Default: not
    /// known.
    pub fn command_line(mut self, line: impl Into<String>) -> Self {
        self.line = line.into();
        self
    }

    /// Sets the media type of a text, such as `text/markdown`. Default: not known.
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = media_type.into();
        self
    }

    /// Opens the stream of a command whose standard output and standard error are one, in the order
    /// in which they were written.
    ///
    /// Errors of the sidecar are those of the first write, snapshot or finish behind them.
    pub async fn command(self) -> Result<CommandStream> {
        let (tool, line) = (self.tool.clone(), self.line.clone());
        let call = self.open("command", &[OUTPUT]).await?;
        Ok(CommandStream(CommandCall { call, tool, line }))
    }

    /// Opens the streams of a command whose standard output and standard error are apart. Both
    /// count as captured.
    pub async fn split_command(self) -> Result<SplitCommandStream> {
        let (tool, line) = (self.tool.clone(), self.line.clone());
        let call = self.open("command", &[STDOUT, STDERR]).await?;
        Ok(SplitCommandStream(CommandCall { call, tool, line }))
    }

    /// Opens the stream of a text.
    pub async fn text(self) -> Result<TextStream> {
        let (tool, media_type) = (self.tool.clone(), self.media_type.clone());
        let call = self.open("text", &[OUTPUT]).await?;
        Ok(TextStream {
            call,
            tool,
            media_type,
        })
    }

    /// Opens the call.
    async fn open(self, family: &str, streams: &[&'static str]) -> Result<Call> {
        let request_id = self.options.request_id.clone();
        let header = v1::StreamHeader {
            family: family.to_owned(),
            policy: self.options.policy(self.client, None),
            streams: streams.iter().map(|&name| name.to_owned()).collect(),
            call: self.options.call(self.client, None),
            command_line: self.line,
            request_id: request_id.unwrap_or_default(), // a stream is never made again
            audit: self.options.audit.clone(),
            tool_name: self.tool,
            ..Default::default()
        };
        notice_end().await;
        let (sender, receiver) = mpsc::channel(WAITING);
        let request = with_timeout(ReceiverStream::new(receiver), self.options.timeout);
        let mut results = self.client.results();
        let opening = async move { Ok(results.project_stream(request).await?.into_inner()) };
        let mut call = Call {
            answers: Answers::Opening(Box::pin(opening)),
            sender: Some(sender),
            sent: streams.iter().map(|&name| (name, 0)).collect(),
        };
        call.send(Message::Header(header)).await?;
        Ok(call)
    }
}

/// A call that sends streams. When it is dropped without a finish it is cancelled, and nothing of
/// it is kept.
#[derive(Debug)]
struct Call {
    answers: Answers, // dropped first, so that the call is cancelled before its side is closed
    sender: Option<mpsc::Sender<v1::ProjectStreamRequest>>,
    /// The streams, and how many bytes of each were sent.
    sent: Vec<(&'static str, u64)>,
}

/// The answers of a call.
enum Answers {
    /// The head of the first one is not there. The call is made while this is polled.
    Opening(BoxFuture<'static, Result<Streaming<v1::ProjectStreamResponse>, Status>>),
    /// They are received.
    Open(Box<Streaming<v1::ProjectStreamResponse>>),
    /// The call has ended.
    Ended,
}

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Answers::Opening(_) => "Opening",
            Answers::Open(_) => "Open",
            Answers::Ended => "Ended",
        })
    }
}

impl Call {
    /// Sends a message. When the call has ended, the error is why.
    async fn send(&mut self, part: Message) -> Result<()> {
        match self.try_send(part).await {
            Ok(()) => Ok(()),
            Err(status) => {
                self.sender = None;
                match status {
                    Some(status) => Err(status.into()),
                    None => Err(self.why().await),
                }
            }
        }
    }

    /// Sends a message. An error is the status of the call, if that is known.
    async fn try_send(&mut self, part: Message) -> Result<(), Option<Status>> {
        let Some(sender) = &self.sender else {
            return Err(None);
        };
        let answers = &mut self.answers;
        let mut sending = pin!(sender.send(message(part)));
        poll_fn(|context| {
            if let Answers::Opening(opening) = answers
                && let Poll::Ready(opened) = opening.as_mut().poll(context)
            {
                match opened {
                    Ok(streaming) => *answers = Answers::Open(Box::new(streaming)),
                    Err(status) => {
                        *answers = Answers::Ended;
                        return Poll::Ready(Err(Some(status)));
                    }
                }
            }
            sending.as_mut().poll(context).map_err(|_| None)
        })
        .await
    }

    /// Returns why the call has ended.
    async fn why(&mut self) -> Error {
        match self.answers().await {
            Err(error) => error,
            Ok(answers) => match answers.message().await {
                Err(status) => status.into(),
                Ok(_) => Error::unexpected("the call has ended before its finish"),
            },
        }
    }

    /// Returns the answers, once the first one is there.
    async fn answers(&mut self) -> Result<&mut Streaming<v1::ProjectStreamResponse>> {
        if let Answers::Opening(opening) = &mut self.answers {
            let opened = opening.as_mut().await;
            self.answers = match opened {
                Ok(streaming) => Answers::Open(Box::new(streaming)),
                Err(status) => {
                    self.answers = Answers::Ended;
                    self.sender = None;
                    return Err(status.into());
                }
            };
        }
        match &mut self.answers {
            Answers::Open(streaming) => Ok(streaming),
            _ => Err(over()),
        }
    }

    /// Sends bytes of a stream, in chunks.
    async fn write(&mut self, name: &'static str, data: &[u8]) -> Result<()> {
        for chunk in data.chunks(CHUNK) {
            let part = v1::StreamChunk {
                stream: name.to_owned(),
                data: chunk.to_vec(),
                offset: None,
            };
            self.send(Message::Chunk(part)).await?;
            for (stream, bytes) in &mut self.sent {
                if *stream == name {
                    *bytes += chunk.len() as u64;
                }
            }
        }
        Ok(())
    }

    /// Projects what was sent until now.
    async fn snapshot(&mut self, output: v1::CompleteToolOutput) -> Result<ToolResult> {
        let output = Some(output);
        self.send(Message::Snapshot(v1::StreamSnapshot { output }))
            .await?;
        match self
            .answers()
            .await?
            .message()
            .await?
            .and_then(|m| m.answer)
        {
            Some(Answer::Snapshot(answer)) => ToolResult::new(answer),
            _ => Err(Error::unexpected("the answer is no snapshot")),
        }
    }

    /// Ends the streams, and returns the result.
    async fn finish(mut self, output: v1::CompleteToolOutput) -> Result<ToolResult> {
        let sizes = self.sent.iter().map(|&(name, n)| (name.to_owned(), n));
        let finish = v1::StreamFinish {
            stream_bytes: sizes.collect(),
            output: Some(output),
        };
        self.send(Message::Finish(finish)).await?;
        self.sender = None; // which closes our side
        ToolResult::new(last_answer(self.answers().await?).await?)
    }
}

/// Returns the error of a stream that is used behind its end.
fn over() -> Error {
    Error::Argument("the stream has ended".to_owned())
}

/// A call for the streams of a command.
#[derive(Debug)]
struct CommandCall {
    call: Call,
    tool: String,
    line: String,
}

impl CommandCall {
    /// Projects what was sent of the first stream, as a command that goes on as a background task.
    async fn snapshot(&mut self, task_id: String) -> Result<ToolResult> {
        let handle = v1::TaskHandle {
            task_id,
            ..Default::default()
        };
        let command = v1::CommandOutput {
            disposition: v1::CommandDisposition::PromotedToTask.into(),
            command_line: self.line.clone(),
            task_handle: Some(handle),
            initial_output: Some(streamed(self.call.sent[0].0)),
            ..Default::default()
        };
        let output = ended(self.tool.clone(), command, Exit::new());
        self.call.snapshot(output).await
    }

    /// Ends the streams with the end of the command.
    async fn finish(self, exit: Exit) -> Result<ToolResult> {
        let stream = |name| {
            let sent = self.call.sent.iter().find(|stream| stream.0 == name);
            sent.map(|_| streamed(name))
        };
        let command = v1::CommandOutput {
            command_line: self.line,
            stdout: stream(STDOUT),
            stderr: stream(STDERR),
            combined_output: stream(OUTPUT),
            ..Default::default()
        };
        self.call.finish(ended(self.tool, command, exit)).await
    }
}

/// The stream of a command that still runs, whose standard output and standard error are one.
/// Dropped without [`finish`](Self::finish) it cancels the call, and nothing of it is kept.
#[derive(Debug)]
pub struct CommandStream(CommandCall);

impl CommandStream {
    /// Sends output. It waits when the sidecar is slower than the command.
    pub async fn write(&mut self, data: impl AsRef<[u8]>) -> Result<()> {
        self.0.call.write(OUTPUT, data.as_ref()).await
    }

    /// Projects what was sent until now, as a command that goes on as the background task of that
    /// id.
    pub async fn snapshot(&mut self, task_id: impl Into<String>) -> Result<ToolResult> {
        self.0.snapshot(task_id.into()).await
    }

    /// Ends the stream with the end of the command: an exit code, an [`Exit`] or an
    /// [`ExitStatus`](std::process::ExitStatus).
    pub async fn finish(self, exit: impl Into<Exit>) -> Result<ToolResult> {
        self.0.finish(exit.into()).await
    }
}

/// The streams of a command that still runs, whose standard output and standard error are apart.
/// Dropped without [`finish`](Self::finish) it cancels the call, and nothing of it is kept.
#[derive(Debug)]
pub struct SplitCommandStream(CommandCall);

impl SplitCommandStream {
    /// Sends standard output. It waits when the sidecar is slower than the command.
    pub async fn write_stdout(&mut self, data: impl AsRef<[u8]>) -> Result<()> {
        self.0.call.write(STDOUT, data.as_ref()).await
    }

    /// Sends standard error. It waits when the sidecar is slower than the command.
    pub async fn write_stderr(&mut self, data: impl AsRef<[u8]>) -> Result<()> {
        self.0.call.write(STDERR, data.as_ref()).await
    }

    /// Projects what was sent of the standard output until now, as a command that goes on as the
    /// background task of that id.
    pub async fn snapshot(&mut self, task_id: impl Into<String>) -> Result<ToolResult> {
        self.0.snapshot(task_id.into()).await
    }

    /// Ends the streams with the end of the command; see [`CommandStream::finish`].
    pub async fn finish(self, exit: impl Into<Exit>) -> Result<ToolResult> {
        self.0.finish(exit.into()).await
    }
}

/// The stream of a text that is still made. Dropped without [`finish`](Self::finish) it cancels the
/// call, and nothing of it is kept.
#[derive(Debug)]
pub struct TextStream {
    call: Call,
    tool: String,
    media_type: String,
}

impl TextStream {
    /// Sends text, cut anywhere. It waits when the sidecar is slower than the tool.
    pub async fn write(&mut self, data: impl AsRef<[u8]>) -> Result<()> {
        self.call.write(OUTPUT, data.as_ref()).await
    }

    /// Projects what was sent until now.
    pub async fn snapshot(&mut self) -> Result<ToolResult> {
        let output = self.output();
        self.call.snapshot(output).await
    }

    /// Ends the stream.
    pub async fn finish(self) -> Result<ToolResult> {
        let output = self.output();
        self.call.finish(output).await
    }

    /// Returns the text as the output of the tool.
    fn output(&self) -> v1::CompleteToolOutput {
        let text = v1::TextOutput {
            content: Some(streamed(OUTPUT)),
            media_type: self.media_type.clone(),
            ..Default::default()
        };
        v1::CompleteToolOutput {
            tool_name: self.tool.clone(),
            result: Some(Family::Text(text)),
            ..Default::default()
        }
    }
}
