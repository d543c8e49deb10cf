"""Turns of a conversation as requests."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

from toolresult.outputs import to_text
from toolresult.results import Result
from toolresult.v1 import envelope_pb2, policy_pb2, transport_pb2

#: The interfaces of providers, by word.
PROVIDERS: Dict[str, transport_pb2.Provider] = {
    "chat": transport_pb2.PROVIDER_CHAT,
    "openai-chat": transport_pb2.PROVIDER_OPENAI_CHAT,
    "openai-responses": transport_pb2.PROVIDER_OPENAI_RESPONSES,
    "anthropic": transport_pb2.PROVIDER_ANTHROPIC_MESSAGES,
    "gemini": transport_pb2.PROVIDER_GEMINI,
    "bedrock": transport_pb2.PROVIDER_BEDROCK_CONVERSE,
    "mistral": transport_pb2.PROVIDER_MISTRAL,
    "ollama": transport_pb2.PROVIDER_OLLAMA,
}

#: A provider by its word, or as a number of the contract.
Provider = Union[str, int]


@dataclass(frozen=True)
class Call:
    """A call that a model made."""

    #: The tool.
    tool: str
    #: The arguments: an object, or its JSON text as the model wrote it.
    arguments: Union[str, Mapping[str, Any]]
    #: The provider's id of the call.
    id: str
    #: The server of the tool. Empty: it has none.
    server: str = ""
    #: Of a session: whether the tool only reads, so that a later result of the same arguments supersedes this one.
    reads: bool = False

    @property
    def arguments_json(self) -> str:
        """The arguments as JSON text."""
        return to_text(
            self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments, ensure_ascii=False, separators=(",", ":"))
        )

    def message(self) -> transport_pb2.ParsedToolCall:
        """Return the call as a message."""
        return transport_pb2.ParsedToolCall(server=self.server, tool=self.tool, arguments=self.arguments_json, id=self.id)


@dataclass(frozen=True)
class Answer:
    """The answer to a call."""

    #: The id of the call.
    call_id: str
    #: The result, or text of the runtime itself for a call that no tool was run for.
    result: Union[Result, str]
    #: Of a text: whether it is an error.
    error: bool = False

    def message(self) -> transport_pb2.TurnResult:
        """Return the answer as a message."""
        made = transport_pb2.TurnResult(call_id=self.call_id)
        if isinstance(self.result, Result):
            made.canonical.CopyFrom(self.result.canonical)
            made.receipt.CopyFrom(self.result.response.receipt)
        else:
            made.text = to_text(self.result)
            if self.error:
                made.status = envelope_pb2.TOOL_STATUS_ERROR
        return made


def provider_of(provider: Provider) -> transport_pb2.Provider:
    """Return a provider of the contract.

    Raises:
        ValueError: no provider has that word.
    """
    if not isinstance(provider, str):
        return provider  # type: ignore[return-value]
    if provider not in PROVIDERS:
        raise ValueError(f"there is no provider {provider!r}, only {', '.join(PROVIDERS)}")
    return PROVIDERS[provider]


def turn_request(
    provider: Provider,
    *,
    content: str = "",
    calls: Iterable[Call] = (),
    results: Iterable[Answer] = (),
    notices: Iterable[str] = (),
    user_text: str = "",
    blocks: Sequence[transport_pb2.ProviderBlock] = (),
    session: str = "",
) -> transport_pb2.EncodeTurnRequest:
    """Return the request for the messages of a turn. `Client.encode_turn` has the arguments."""
    request = transport_pb2.EncodeTurnRequest(
        provider=provider_of(provider),
        results=[answer.message() for answer in results],
        notices=[to_text(notice) for notice in notices],
        user_text=to_text(user_text),
        session_id=session,
    )
    assistant = transport_pb2.AssistantTurn(content=to_text(content), tool_calls=[call.message() for call in calls], provider_blocks=blocks)
    if assistant.ByteSize():
        request.assistant.CopyFrom(assistant)
    return request


def render_policy(policy: Optional[policy_pb2.RenderPolicy], max_tokens: Optional[int]) -> Optional[policy_pb2.RenderPolicy]:
    """Return a policy with a budget, in a copy; None: every default."""
    if max_tokens is None:
        return policy
    made = policy_pb2.RenderPolicy()
    if policy is not None:
        made.CopyFrom(policy)
    made.budget.max_tokens = max_tokens
    return made
