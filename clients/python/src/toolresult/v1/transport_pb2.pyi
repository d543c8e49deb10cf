from toolresult.v1 import envelope_pb2 as _envelope_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Provider(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROVIDER_UNSPECIFIED: _ClassVar[Provider]
    PROVIDER_CHAT: _ClassVar[Provider]
    PROVIDER_OPENAI_CHAT: _ClassVar[Provider]
    PROVIDER_OPENAI_RESPONSES: _ClassVar[Provider]
    PROVIDER_ANTHROPIC_MESSAGES: _ClassVar[Provider]
    PROVIDER_GEMINI: _ClassVar[Provider]
    PROVIDER_BEDROCK_CONVERSE: _ClassVar[Provider]
    PROVIDER_MISTRAL: _ClassVar[Provider]
    PROVIDER_OLLAMA: _ClassVar[Provider]

class ToolCallFormat(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOOL_CALL_FORMAT_UNSPECIFIED: _ClassVar[ToolCallFormat]
    TOOL_CALL_FORMAT_TEXT: _ClassVar[ToolCallFormat]

class TurnChange(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TURN_CHANGE_UNSPECIFIED: _ClassVar[TurnChange]
    TURN_CHANGE_TEXT: _ClassVar[TurnChange]
    TURN_CHANGE_ID: _ClassVar[TurnChange]
    TURN_CHANGE_NAME: _ClassVar[TurnChange]
    TURN_CHANGE_UNANSWERED: _ClassVar[TurnChange]
    TURN_CHANGE_MEDIA: _ClassVar[TurnChange]
    TURN_CHANGE_PROVIDER_BLOCK: _ClassVar[TurnChange]
    TURN_CHANGE_EMPTY: _ClassVar[TurnChange]
    TURN_CHANGE_CUSTOM: _ClassVar[TurnChange]
    TURN_CHANGE_MARKS: _ClassVar[TurnChange]

class StreamEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STREAM_END_UNSPECIFIED: _ClassVar[StreamEnd]
    STREAM_END_COMPLETE: _ClassVar[StreamEnd]
    STREAM_END_LENGTH: _ClassVar[StreamEnd]
    STREAM_END_STOPPED: _ClassVar[StreamEnd]
    STREAM_END_ERROR: _ClassVar[StreamEnd]
    STREAM_END_TRUNCATED: _ClassVar[StreamEnd]
    STREAM_END_MALFORMED: _ClassVar[StreamEnd]

class TranscriptRule(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRANSCRIPT_RULE_UNSPECIFIED: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_ORPHAN_RESULT: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_UNANSWERED_CALL: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_DUPLICATE_ANSWER: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_WRONG_ORDER: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_EMPTY_CONTENT: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_ID_INVALID: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_NAME_INVALID: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_ROLE_ORDER: _ClassVar[TranscriptRule]
    TRANSCRIPT_RULE_ARGUMENTS_INVALID: _ClassVar[TranscriptRule]
PROVIDER_UNSPECIFIED: Provider
PROVIDER_CHAT: Provider
PROVIDER_OPENAI_CHAT: Provider
PROVIDER_OPENAI_RESPONSES: Provider
PROVIDER_ANTHROPIC_MESSAGES: Provider
PROVIDER_GEMINI: Provider
PROVIDER_BEDROCK_CONVERSE: Provider
PROVIDER_MISTRAL: Provider
PROVIDER_OLLAMA: Provider
TOOL_CALL_FORMAT_UNSPECIFIED: ToolCallFormat
TOOL_CALL_FORMAT_TEXT: ToolCallFormat
TURN_CHANGE_UNSPECIFIED: TurnChange
TURN_CHANGE_TEXT: TurnChange
TURN_CHANGE_ID: TurnChange
TURN_CHANGE_NAME: TurnChange
TURN_CHANGE_UNANSWERED: TurnChange
TURN_CHANGE_MEDIA: TurnChange
TURN_CHANGE_PROVIDER_BLOCK: TurnChange
TURN_CHANGE_EMPTY: TurnChange
TURN_CHANGE_CUSTOM: TurnChange
TURN_CHANGE_MARKS: TurnChange
STREAM_END_UNSPECIFIED: StreamEnd
STREAM_END_COMPLETE: StreamEnd
STREAM_END_LENGTH: StreamEnd
STREAM_END_STOPPED: StreamEnd
STREAM_END_ERROR: StreamEnd
STREAM_END_TRUNCATED: StreamEnd
STREAM_END_MALFORMED: StreamEnd
TRANSCRIPT_RULE_UNSPECIFIED: TranscriptRule
TRANSCRIPT_RULE_ORPHAN_RESULT: TranscriptRule
TRANSCRIPT_RULE_UNANSWERED_CALL: TranscriptRule
TRANSCRIPT_RULE_DUPLICATE_ANSWER: TranscriptRule
TRANSCRIPT_RULE_WRONG_ORDER: TranscriptRule
TRANSCRIPT_RULE_EMPTY_CONTENT: TranscriptRule
TRANSCRIPT_RULE_ID_INVALID: TranscriptRule
TRANSCRIPT_RULE_NAME_INVALID: TranscriptRule
TRANSCRIPT_RULE_ROLE_ORDER: TranscriptRule
TRANSCRIPT_RULE_ARGUMENTS_INVALID: TranscriptRule

class ParsedToolCall(_message.Message):
    __slots__ = ("server", "tool", "arguments", "raw", "id", "custom", "signature")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    CUSTOM_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    server: str
    tool: str
    arguments: str
    raw: str
    id: str
    custom: bool
    signature: str
    def __init__(self, server: _Optional[str] = ..., tool: _Optional[str] = ..., arguments: _Optional[str] = ..., raw: _Optional[str] = ..., id: _Optional[str] = ..., custom: bool = ..., signature: _Optional[str] = ...) -> None: ...

class OpenAIToolCallFunction(_message.Message):
    __slots__ = ("name", "arguments")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: str
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[str] = ...) -> None: ...

class OpenAIToolCall(_message.Message):
    __slots__ = ("id", "type", "function")
    ID_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    id: str
    type: str
    function: OpenAIToolCallFunction
    def __init__(self, id: _Optional[str] = ..., type: _Optional[str] = ..., function: _Optional[_Union[OpenAIToolCallFunction, _Mapping]] = ...) -> None: ...

class ChatMessage(_message.Message):
    __slots__ = ("role", "content", "system_prompt", "tool_calls", "tool_call_id")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_PROMPT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_ID_FIELD_NUMBER: _ClassVar[int]
    role: str
    content: str
    system_prompt: str
    tool_calls: _containers.RepeatedCompositeFieldContainer[OpenAIToolCall]
    tool_call_id: str
    def __init__(self, role: _Optional[str] = ..., content: _Optional[str] = ..., system_prompt: _Optional[str] = ..., tool_calls: _Optional[_Iterable[_Union[OpenAIToolCall, _Mapping]]] = ..., tool_call_id: _Optional[str] = ...) -> None: ...

class ProviderBlock(_message.Message):
    __slots__ = ("provider", "block_json", "before_call")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    BLOCK_JSON_FIELD_NUMBER: _ClassVar[int]
    BEFORE_CALL_FIELD_NUMBER: _ClassVar[int]
    provider: Provider
    block_json: str
    before_call: int
    def __init__(self, provider: _Optional[_Union[Provider, str]] = ..., block_json: _Optional[str] = ..., before_call: _Optional[int] = ...) -> None: ...

class AssistantTurn(_message.Message):
    __slots__ = ("content", "tool_calls", "provider_blocks")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_BLOCKS_FIELD_NUMBER: _ClassVar[int]
    content: str
    tool_calls: _containers.RepeatedCompositeFieldContainer[ParsedToolCall]
    provider_blocks: _containers.RepeatedCompositeFieldContainer[ProviderBlock]
    def __init__(self, content: _Optional[str] = ..., tool_calls: _Optional[_Iterable[_Union[ParsedToolCall, _Mapping]]] = ..., provider_blocks: _Optional[_Iterable[_Union[ProviderBlock, _Mapping]]] = ...) -> None: ...

class Media(_message.Message):
    __slots__ = ("media_type", "data", "url", "file_id", "name", "path")
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    FILE_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    media_type: str
    data: bytes
    url: str
    file_id: str
    name: str
    path: str
    def __init__(self, media_type: _Optional[str] = ..., data: _Optional[bytes] = ..., url: _Optional[str] = ..., file_id: _Optional[str] = ..., name: _Optional[str] = ..., path: _Optional[str] = ...) -> None: ...

class TurnResult(_message.Message):
    __slots__ = ("call_id", "canonical", "canonical_json", "text", "receipt", "family", "status", "media")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_JSON_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    MEDIA_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    canonical: _envelope_pb2.CanonicalToolResult
    canonical_json: str
    text: str
    receipt: _policy_pb2.Receipt
    family: str
    status: _envelope_pb2.ToolStatus
    media: _containers.RepeatedCompositeFieldContainer[Media]
    def __init__(self, call_id: _Optional[str] = ..., canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., canonical_json: _Optional[str] = ..., text: _Optional[str] = ..., receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ..., family: _Optional[str] = ..., status: _Optional[_Union[_envelope_pb2.ToolStatus, str]] = ..., media: _Optional[_Iterable[_Union[Media, _Mapping]]] = ...) -> None: ...

class EncodeTurnRequest(_message.Message):
    __slots__ = ("provider", "format", "assistant", "results", "notices", "user_text", "session_id")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    ASSISTANT_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    NOTICES_FIELD_NUMBER: _ClassVar[int]
    USER_TEXT_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    provider: Provider
    format: ToolCallFormat
    assistant: AssistantTurn
    results: _containers.RepeatedCompositeFieldContainer[TurnResult]
    notices: _containers.RepeatedScalarFieldContainer[str]
    user_text: str
    session_id: str
    def __init__(self, provider: _Optional[_Union[Provider, str]] = ..., format: _Optional[_Union[ToolCallFormat, str]] = ..., assistant: _Optional[_Union[AssistantTurn, _Mapping]] = ..., results: _Optional[_Iterable[_Union[TurnResult, _Mapping]]] = ..., notices: _Optional[_Iterable[str]] = ..., user_text: _Optional[str] = ..., session_id: _Optional[str] = ...) -> None: ...

class EncodedCall(_message.Message):
    __slots__ = ("id", "name")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    id: str
    name: str
    def __init__(self, id: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class TurnNote(_message.Message):
    __slots__ = ("change", "call", "detail")
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    change: TurnChange
    call: int
    detail: str
    def __init__(self, change: _Optional[_Union[TurnChange, str]] = ..., call: _Optional[int] = ..., detail: _Optional[str] = ...) -> None: ...

class EncodeTurnResponse(_message.Message):
    __slots__ = ("messages_json", "chat_messages", "native", "calls", "changes")
    MESSAGES_JSON_FIELD_NUMBER: _ClassVar[int]
    CHAT_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    NATIVE_FIELD_NUMBER: _ClassVar[int]
    CALLS_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    messages_json: _containers.RepeatedScalarFieldContainer[str]
    chat_messages: _containers.RepeatedCompositeFieldContainer[ChatMessage]
    native: bool
    calls: _containers.RepeatedCompositeFieldContainer[EncodedCall]
    changes: _containers.RepeatedCompositeFieldContainer[TurnNote]
    def __init__(self, messages_json: _Optional[_Iterable[str]] = ..., chat_messages: _Optional[_Iterable[_Union[ChatMessage, _Mapping]]] = ..., native: bool = ..., calls: _Optional[_Iterable[_Union[EncodedCall, _Mapping]]] = ..., changes: _Optional[_Iterable[_Union[TurnNote, _Mapping]]] = ...) -> None: ...

class AssembleToolCallsRequest(_message.Message):
    __slots__ = ("header", "body", "event_json")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    EVENT_JSON_FIELD_NUMBER: _ClassVar[int]
    header: AssembleHeader
    body: bytes
    event_json: str
    def __init__(self, header: _Optional[_Union[AssembleHeader, _Mapping]] = ..., body: _Optional[bytes] = ..., event_json: _Optional[str] = ...) -> None: ...

class AssembleHeader(_message.Message):
    __slots__ = ("provider", "format", "writing_tools")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    WRITING_TOOLS_FIELD_NUMBER: _ClassVar[int]
    provider: Provider
    format: ToolCallFormat
    writing_tools: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, provider: _Optional[_Union[Provider, str]] = ..., format: _Optional[_Union[ToolCallFormat, str]] = ..., writing_tools: _Optional[_Iterable[str]] = ...) -> None: ...

class IncompleteToolCall(_message.Message):
    __slots__ = ("name", "arguments", "id", "reason")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments: str
    id: str
    reason: str
    def __init__(self, name: _Optional[str] = ..., arguments: _Optional[str] = ..., id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class MarkerLeak(_message.Message):
    __slots__ = ("call", "pointer", "line", "form", "text")
    CALL_FIELD_NUMBER: _ClassVar[int]
    POINTER_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    call: int
    pointer: str
    line: int
    form: str
    text: str
    def __init__(self, call: _Optional[int] = ..., pointer: _Optional[str] = ..., line: _Optional[int] = ..., form: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class AssembleToolCallsResponse(_message.Message):
    __slots__ = ("assistant", "incomplete", "end", "stop_reason", "marker_leaks", "tool_calls_json", "notice")
    ASSISTANT_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    STOP_REASON_FIELD_NUMBER: _ClassVar[int]
    MARKER_LEAKS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALLS_JSON_FIELD_NUMBER: _ClassVar[int]
    NOTICE_FIELD_NUMBER: _ClassVar[int]
    assistant: AssistantTurn
    incomplete: _containers.RepeatedCompositeFieldContainer[IncompleteToolCall]
    end: StreamEnd
    stop_reason: str
    marker_leaks: _containers.RepeatedCompositeFieldContainer[MarkerLeak]
    tool_calls_json: str
    notice: str
    def __init__(self, assistant: _Optional[_Union[AssistantTurn, _Mapping]] = ..., incomplete: _Optional[_Iterable[_Union[IncompleteToolCall, _Mapping]]] = ..., end: _Optional[_Union[StreamEnd, str]] = ..., stop_reason: _Optional[str] = ..., marker_leaks: _Optional[_Iterable[_Union[MarkerLeak, _Mapping]]] = ..., tool_calls_json: _Optional[str] = ..., notice: _Optional[str] = ...) -> None: ...

class LintTranscriptRequest(_message.Message):
    __slots__ = ("provider", "transcript_json", "repair")
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    TRANSCRIPT_JSON_FIELD_NUMBER: _ClassVar[int]
    REPAIR_FIELD_NUMBER: _ClassVar[int]
    provider: Provider
    transcript_json: str
    repair: bool
    def __init__(self, provider: _Optional[_Union[Provider, str]] = ..., transcript_json: _Optional[str] = ..., repair: bool = ...) -> None: ...

class TranscriptFinding(_message.Message):
    __slots__ = ("rule", "message", "call_id", "detail")
    RULE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    rule: TranscriptRule
    message: int
    call_id: str
    detail: str
    def __init__(self, rule: _Optional[_Union[TranscriptRule, str]] = ..., message: _Optional[int] = ..., call_id: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class LintTranscriptResponse(_message.Message):
    __slots__ = ("findings", "repaired_json", "first_changed", "total")
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    REPAIRED_JSON_FIELD_NUMBER: _ClassVar[int]
    FIRST_CHANGED_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    findings: _containers.RepeatedCompositeFieldContainer[TranscriptFinding]
    repaired_json: str
    first_changed: int
    total: int
    def __init__(self, findings: _Optional[_Iterable[_Union[TranscriptFinding, _Mapping]]] = ..., repaired_json: _Optional[str] = ..., first_changed: _Optional[int] = ..., total: _Optional[int] = ...) -> None: ...
