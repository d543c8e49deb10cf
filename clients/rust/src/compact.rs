//! Results again: receipts under another policy, and histories in fewer tokens.

use std::time::Duration;

use prost::Message;
use v1::compact_stream_request::Message as Part;
use v1::compact_stream_response::Answer;

use crate::connection::notice_end;
use crate::projection::with_timeout;
use crate::{BoxFuture, Client, CompactionLevel, Error, Result, ToolResult, v1};

/// The size of a history in one message, in bytes. A larger one is sent as a stream.
const MAX_HISTORY: usize = 3 << 20;

impl From<&ToolResult> for v1::render_request::Result {
    fn from(result: &ToolResult) -> Self {
        v1::render_request::Result::Canonical(result.canonical.clone())
    }
}

impl From<v1::CanonicalToolResult> for v1::render_request::Result {
    fn from(result: v1::CanonicalToolResult) -> Self {
        v1::render_request::Result::Canonical(result)
    }
}

/// A receipt that is to be made, by [`Client::render`]. `await` makes it.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is awaited"]
pub struct Render<'a> {
    client: &'a Client,
    request: v1::RenderRequest,
    max_tokens: Option<u32>,
    timeout: Option<Duration>,
}

impl<'a> Render<'a> {
    /// Returns the receipt of a result.
    pub(crate) fn new(client: &'a Client, result: v1::render_request::Result) -> Self {
        let request = v1::RenderRequest {
            result: Some(result),
            ..Default::default()
        };
        Render {
            client,
            request,
            max_tokens: None,
            timeout: None,
        }
    }

    /// Bounds the receipt, in tokens. Default: by model and family.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// Sets how it is rendered. [`max_tokens`](Self::max_tokens) wins over its budget.
    pub fn policy(mut self, policy: v1::RenderPolicy) -> Self {
        self.request.policy = Some(policy);
        self
    }

    /// Sets how long the call may take, in all. Default: that of the client.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl<'a> IntoFuture for Render<'a> {
    type Output = Result<v1::Receipt>;
    type IntoFuture = BoxFuture<'a, Result<v1::Receipt>>;

    fn into_future(mut self) -> Self::IntoFuture {
        if let Some(tokens) = self.max_tokens {
            let policy = self.request.policy.get_or_insert_default();
            policy.budget.get_or_insert_default().max_tokens = tokens;
        }
        Box::pin(async move {
            let request = with_timeout(self.request, self.timeout);
            let answer = self.client.results().render(request).await?;
            let receipt = answer.into_inner().receipt;
            receipt.ok_or_else(|| Error::unexpected("the answer has no receipt"))
        })
    }
}

/// A result of a history. A [`ToolResult`] becomes one by itself, and so does a canonical result
/// that the runtime kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    entry: v1::CompactEntry,
}

impl Entry {
    /// Sets the id of the call, by which it is pinned. Default: not known.
    pub fn call_id(mut self, id: impl Into<String>) -> Self {
        self.entry.call_id = id.into();
        self
    }

    /// Sets the turn of the conversation in which the call was made. 0 for all: each result is a
    /// turn of its own.
    pub fn turn(mut self, turn: u32) -> Self {
        self.entry.turn = turn;
        self
    }

    /// Sets what was asked, of a tool that reads: of two results of one tool with the same subject
    /// the later one counts.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.entry.subject = subject.into();
        self
    }
}

impl From<v1::CompactEntry> for Entry {
    fn from(entry: v1::CompactEntry) -> Self {
        Entry { entry }
    }
}

impl From<v1::CanonicalToolResult> for Entry {
    fn from(result: v1::CanonicalToolResult) -> Self {
        let result = Some(v1::compact_entry::Result::Canonical(result));
        Entry {
            entry: v1::CompactEntry {
                result,
                ..Default::default()
            },
        }
    }
}

impl From<&ToolResult> for Entry {
    fn from(result: &ToolResult) -> Self {
        result.canonical.clone().into()
    }
}

/// A compaction that is to be made, by [`Client::compact`]: it has a budget or a level. `await`
/// makes it.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is awaited"]
pub struct Compact<'a> {
    client: &'a Client,
    request: v1::CompactRequest,
    policy: v1::CompactionPolicy,
    timeout: Option<Duration>,
}

impl<'a> Compact<'a> {
    /// Returns the compaction of a history.
    pub(crate) fn new(client: &'a Client, entries: Vec<Entry>) -> Self {
        let request = v1::CompactRequest {
            entries: entries.into_iter().map(|entry| entry.entry).collect(),
            session_id: client.session().to_owned(),
            ..Default::default()
        };
        Compact {
            client,
            request,
            policy: v1::CompactionPolicy::default(),
            timeout: None,
        }
    }

