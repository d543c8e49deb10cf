from toolresult.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TokenVocabulary(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOKEN_VOCABULARY_UNSPECIFIED: _ClassVar[TokenVocabulary]
    TOKEN_VOCABULARY_ESTIMATE: _ClassVar[TokenVocabulary]
    TOKEN_VOCABULARY_O200K_BASE: _ClassVar[TokenVocabulary]
    TOKEN_VOCABULARY_CL100K_BASE: _ClassVar[TokenVocabulary]

class HandleForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HANDLE_FORM_UNSPECIFIED: _ClassVar[HandleForm]
    HANDLE_FORM_PATH: _ClassVar[HandleForm]
    HANDLE_FORM_CALL: _ClassVar[HandleForm]

class CanonicalForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CANONICAL_FORM_UNSPECIFIED: _ClassVar[CanonicalForm]
    CANONICAL_FORM_MESSAGE: _ClassVar[CanonicalForm]
    CANONICAL_FORM_JSON: _ClassVar[CanonicalForm]
    CANONICAL_FORM_BOTH: _ClassVar[CanonicalForm]

class ArtifactPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ARTIFACT_POLICY_UNSPECIFIED: _ClassVar[ArtifactPolicy]
    ARTIFACT_POLICY_WHEN_LOSSY: _ClassVar[ArtifactPolicy]
    ARTIFACT_POLICY_ALWAYS: _ClassVar[ArtifactPolicy]

class UnchangedPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNCHANGED_POLICY_UNSPECIFIED: _ClassVar[UnchangedPolicy]
    UNCHANGED_POLICY_STATE: _ClassVar[UnchangedPolicy]
    UNCHANGED_POLICY_IGNORE: _ClassVar[UnchangedPolicy]

class PatternRedaction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PATTERN_REDACTION_UNSPECIFIED: _ClassVar[PatternRedaction]
    PATTERN_REDACTION_OFF: _ClassVar[PatternRedaction]

class CompactionLevel(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COMPACTION_LEVEL_UNSPECIFIED: _ClassVar[CompactionLevel]
    COMPACTION_LEVEL_TRIMMED: _ClassVar[CompactionLevel]
    COMPACTION_LEVEL_HANDLES: _ClassVar[CompactionLevel]
    COMPACTION_LEVEL_LINE: _ClassVar[CompactionLevel]

class SupersededCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUPERSEDED_CAUSE_UNSPECIFIED: _ClassVar[SupersededCause]
    SUPERSEDED_CAUSE_EDITED: _ClassVar[SupersededCause]

class CacheBreak(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CACHE_BREAK_UNSPECIFIED: _ClassVar[CacheBreak]
    CACHE_BREAK_NEVER: _ClassVar[CacheBreak]
    CACHE_BREAK_WHEN_NEEDED: _ClassVar[CacheBreak]
TOKEN_VOCABULARY_UNSPECIFIED: TokenVocabulary
TOKEN_VOCABULARY_ESTIMATE: TokenVocabulary
TOKEN_VOCABULARY_O200K_BASE: TokenVocabulary
TOKEN_VOCABULARY_CL100K_BASE: TokenVocabulary
HANDLE_FORM_UNSPECIFIED: HandleForm
HANDLE_FORM_PATH: HandleForm
HANDLE_FORM_CALL: HandleForm
CANONICAL_FORM_UNSPECIFIED: CanonicalForm
CANONICAL_FORM_MESSAGE: CanonicalForm
CANONICAL_FORM_JSON: CanonicalForm
CANONICAL_FORM_BOTH: CanonicalForm
ARTIFACT_POLICY_UNSPECIFIED: ArtifactPolicy
ARTIFACT_POLICY_WHEN_LOSSY: ArtifactPolicy
ARTIFACT_POLICY_ALWAYS: ArtifactPolicy
UNCHANGED_POLICY_UNSPECIFIED: UnchangedPolicy
UNCHANGED_POLICY_STATE: UnchangedPolicy
UNCHANGED_POLICY_IGNORE: UnchangedPolicy
PATTERN_REDACTION_UNSPECIFIED: PatternRedaction
PATTERN_REDACTION_OFF: PatternRedaction
COMPACTION_LEVEL_UNSPECIFIED: CompactionLevel
COMPACTION_LEVEL_TRIMMED: CompactionLevel
COMPACTION_LEVEL_HANDLES: CompactionLevel
COMPACTION_LEVEL_LINE: CompactionLevel
SUPERSEDED_CAUSE_UNSPECIFIED: SupersededCause
SUPERSEDED_CAUSE_EDITED: SupersededCause
CACHE_BREAK_UNSPECIFIED: CacheBreak
CACHE_BREAK_NEVER: CacheBreak
CACHE_BREAK_WHEN_NEEDED: CacheBreak

class Budget(_message.Message):
    __slots__ = ("max_tokens", "max_lines", "max_bytes", "max_line_bytes")
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    MAX_LINES_FIELD_NUMBER: _ClassVar[int]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_LINE_BYTES_FIELD_NUMBER: _ClassVar[int]
    max_tokens: int
    max_lines: int
    max_bytes: int
    max_line_bytes: int
    def __init__(self, max_tokens: _Optional[int] = ..., max_lines: _Optional[int] = ..., max_bytes: _Optional[int] = ..., max_line_bytes: _Optional[int] = ...) -> None: ...

class ContextWindow(_message.Message):
    __slots__ = ("window_tokens", "used_tokens")
    WINDOW_TOKENS_FIELD_NUMBER: _ClassVar[int]
    USED_TOKENS_FIELD_NUMBER: _ClassVar[int]
    window_tokens: int
    used_tokens: int
    def __init__(self, window_tokens: _Optional[int] = ..., used_tokens: _Optional[int] = ...) -> None: ...

class RenderPolicy(_message.Message):
    __slots__ = ("budget", "token_vocabulary", "window", "model", "handles", "read_tool")
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    TOKEN_VOCABULARY_FIELD_NUMBER: _ClassVar[int]
    WINDOW_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    HANDLES_FIELD_NUMBER: _ClassVar[int]
    READ_TOOL_FIELD_NUMBER: _ClassVar[int]
    budget: Budget
    token_vocabulary: TokenVocabulary
    window: ContextWindow
    model: str
    handles: HandleForm
    read_tool: str
    def __init__(self, budget: _Optional[_Union[Budget, _Mapping]] = ..., token_vocabulary: _Optional[_Union[TokenVocabulary, str]] = ..., window: _Optional[_Union[ContextWindow, _Mapping]] = ..., model: _Optional[str] = ..., handles: _Optional[_Union[HandleForm, str]] = ..., read_tool: _Optional[str] = ...) -> None: ...

class ProjectionPolicy(_message.Message):
    __slots__ = ("render", "artifact_policy", "head_percent", "unchanged", "redaction", "segments")
    RENDER_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_POLICY_FIELD_NUMBER: _ClassVar[int]
    HEAD_PERCENT_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    REDACTION_FIELD_NUMBER: _ClassVar[int]
    SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    render: RenderPolicy
    artifact_policy: ArtifactPolicy
    head_percent: int
    unchanged: UnchangedPolicy
    redaction: RedactionPolicy
    segments: bool
    def __init__(self, render: _Optional[_Union[RenderPolicy, _Mapping]] = ..., artifact_policy: _Optional[_Union[ArtifactPolicy, str]] = ..., head_percent: _Optional[int] = ..., unchanged: _Optional[_Union[UnchangedPolicy, str]] = ..., redaction: _Optional[_Union[RedactionPolicy, _Mapping]] = ..., segments: bool = ...) -> None: ...

class RedactionPolicy(_message.Message):
    __slots__ = ("patterns", "require_set")
    PATTERNS_FIELD_NUMBER: _ClassVar[int]
    REQUIRE_SET_FIELD_NUMBER: _ClassVar[int]
    patterns: PatternRedaction
    require_set: str
    def __init__(self, patterns: _Optional[_Union[PatternRedaction, str]] = ..., require_set: _Optional[str] = ...) -> None: ...

class Superseded(_message.Message):
    __slots__ = ("call_id", "results_later", "cause")
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    RESULTS_LATER_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    results_later: int
    cause: SupersededCause
    def __init__(self, call_id: _Optional[str] = ..., results_later: _Optional[int] = ..., cause: _Optional[_Union[SupersededCause, str]] = ...) -> None: ...

class CompactionPolicy(_message.Message):
    __slots__ = ("level", "preview_tokens", "render", "total_tokens", "protect", "cache", "open_failure_tokens")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_TOKENS_FIELD_NUMBER: _ClassVar[int]
    RENDER_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PROTECT_FIELD_NUMBER: _ClassVar[int]
    CACHE_FIELD_NUMBER: _ClassVar[int]
    OPEN_FAILURE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    level: CompactionLevel
    preview_tokens: int
    render: RenderPolicy
    total_tokens: int
    protect: ProtectionPolicy
    cache: CachePolicy
    open_failure_tokens: int
    def __init__(self, level: _Optional[_Union[CompactionLevel, str]] = ..., preview_tokens: _Optional[int] = ..., render: _Optional[_Union[RenderPolicy, _Mapping]] = ..., total_tokens: _Optional[int] = ..., protect: _Optional[_Union[ProtectionPolicy, _Mapping]] = ..., cache: _Optional[_Union[CachePolicy, _Mapping]] = ..., open_failure_tokens: _Optional[int] = ...) -> None: ...

class ProtectionPolicy(_message.Message):
    __slots__ = ("last_turns", "call_ids", "families")
    LAST_TURNS_FIELD_NUMBER: _ClassVar[int]
    CALL_IDS_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    last_turns: int
    call_ids: _containers.RepeatedScalarFieldContainer[str]
    families: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, last_turns: _Optional[int] = ..., call_ids: _Optional[_Iterable[str]] = ..., families: _Optional[_Iterable[str]] = ...) -> None: ...

class CachePolicy(_message.Message):
    __slots__ = ("cached_results", "cache_break", "min_saving_tokens", "write_percent", "read_percent", "expected_requests")
    CACHED_RESULTS_FIELD_NUMBER: _ClassVar[int]
    CACHE_BREAK_FIELD_NUMBER: _ClassVar[int]
    MIN_SAVING_TOKENS_FIELD_NUMBER: _ClassVar[int]
    WRITE_PERCENT_FIELD_NUMBER: _ClassVar[int]
    READ_PERCENT_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_REQUESTS_FIELD_NUMBER: _ClassVar[int]
    cached_results: int
    cache_break: CacheBreak
    min_saving_tokens: int
    write_percent: int
    read_percent: int
    expected_requests: int
    def __init__(self, cached_results: _Optional[int] = ..., cache_break: _Optional[_Union[CacheBreak, str]] = ..., min_saving_tokens: _Optional[int] = ..., write_percent: _Optional[int] = ..., read_percent: _Optional[int] = ..., expected_requests: _Optional[int] = ...) -> None: ...

class Receipt(_message.Message):
    __slots__ = ("text", "tokens", "token_counter", "stuffed_lines", "renderer_version")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNTER_FIELD_NUMBER: _ClassVar[int]
    STUFFED_LINES_FIELD_NUMBER: _ClassVar[int]
    RENDERER_VERSION_FIELD_NUMBER: _ClassVar[int]
    text: str
    tokens: int
    token_counter: str
    stuffed_lines: int
    renderer_version: int
    def __init__(self, text: _Optional[str] = ..., tokens: _Optional[int] = ..., token_counter: _Optional[str] = ..., stuffed_lines: _Optional[int] = ..., renderer_version: _Optional[int] = ...) -> None: ...
