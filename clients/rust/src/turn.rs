//! Messages of providers, and calls that models make.

use std::str::FromStr;
use std::time::Duration;

use serde_json::Value;

use crate::projection::{Options, with_timeout};
use crate::{BoxFuture, Client, Error, Provider, Result, ToolResult, v1};
use v1::turn_result::Content;

/// The words of providers, in the order of the contract.
const PROVIDERS: [(&str, Provider); 8] = [
    ("chat", Provider::Chat),
    ("openai-chat", Provider::OpenaiChat),
    ("openai-responses", Provider::OpenaiResponses),
    ("anthropic", Provider::AnthropicMessages),
    ("gemini", Provider::Gemini),
    ("bedrock", Provider::BedrockConverse),
    ("mistral", Provider::Mistral),
    ("ollama", Provider::Ollama),
];

/// Reads the word of a provider, such as `anthropic`, by which commands of `toolresult` name it.
impl FromStr for Provider {
    type Err = Error;

    fn from_str(word: &str) -> Result<Self> {
        let found = PROVIDERS.iter().find(|provider| provider.0 == word);
        found.map(|provider| provider.1).ok_or_else(|| {
            let words = PROVIDERS.map(|provider| provider.0).join(", ");
            Error::Argument(format!("there is no provider {word:?}: {words}"))
        })
    }
}

/// The arguments of a call, as JSON text. Text is taken as the model wrote it; a value of JSON is
/// written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments(String);

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Arguments(text.to_owned())
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Arguments(text)
    }
}

impl From<Value> for Arguments {
    fn from(value: Value) -> Self {
        Arguments(value.to_string())
    }
}

impl From<&Value> for Arguments {
    fn from(value: &Value) -> Self {
        Arguments(value.to_string())
    }
}

/// The messages of a turn that are to be made, by [`Client::encode_turn`]. `await` makes them.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is awaited"]
pub struct EncodeTurn<'a> {
    client: &'a Client,
    request: v1::EncodeTurnRequest,
    assistant: v1::AssistantTurn,
    timeout: Option<Duration>,
}

impl<'a> EncodeTurn<'a> {
    /// Returns an empty turn.
    pub(crate) fn new(client: &'a Client, provider: Provider) -> Self {
        let request = v1::EncodeTurnRequest {
            provider: provider.into(),
            session_id: client.session().to_owned(),
            ..Default::default()
        };
        EncodeTurn {
            client,
            request,
            assistant: v1::AssistantTurn::default(),
            timeout: None,
        }
    }

    /// Sets the text of the model. Default: none.
    pub fn content(mut self, text: impl Into<String>) -> Self {
        self.assistant.content = text.into();
        self
    }

    /// Adds a call that the model made, with its id.
    pub fn call(
        self,
        id: impl Into<String>,
        tool: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Self {
        self.call_message(v1::ParsedToolCall {
            id: Some(id.into()),
            tool: tool.into(),
            arguments: arguments.into().0,
            ..Default::default()
        })
    }

    /// Adds a call as a message, such as one of a server, or one that
    /// [`AssembleToolCalls`](v1::transport_service_client::TransportServiceClient::assemble_tool_calls)
    /// answered.
    pub fn call_message(mut self, call: v1::ParsedToolCall) -> Self {
        self.assistant.tool_calls.push(call);
        self
    }

    /// Adds the result of a call, by its id.
    pub fn result(self, call_id: impl Into<String>, result: &ToolResult) -> Self {
        self.result_message(v1::TurnResult {
            call_id: Some(call_id.into()),
            content: Some(Content::Canonical(result.canonical.clone())),
            receipt: Some(result.receipt_message()),
            ..Default::default()
        })
    }

    /// Adds a text of the runtime, for a call that no tool was run for.
    pub fn text(self, call_id: impl Into<String>, text: impl Into<String>) -> Self {
        self.result_message(v1::TurnResult {
            call_id: Some(call_id.into()),
            content: Some(Content::Text(text.into())),
            ..Default::default()
        })
    }

    /// Adds an error of the runtime, for a call that no tool was run for.
    pub fn error_text(self, call_id: impl Into<String>, text: impl Into<String>) -> Self {
        self.result_message(v1::TurnResult {
            call_id: Some(call_id.into()),
            content: Some(Content::Text(text.into())),
            status: v1::ToolStatus::Error.into(),
            ..Default::default()
        })
    }

    /// Adds a result as a message.
    pub fn result_message(mut self, result: v1::TurnResult) -> Self {
        self.request.results.push(result);
        self
    }

    /// Adds a notice of the runtime for the model.
    pub fn notice(mut self, text: impl Into<String>) -> Self {
        self.request.notices.push(text.into());
        self
    }

    /// Sets a text of the user behind the results. Default: none.
    pub fn user_text(mut self, text: impl Into<String>) -> Self {
        self.request.user_text = text.into();
        self
    }

    /// Sets the session whose images are read. Default: that of the client, or none.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.request.session_id = id.into();
        self
    }

