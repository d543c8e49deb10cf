//! The projection of one output.

use crate::{Error, Result, v1, wire};

/// The projection of one output: what the model reads, and what the runtime keeps.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The text for the model.
    pub receipt: String,
    /// What the receipt costs, in tokens.
    pub tokens: u32,
    /// The family of the result, such as `text`; `error` for a tool that failed.
    pub family: String,
    /// Whether the tool could not do its work.
    pub failed: bool,
    /// The canonical result, for the runtime to keep.
    pub canonical: v1::CanonicalToolResult,
    /// What was redacted in the output, by kind.
    pub redactions: Vec<v1::Redaction>,
    /// The rest of the answer.
    rest: v1::ProjectResponse,
}

impl ToolResult {
    /// Reads an answer.
    pub(crate) fn new(mut answer: v1::ProjectResponse) -> Result<Self> {
        let (Some(canonical), Some(receipt)) = (answer.canonical.take(), answer.receipt.as_mut())
        else {
            return Err(Error::unexpected("the answer has no result or no receipt"));
        };
        Ok(ToolResult {
            receipt: std::mem::take(&mut receipt.text),
            tokens: receipt.tokens,
            family: std::mem::take(&mut answer.family),
            failed: canonical.status() == v1::ToolStatus::Error,
            canonical,
            redactions: std::mem::take(&mut answer.redactions),
            rest: answer,
        })
    }

    /// Returns the paths of the artifacts that the canonical result names, each once, for
    /// [`Client::read`](crate::Client::read). They are looked for in each call. Those of a custom
    /// family are in its `payload_json`, and not among them.
    pub fn artifacts(&self) -> Vec<String> {
        wire::artifact_paths(&self.canonical)
    }

    /// Returns the receipt as a message.
    pub fn receipt_message(&self) -> v1::Receipt {
        let rest = self.rest.receipt.clone();
        v1::Receipt {
            text: self.receipt.clone(),
            tokens: self.tokens,
            ..rest.unwrap_or_default()
        }
    }

    /// Returns the whole answer.
    pub fn into_response(self) -> v1::ProjectResponse {
        v1::ProjectResponse {
            receipt: Some(self.receipt_message()),
            canonical: Some(self.canonical),
            family: self.family,
            redactions: self.redactions,
            ..self.rest
        }
    }
}

/// Writes the receipt.
impl std::fmt::Display for ToolResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.receipt)
    }
}
