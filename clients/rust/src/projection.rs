//! Projections of complete outputs.

use std::time::Duration;

use prost::Message;
use tonic::Request;

use crate::{BoxFuture, Client, Reason, Result, ToolResult, upload, v1, wire};

/// The size up to which an output is sent in one message, in bytes. The payloads of a larger one
/// are sent as streams.
const MAX_UNARY: usize = 1 << 20;

/// How an output is projected: what a [`Projection`] and an [`OpenStream`](crate::OpenStream) have
/// in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) session: Option<String>,
    pub(crate) call_id: Option<String>,
    pub(crate) agent_id: Option<String>,
    pub(crate) max_tokens: Option<u32>,
    pub(crate) focus: Option<String>,
    pub(crate) policy: Option<v1::ProjectionPolicy>,
    pub(crate) request_id: Option<String>,
    pub(crate) audit: Option<v1::AuditDetails>,
    pub(crate) timeout: Option<Duration>,
}

impl Options {
    /// Returns the call of the tool, over what a request has. The session is that of the client
    /// where none is named.
    pub(crate) fn call(
        &self,
        client: &Client,
        of_request: Option<v1::CallReference>,
    ) -> Option<v1::CallReference> {
        let mut call = of_request.unwrap_or_default();
        let write = |field: &mut String, value: &Option<String>| {
            if let Some(value) = value {
                field.clone_from(value);
            }
        };
        write(&mut call.session_id, &self.session);
        write(&mut call.call_id, &self.call_id);
        write(&mut call.agent_id, &self.agent_id);
        if call.session_id.is_empty() && self.session.is_none() {
            client.session().clone_into(&mut call.session_id);
        }
        (call != v1::CallReference::default()).then_some(call)
    }

    /// Returns the policy, over what a request has. The task of the client comes before the focus.
    pub(crate) fn policy(
        &self,
        client: &Client,
        of_request: Option<v1::ProjectionPolicy>,
    ) -> Option<v1::ProjectionPolicy> {
        let mut policy = self.policy.clone().or(of_request);
        if let Some(max_tokens) = self.max_tokens {
            let render = policy
                .get_or_insert_default()
                .render
                .get_or_insert_default();
            render.budget.get_or_insert_default().max_tokens = max_tokens;
        }
        let of_policy = policy.as_ref().map(|policy| policy.focus.clone());
        let focus = self.focus.clone().or(of_policy).unwrap_or_default();
        let focus = join_focus(client.task(), &focus);
        if policy.is_some() || !focus.is_empty() {
            policy.get_or_insert_default().focus = focus;
        }
        policy
    }
}

/// The size of a focus, in bytes, as the contract has it.
const MAX_FOCUS: usize = 8 << 10;

/// Puts a task before a focus, or as much of its beginning as there is space for. A focus that is
/// too long is for the sidecar to reject.
fn join_focus(task: &str, focus: &str) -> String {
    let end = match focus {
        "" => String::new(),
        focus => format!("\n{focus}"),
    };
    let mut space = MAX_FOCUS.saturating_sub(end.len()).min(task.len());
    while !task.is_char_boundary(space) {
        space -= 1;
    }
    let task = &task[..space];
    if task.is_empty() {
        return focus.to_owned();
    }
    format!("{task}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_cut_and_focuses_are_not() {
        assert_eq!(join_focus("", ""), "");
        assert_eq!(join_focus("task", ""), "task");
        assert_eq!(join_focus("", "now"), "now");
        assert_eq!(join_focus("task", "now"), "task\nnow");
        for unit in ["a", "ü", "漢", "\u{1f600}"] {
            let task = unit.repeat(9000);
            for focus in ["", "now"] {
                let joined = join_focus(&task, focus);
                assert!(joined.len() <= MAX_FOCUS && joined.len() > MAX_FOCUS - 4);
                assert!(joined.ends_with(focus) && joined.starts_with(unit));
            }
            let long = unit.repeat(MAX_FOCUS);
            assert_eq!(join_focus("task", &long), long);
        }
    }
}

