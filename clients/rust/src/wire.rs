//! Messages as bytes, in which artifacts and payloads are found by the table in `fields.rs`.
//! Generated messages have no reflection, and code by hand would miss a field of a family to come.

use bytes::{Buf, Bytes};
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint};

use crate::command::streamed;
use crate::fields::{
    ARTIFACT_REFERENCE, CANONICAL_TOOL_RESULT, COMPLETE_TOOL_OUTPUT, FAMILIES, FIELDS, Kind,
    PAYLOAD,
};
use crate::v1;
use crate::v1::payload::Source;

/// A field of a message.
struct Field {
    number: u32,
    /// The field with its key.
    whole: Bytes,
    /// What it has, of a field that has a length: text, bytes, a message.
    content: Option<Bytes>,
}

/// Returns the fields of a message, in the order in which they are written. It has to be one that
/// was encoded here.
fn fields(message: &Bytes) -> impl Iterator<Item = Field> {
    let mut rest = message.clone();
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let before = rest.clone();
        let (number, wire_type) = decode_key(&mut rest).ok()?;
        let content = match wire_type {
            WireType::LengthDelimited => {
                let length = usize::try_from(decode_varint(&mut rest).ok()?).ok()?;
                (length <= rest.len()).then(|| rest.split_to(length))
            }
            WireType::Varint => decode_varint(&mut rest).ok().and(None),
            WireType::ThirtyTwoBit => {
                rest.advance(4.min(rest.len()));
                None
            }
            WireType::SixtyFourBit => {
                rest.advance(8.min(rest.len()));
                None
            }
            WireType::StartGroup | WireType::EndGroup => None, // proto3 has none
        };
        let whole = before.slice(..before.len() - rest.len());
        Some(Field {
            number,
            whole,
            content,
        })
    })
}

/// Returns the place of a field in the list of its kind, and the kind of its messages. `None`: it
/// leads to nothing.
fn leads(kind: Kind, number: u32) -> Option<(usize, Kind)> {
    let place = FIELDS[kind].iter().position(|field| field.0 == number)?;
    Some((place, FIELDS[kind][place].1))
}

/// Returns the paths of the artifacts that a result names, each once, in the order of the contract.
pub(crate) fn artifact_paths(result: &v1::CanonicalToolResult) -> Vec<String> {
    let mut paths = Vec::new();
    append_paths(
        &mut paths,
        &result.encode_to_vec().into(),
        CANONICAL_TOOL_RESULT,
    );
    paths
}

/// Appends the paths that are in a message of a kind, and not there yet.
fn append_paths(paths: &mut Vec<String>, message: &Bytes, kind: Kind) {
    if kind == ARTIFACT_REFERENCE {
        let path = v1::ArtifactReference::decode(message.clone())
            .unwrap_or_default()
            .path;
        if !paths.contains(&path) {
            paths.push(path);
        }
        return;
    }
    let mut inner: Vec<_> = fields(message)
        .filter_map(|field| Some((leads(kind, field.number)?, field.content?)))
        .collect();
    inner.sort_by_key(|((place, _), _)| *place); // and, within a field, as they are written
    for ((_, kind), message) in inner {
        append_paths(paths, &message, kind);
    }
}

/// An output with its payloads apart.
#[derive(Clone, Debug)]
pub(crate) struct Detached {
    /// The family, as the header of a stream names it.
    pub(crate) family: String,
    /// The output, in which payloads are streams.
    pub(crate) output: v1::CompleteToolOutput,
    /// The name and the bytes of each stream.
    pub(crate) payloads: Vec<(String, Bytes)>,
}

/// Takes the bytes of an output out of it.
pub(crate) fn detach(output: v1::CompleteToolOutput) -> Detached {
    let message = Bytes::from(output.encode_to_vec());
    drop(output);
    let mut payloads = Vec::new();
    let written = detach_from(&message, COMPLETE_TOOL_OUTPUT, &mut payloads);
    let output = v1::CompleteToolOutput::decode(&written[..]).expect("it was encoded here");
    Detached {
        family: family_of(&message, &output),
        output,
        payloads,
    }
}

/// Returns a message of a kind without the bytes of its payloads, which are appended.
fn detach_from(message: &Bytes, kind: Kind, payloads: &mut Vec<(String, Bytes)>) -> Vec<u8> {
    if kind == PAYLOAD {
        let mut payload = v1::Payload::decode(message.clone()).expect("it was encoded here");
        if let Some(Source::Inline(data)) = payload.source {
            let name = format!("payload-{}", payloads.len());
            payload.source = streamed(name.clone()).source;
            payloads.push((name, data.into()));
        }
        return payload.encode_to_vec();
    }
    let mut written = Vec::new();
    for field in fields(message) {
        match (leads(kind, field.number), field.content) {
            (Some((_, kind)), Some(content)) => {
                let inner = detach_from(&content, kind, payloads);
                encode_key(field.number, WireType::LengthDelimited, &mut written);
                encode_varint(inner.len() as u64, &mut written);
                written.extend_from_slice(&inner);
            }
            _ => written.extend_from_slice(&field.whole),
        }
    }
    written
}

/// Returns the family of an output, as `GetServerInfo` names it; `text` of an error, which any
/// family may have.
fn family_of(message: &Bytes, output: &v1::CompleteToolOutput) -> String {
    if let Some(v1::complete_tool_output::Result::Custom(custom)) = &output.result {
        return custom.r#type.clone();
    }
    let mut families =
        fields(message).filter_map(|field| FAMILIES.iter().find(|family| family.0 == field.number));
    families.next().map_or("text", |family| family.1).to_owned()
}

#[cfg(test)]
#[path = "wire_test.rs"]
mod tests;