    /// Sets what the receipts may cost together, in tokens.
    pub fn total_tokens(mut self, tokens: u32) -> Self {
        self.policy.total_tokens = tokens;
        self
    }

    /// Sets the level of all results, in place of a budget.
    pub fn level(mut self, level: CompactionLevel) -> Self {
        self.policy.set_level(level);
        self
    }

    /// Sets what is left of a preview, in tokens. Default: that of the sidecar.
    pub fn preview_tokens(mut self, tokens: u32) -> Self {
        self.policy.preview_tokens = tokens;
        self
    }

    /// Leaves the results of the last turns as they are. Default: none.
    pub fn protect_last_turns(mut self, turns: u32) -> Self {
        self.policy.protect.get_or_insert_default().last_turns = turns;
        self
    }

    /// Sets the whole policy. What is set behind it wins.
    pub fn policy(mut self, policy: v1::CompactionPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Makes the plan alone: nothing is stored, and no results are answered.
    pub fn dry_run(mut self) -> Self {
        self.request.dry_run = true;
        self
    }

    /// Sets the session that owns artifacts that are stored now. Default: that of the client, or
    /// none.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.request.session_id = id.into();
        self
    }

    /// Sets how long the call may take, in all. Default: that of the client, or 300 s; none of what
    /// is sent as a stream.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Makes the compaction.
    async fn compact(self) -> Result<Compaction> {
        let mut request = self.request;
        request.policy = Some(self.policy);
        let mut results = self.client.results();
        let response = if request.encoded_len() <= MAX_HISTORY {
            let request = with_timeout(request, self.timeout);
            results.compact(request).await?.into_inner()
        } else {
            notice_end().await;
            let messages = tokio_stream::iter(messages(request));
            let call = with_timeout(messages, self.timeout);
            collect(results.compact_stream(call).await?.into_inner()).await?
        };
        Ok(Compaction { response })
    }
}

impl<'a> IntoFuture for Compact<'a> {
    type Output = Result<Compaction>;
    type IntoFuture = BoxFuture<'a, Result<Compaction>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.compact())
    }
}

/// Returns the messages of a stream: the header, and the entries.
fn messages(request: v1::CompactRequest) -> impl Iterator<Item = v1::CompactStreamRequest> {
    let header = v1::CompactHeader {
        policy: request.policy,
        session_id: request.session_id,
        dry_run: request.dry_run,
        canonical_form: request.canonical_form,
    };
    std::iter::once(Part::Header(header))
        .chain(request.entries.into_iter().map(Part::Entry))
        .map(|message| v1::CompactStreamRequest {
            message: Some(message),
        })
}

/// Puts the messages of an answer together.
async fn collect(
    mut answers: tonic::Streaming<v1::CompactStreamResponse>,
) -> Result<v1::CompactResponse> {
    let (mut planned, mut changed, mut summary) = (Vec::new(), Vec::new(), None);
    while let Some(message) = answers.message().await? {
        match message.answer {
            Some(Answer::Planned(plan)) => planned.push(plan),
            Some(Answer::Result(result)) => changed.push(result),
            Some(Answer::Summary(response)) => summary = Some(response),
            None => {} // of a later version
        }
    }
    let mut response = summary.ok_or_else(|| Error::unexpected("the answer has no summary"))?;
    response.results = changed;
    response.plan.get_or_insert_default().results = planned;
    Ok(response)
}

/// What a compaction changed. What it does not have stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    response: v1::CompactResponse,
}

impl Compaction {
    /// Returns the results that changed, with the index of their entries, in their order; none for
    /// a dry run.
    pub fn changed(&self) -> &[v1::CompactedResult] {
        &self.response.results
    }

    /// Returns the index of the first result that changed: a provider's cache of the prompt is good
    /// up to there. `None`: none changed.
    pub fn first_changed(&self) -> Option<u32> {
        self.response.first_changed
    }

    /// Returns what the receipts cost together before, in tokens.
    pub fn tokens_before(&self) -> u64 {
        self.response
            .plan
            .as_ref()
            .map_or(0, |plan| plan.tokens_before)
    }

    /// Returns what the receipts cost together afterwards, in tokens.
    pub fn tokens_after(&self) -> u64 {
        self.response
            .plan
            .as_ref()
            .map_or(0, |plan| plan.tokens_after)
    }

    /// Reports whether the budget is met; true when there is none.
    pub fn budget_met(&self) -> bool {
        self.response
            .plan
            .as_ref()
            .is_some_and(|plan| plan.budget_met)
    }

    /// Returns a receipt over all results that are no longer shown whole. `None`: there are none,
    /// or it was a dry run.
    pub fn overview(&self) -> Option<&str> {
        self.response
            .overview
            .as_ref()
            .map(|receipt| receipt.text.as_str())
    }

    /// Returns the whole answer.
    pub fn response(&self) -> &v1::CompactResponse {
        &self.response
    }
}