/// Writes the setters of the options.
macro_rules! option_setters {
    () => {
        /// Sets the session that owns the artifacts. Default: that of the client, or none.
        pub fn session(mut self, id: impl Into<String>) -> Self {
            self.options.session = Some(id.into());
            self
        }

        /// Sets the id of the call, such as the `tool_call_id` of the provider. It needs a session.
        pub fn call_id(mut self, id: impl Into<String>) -> Self {
            self.options.call_id = Some(id.into());
            self
        }

        /// Sets which agent of the session made the call. It needs a session.
        pub fn agent_id(mut self, id: impl Into<String>) -> Self {
            self.options.agent_id = Some(id.into());
            self
        }

        /// Bounds the receipt, in tokens. Default: by tool, model and family.
        pub fn max_tokens(mut self, tokens: u32) -> Self {
            self.options.max_tokens = Some(tokens);
            self
        }

        /// Sets what the agent looks for, in its own words: the question, the last message. At most
        /// 8 KiB. Default: that of the policy. The task of the client is before it.
        pub fn focus(mut self, focus: impl Into<String>) -> Self {
            self.options.focus = Some(focus.into());
            self
        }

        /// Sets how the output is projected. [`max_tokens`](Self::max_tokens) wins over its budget.
        pub fn policy(mut self, policy: $crate::v1::ProjectionPolicy) -> Self {
            self.options.policy = Some(policy);
            self
        }

        /// Sets the id by which a call that is made again gets the same answer; empty: none.
        /// Default: one of its own for each call.
        pub fn request_id(mut self, id: impl Into<String>) -> Self {
            self.options.request_id = Some(id.into());
            self
        }

        /// Sets what is recorded beside the result. Default: nothing.
        pub fn audit(mut self, details: $crate::v1::AuditDetails) -> Self {
            self.options.audit = Some(details);
            self
        }

        /// Sets how long the call may take, in all. Default: that of the client; none of what is
        /// sent as a stream.
        pub fn timeout(mut self, timeout: std::time::Duration) -> Self {
            self.options.timeout = Some(timeout);
            self
        }
    };
}
pub(crate) use option_setters;

impl From<v1::CompleteToolOutput> for v1::ProjectRequest {
    fn from(output: v1::CompleteToolOutput) -> Self {
        v1::ProjectRequest {
            output: Some(output),
            ..Default::default()
        }
    }
}

/// A projection that is to be made, by [`Client::project_text`] and others. `await` makes it.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is awaited"]
pub struct Projection<'a> {
    client: &'a Client,
    request: v1::ProjectRequest,
    options: Options,
}

impl<'a> Projection<'a> {
    /// Returns the projection of a request.
    pub(crate) fn new(client: &'a Client, request: v1::ProjectRequest) -> Self {
        Projection {
            client,
            request,
            options: Options::default(),
        }
    }

    option_setters!();

    /// Sends the output. Without an audit log a sidecar takes no ids of requests: the call is made
    /// again without, and later ones have none.
    async fn project(self) -> Result<ToolResult> {
        let Projection {
            client,
            mut request,
            options,
        } = self;
        request.call = options.call(client, request.call.take());
        request.policy = options.policy(client, request.policy.take());
        request.audit = options.audit.or(request.audit.take());
        if request.canonical_form() == v1::CanonicalForm::Json {
            request.set_canonical_form(v1::CanonicalForm::Both); // a result has the message
        }
        let is_ours = options.request_id.is_none() && request.request_id.is_empty();
        if is_ours {
            request.request_id = client.new_request_id();
        } else if let Some(id) = options.request_id {
            request.request_id = id;
        }
        let can_do_without = is_ours && !request.request_id.is_empty();
        let sender = Sender::new(client, request, options.timeout);
        let answer = match sender.send(false).await {
            Err(error) if can_do_without && error.reason() == Some(Reason::AuditDisabled) => {
                client.stop_request_ids();
                sender.send(true).await?
            }
            answer => answer?,
        };
        ToolResult::new(answer)
    }
}

impl<'a> IntoFuture for Projection<'a> {
    type Output = Result<ToolResult>;
    type IntoFuture = BoxFuture<'a, Result<ToolResult>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.project())
    }
}

/// A request that is sent in one message, or whose payloads are sent as streams.
struct Sender<'a> {
    client: &'a Client,
    request: v1::ProjectRequest,
    /// The output without its payloads, of a large request, which has none then.
    detached: Option<wire::Detached>,
    timeout: Option<Duration>,
}

impl<'a> Sender<'a> {
    /// Takes the payloads out of a request that is large.
    fn new(client: &'a Client, mut request: v1::ProjectRequest, timeout: Option<Duration>) -> Self {
        let is_large = |output: &mut v1::CompleteToolOutput| output.encoded_len() > MAX_UNARY;
        let detached = request.output.take_if(is_large).map(wire::detach);
        Sender {
            client,
            request,
            detached,
            timeout,
        }
    }

    /// Sends the request, and returns the answer.
    async fn send(&self, without_id: bool) -> Result<v1::ProjectResponse> {
        let mut request = self.request.clone();
        if without_id {
            request.request_id.clear();
        }
        match self.detached.clone() {
            None => {
                let request = with_timeout(request, self.timeout);
                Ok(self.client.results().project(request).await?.into_inner())
            }
            Some(detached) => upload::project(self.client, request, detached, self.timeout).await,
        }
    }
}

/// Returns a request that may take a time. `None`: that of the client.
pub(crate) fn with_timeout<T>(message: T, timeout: Option<Duration>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(timeout) = timeout {
        const MAX: Duration = Duration::from_secs(99_999_999); // what gRPC can write in seconds
        request.set_timeout(timeout.min(MAX));
    }
    request
}