    /// Sets how long the call may take, in all. Default: that of the client.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }
}

impl<'a> IntoFuture for EncodeTurn<'a> {
    type Output = Result<Turn>;
    type IntoFuture = BoxFuture<'a, Result<Turn>>;

    fn into_future(mut self) -> Self::IntoFuture {
        self.request.assistant = Some(self.assistant);
        Box::pin(async move {
            let request = with_timeout(self.request, self.timeout);
            let answer = self.client.transport().encode_turn(request).await?;
            Ok(Turn {
                response: answer.into_inner(),
            })
        })
    }
}

/// The messages of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    response: v1::EncodeTurnResponse,
}

impl Turn {
    /// Returns the messages, each one JSON object, in the form of the provider. Where the order of
    /// keys and the form of numbers count, take [`messages_json`](Self::messages_json).
    ///
    /// Errors: an argument of a call is a number that `serde_json` cannot have, or is nested more
    /// deeply than it reads.
    pub fn messages(&self) -> Result<Vec<Value>> {
        let read = |text: &String| serde_json::from_str(text);
        let messages = self.response.messages_json.iter().map(read);
        let unreadable = |error| Error::Argument(format!("a message cannot be read: {error}"));
        messages.collect::<Result<_, _>>().map_err(unreadable)
    }

    /// Returns the messages, each the text of one JSON object.
    pub fn messages_json(&self) -> &[String] {
        &self.response.messages_json
    }

    /// Reports whether calls and results are native messages, and no text.
    pub fn is_native(&self) -> bool {
        self.response.native
    }

    /// Returns what was changed so that the provider takes it.
    pub fn changes(&self) -> &[v1::TurnNote] {
        &self.response.changes
    }

    /// Returns the whole answer.
    pub fn response(&self) -> &v1::EncodeTurnResponse {
        &self.response
    }
}

/// A call of a model that is to be executed, by [`Client::call_tool`]. `await` executes it.
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is awaited"]
pub struct CallTool<'a> {
    client: &'a Client,
    name: String,
    arguments: Arguments,
    options: Options,
}

impl<'a> CallTool<'a> {
    /// Returns a call.
    pub(crate) fn new(client: &'a Client, name: String, arguments: Arguments) -> Self {
        CallTool {
            client,
            name,
            arguments,
            options: Options::default(),
        }
    }

    /// Sets the session whose artifacts may be read. Default: that of the client.
    pub fn session(mut self, id: impl Into<String>) -> Self {
        self.options.session = Some(id.into());
        self
    }

    /// Sets the id of the call. Default: not known.
    pub fn call_id(mut self, id: impl Into<String>) -> Self {
        self.options.call_id = Some(id.into());
        self
    }

    /// Sets which agent of the session made the call. Default: its only one.
    pub fn agent_id(mut self, id: impl Into<String>) -> Self {
        self.options.agent_id = Some(id.into());
        self
    }

    /// Sets how the page is rendered. [`max_tokens`](Self::max_tokens) wins over its budget.
    pub fn policy(mut self, policy: v1::RenderPolicy) -> Self {
        self.options.policy.get_or_insert_default().render = Some(policy);
        self
    }

    /// Sets how long the call may take, in all. Default: that of the client.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout);
        self
    }

    /// Bounds the page, in tokens; 0: 4,000.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.options.max_tokens = Some(tokens);
        self
    }
}

impl<'a> IntoFuture for CallTool<'a> {
    type Output = Result<v1::CallToolResponse>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let request = v1::CallToolRequest {
                name: self.name,
                arguments_json: self.arguments.0,
                call: self.options.call(self.client, None),
                policy: self
                    .options
                    .policy(self.client, None)
                    .and_then(|policy| policy.render),
                ..Default::default()
            };
            let request = with_timeout(request, self.options.timeout);
            Ok(self.client.tools().call_tool(request).await?.into_inner())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_provider_has_a_word() {
        for number in 1.. {
            let Ok(provider) = Provider::try_from(number) else {
                assert_eq!(usize::try_from(number).unwrap(), PROVIDERS.len() + 1);
                return;
            };
            let word = PROVIDERS
                .iter()
                .find(|known| known.1 == provider)
                .unwrap()
                .0;
            assert_eq!(word.parse::<Provider>().unwrap(), provider);
        }
    }

    #[test]
    fn other_words_are_none() {
        let error = "claude".parse::<Provider>().unwrap_err();
        assert!(matches!(error, Error::Argument(_)));
        assert!(error.message().contains("anthropic"), "{error}");
    }
}
