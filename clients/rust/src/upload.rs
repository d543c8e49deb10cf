//! Outputs that are too large for one message: their payloads are sent as streams.

use std::time::Duration;

use bytes::Bytes;
use tonic::Streaming;

use crate::connection::notice_end;
use crate::projection::with_timeout;
use crate::wire::Detached;
use crate::{Client, Error, Result, v1};
use v1::project_stream_request::Message;
use v1::project_stream_response::Answer;

/// The size of a chunk, in bytes. Smaller ones are slow.
pub(crate) const CHUNK: usize = 256 << 10;

/// Projects an output whose payloads are apart. The request has the rest.
pub(crate) async fn project(
    client: &Client,
    request: v1::ProjectRequest,
    detached: Detached,
    timeout: Option<Duration>,
) -> Result<v1::ProjectResponse> {
    notice_end().await;
    let messages = tokio_stream::iter(messages(request, detached));
    let call = with_timeout(messages, timeout);
    let answers = client.results().project_stream(call).await?;
    last_answer(&mut answers.into_inner()).await
}

/// Returns the messages of a stream: the header, the chunks of each payload, and the finish.
fn messages(
    request: v1::ProjectRequest,
    detached: Detached,
) -> impl Iterator<Item = v1::ProjectStreamRequest> {
    let Detached {
        family,
        output,
        payloads,
    } = detached;
    let command_line = match &output.result {
        Some(v1::complete_tool_output::Result::Command(command)) => command.command_line.clone(),
        _ => String::new(),
    };
    let header = v1::StreamHeader {
        family,
        command_line,
        tool_name: output.tool_name.clone(),
        streams: payloads.iter().map(|(name, _)| name.clone()).collect(),
        policy: request.policy,
        call: request.call,
        request_id: request.request_id,
        audit: request.audit,
        canonical_form: request.canonical_form,
        ..Default::default()
    };
    let sizes = payloads
        .iter()
        .map(|(name, data)| (name.clone(), data.len() as u64))
        .collect();
    let finish = v1::StreamFinish {
        output: Some(output),
        stream_bytes: sizes,
    };
    std::iter::once(Message::Header(header))
        .chain(
            payloads
                .into_iter()
                .flat_map(|(name, data)| chunks(name, data)),
        )
        .chain(std::iter::once(Message::Finish(finish)))
        .map(message)
}

/// Returns a message of a stream.
pub(crate) fn message(message: Message) -> v1::ProjectStreamRequest {
    v1::ProjectStreamRequest {
        message: Some(message),
    }
}

/// Returns the chunks of a payload.
fn chunks(name: String, mut data: Bytes) -> impl Iterator<Item = Message> {
    std::iter::from_fn(move || {
        if data.is_empty() {
            return None;
        }
        let chunk = data.split_to(CHUNK.min(data.len()));
        Some(Message::Chunk(v1::StreamChunk {
            stream: name.clone(),
            data: chunk.to_vec(),
            offset: None,
        }))
    })
}

/// Receives the result and the end of a call: until that is there, the answer may be followed by an
/// error.
pub(crate) async fn last_answer(
    answers: &mut Streaming<v1::ProjectStreamResponse>,
) -> Result<v1::ProjectResponse> {
    let mut result = None;
    while let Some(message) = answers.message().await? {
        if let Some(Answer::Result(answer)) = message.answer {
            result = Some(answer);
        }
    }
    result.ok_or_else(|| Error::unexpected("the stream has ended without a result"))
}
