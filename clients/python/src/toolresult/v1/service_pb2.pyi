from google.protobuf import any_pb2 as _any_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from toolresult.v1 import envelope_pb2 as _envelope_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AbortPolicy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ABORT_POLICY_UNSPECIFIED: _ClassVar[AbortPolicy]
    ABORT_POLICY_KEEP: _ClassVar[AbortPolicy]

class StoreDurability(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STORE_DURABILITY_UNSPECIFIED: _ClassVar[StoreDurability]
    STORE_DURABILITY_DURABLE: _ClassVar[StoreDurability]
    STORE_DURABILITY_VOLATILE: _ClassVar[StoreDurability]

class ResultHold(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESULT_HOLD_UNSPECIFIED: _ClassVar[ResultHold]
    RESULT_HOLD_PROTECTED: _ClassVar[ResultHold]
    RESULT_HOLD_CACHED: _ClassVar[ResultHold]
    RESULT_HOLD_UNKNOWN: _ClassVar[ResultHold]
ABORT_POLICY_UNSPECIFIED: AbortPolicy
ABORT_POLICY_KEEP: AbortPolicy
STORE_DURABILITY_UNSPECIFIED: StoreDurability
STORE_DURABILITY_DURABLE: StoreDurability
STORE_DURABILITY_VOLATILE: StoreDurability
RESULT_HOLD_UNSPECIFIED: ResultHold
RESULT_HOLD_PROTECTED: ResultHold
RESULT_HOLD_CACHED: ResultHold
RESULT_HOLD_UNKNOWN: ResultHold

class ProjectRequest(_message.Message):
    __slots__ = ("output", "policy", "call", "request_id", "audit", "canonical_form")
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AUDIT_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FORM_FIELD_NUMBER: _ClassVar[int]
    output: _envelope_pb2.CompleteToolOutput
    policy: _policy_pb2.ProjectionPolicy
    call: CallReference
    request_id: str
    audit: AuditDetails
    canonical_form: _policy_pb2.CanonicalForm
    def __init__(self, output: _Optional[_Union[_envelope_pb2.CompleteToolOutput, _Mapping]] = ..., policy: _Optional[_Union[_policy_pb2.ProjectionPolicy, _Mapping]] = ..., call: _Optional[_Union[CallReference, _Mapping]] = ..., request_id: _Optional[str] = ..., audit: _Optional[_Union[AuditDetails, _Mapping]] = ..., canonical_form: _Optional[_Union[_policy_pb2.CanonicalForm, str]] = ...) -> None: ...

class AuditDetails(_message.Message):
    __slots__ = ("tool_input", "tool_duration", "trust", "runtime")
    class TrustEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TOOL_INPUT_FIELD_NUMBER: _ClassVar[int]
    TOOL_DURATION_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    tool_input: str
    tool_duration: _duration_pb2.Duration
    trust: _containers.ScalarMap[str, str]
    runtime: bytes
    def __init__(self, tool_input: _Optional[str] = ..., tool_duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., trust: _Optional[_Mapping[str, str]] = ..., runtime: _Optional[bytes] = ...) -> None: ...

class CallReference(_message.Message):
    __slots__ = ("session_id", "call_id", "agent_id", "generation")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    GENERATION_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    call_id: str
    agent_id: str
    generation: int
    def __init__(self, session_id: _Optional[str] = ..., call_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., generation: _Optional[int] = ...) -> None: ...

class ProjectStreamRequest(_message.Message):
    __slots__ = ("header", "chunk", "snapshot", "finish")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    FINISH_FIELD_NUMBER: _ClassVar[int]
    header: StreamHeader
    chunk: StreamChunk
    snapshot: StreamSnapshot
    finish: StreamFinish
    def __init__(self, header: _Optional[_Union[StreamHeader, _Mapping]] = ..., chunk: _Optional[_Union[StreamChunk, _Mapping]] = ..., snapshot: _Optional[_Union[StreamSnapshot, _Mapping]] = ..., finish: _Optional[_Union[StreamFinish, _Mapping]] = ...) -> None: ...

class StreamHeader(_message.Message):
    __slots__ = ("family", "policy", "streams", "call", "keep_order", "on_abort", "command_line", "request_id", "audit", "canonical_form", "tool_name")
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    STREAMS_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    KEEP_ORDER_FIELD_NUMBER: _ClassVar[int]
    ON_ABORT_FIELD_NUMBER: _ClassVar[int]
    COMMAND_LINE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    AUDIT_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FORM_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    family: str
    policy: _policy_pb2.ProjectionPolicy
    streams: _containers.RepeatedScalarFieldContainer[str]
    call: CallReference
    keep_order: bool
    on_abort: AbortPolicy
    command_line: str
    request_id: str
    audit: AuditDetails
    canonical_form: _policy_pb2.CanonicalForm
    tool_name: str
    def __init__(self, family: _Optional[str] = ..., policy: _Optional[_Union[_policy_pb2.ProjectionPolicy, _Mapping]] = ..., streams: _Optional[_Iterable[str]] = ..., call: _Optional[_Union[CallReference, _Mapping]] = ..., keep_order: bool = ..., on_abort: _Optional[_Union[AbortPolicy, str]] = ..., command_line: _Optional[str] = ..., request_id: _Optional[str] = ..., audit: _Optional[_Union[AuditDetails, _Mapping]] = ..., canonical_form: _Optional[_Union[_policy_pb2.CanonicalForm, str]] = ..., tool_name: _Optional[str] = ...) -> None: ...

class StreamChunk(_message.Message):
    __slots__ = ("stream", "data", "offset")
    STREAM_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    stream: str
    data: bytes
    offset: int
    def __init__(self, stream: _Optional[str] = ..., data: _Optional[bytes] = ..., offset: _Optional[int] = ...) -> None: ...

class StreamSnapshot(_message.Message):
    __slots__ = ("output",)
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    output: _envelope_pb2.CompleteToolOutput
    def __init__(self, output: _Optional[_Union[_envelope_pb2.CompleteToolOutput, _Mapping]] = ...) -> None: ...

class StreamFinish(_message.Message):
    __slots__ = ("output", "stream_bytes")
    class StreamBytesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    STREAM_BYTES_FIELD_NUMBER: _ClassVar[int]
    output: _envelope_pb2.CompleteToolOutput
    stream_bytes: _containers.ScalarMap[str, int]
    def __init__(self, output: _Optional[_Union[_envelope_pb2.CompleteToolOutput, _Mapping]] = ..., stream_bytes: _Optional[_Mapping[str, int]] = ...) -> None: ...

class ProjectStreamResponse(_message.Message):
    __slots__ = ("snapshot", "result")
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    snapshot: ProjectResponse
    result: ProjectResponse
    def __init__(self, snapshot: _Optional[_Union[ProjectResponse, _Mapping]] = ..., result: _Optional[_Union[ProjectResponse, _Mapping]] = ...) -> None: ...

class ProjectResponse(_message.Message):
    __slots__ = ("canonical", "receipt", "durability", "redactions", "canonical_json", "family")
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    REDACTIONS_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_JSON_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    canonical: _envelope_pb2.CanonicalToolResult
    receipt: _policy_pb2.Receipt
    durability: StoreDurability
    redactions: _containers.RepeatedCompositeFieldContainer[_payload_pb2.Redaction]
    canonical_json: str
    family: str
    def __init__(self, canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ..., durability: _Optional[_Union[StoreDurability, str]] = ..., redactions: _Optional[_Iterable[_Union[_payload_pb2.Redaction, _Mapping]]] = ..., canonical_json: _Optional[str] = ..., family: _Optional[str] = ...) -> None: ...

class ProjectSessionRequest(_message.Message):
    __slots__ = ("number", "project", "cancel")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    PROJECT_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    number: int
    project: ProjectRequest
    cancel: CancelCall
    def __init__(self, number: _Optional[int] = ..., project: _Optional[_Union[ProjectRequest, _Mapping]] = ..., cancel: _Optional[_Union[CancelCall, _Mapping]] = ...) -> None: ...

class CancelCall(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ProjectSessionResponse(_message.Message):
    __slots__ = ("number", "result", "status", "audit_head")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    AUDIT_HEAD_FIELD_NUMBER: _ClassVar[int]
    number: int
    result: ProjectResponse
    status: CallStatus
    audit_head: str
    def __init__(self, number: _Optional[int] = ..., result: _Optional[_Union[ProjectResponse, _Mapping]] = ..., status: _Optional[_Union[CallStatus, _Mapping]] = ..., audit_head: _Optional[str] = ...) -> None: ...

class CallStatus(_message.Message):
    __slots__ = ("code", "message", "details")
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    code: int
    message: str
    details: _containers.RepeatedCompositeFieldContainer[_any_pb2.Any]
    def __init__(self, code: _Optional[int] = ..., message: _Optional[str] = ..., details: _Optional[_Iterable[_Union[_any_pb2.Any, _Mapping]]] = ...) -> None: ...

class RenderRequest(_message.Message):
    __slots__ = ("canonical", "canonical_json", "policy", "family", "call")
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_JSON_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    canonical: _envelope_pb2.CanonicalToolResult
    canonical_json: str
    policy: _policy_pb2.RenderPolicy
    family: str
    call: CallReference
    def __init__(self, canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., canonical_json: _Optional[str] = ..., policy: _Optional[_Union[_policy_pb2.RenderPolicy, _Mapping]] = ..., family: _Optional[str] = ..., call: _Optional[_Union[CallReference, _Mapping]] = ...) -> None: ...

class RenderResponse(_message.Message):
    __slots__ = ("receipt",)
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    receipt: _policy_pb2.Receipt
    def __init__(self, receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ...) -> None: ...

class ProjectTurnRequest(_message.Message):
    __slots__ = ("outputs", "total_tokens", "failure_tokens", "request_id")
    OUTPUTS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    FAILURE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    outputs: _containers.RepeatedCompositeFieldContainer[ProjectRequest]
    total_tokens: int
    failure_tokens: int
    request_id: str
    def __init__(self, outputs: _Optional[_Iterable[_Union[ProjectRequest, _Mapping]]] = ..., total_tokens: _Optional[int] = ..., failure_tokens: _Optional[int] = ..., request_id: _Optional[str] = ...) -> None: ...

class ProjectTurnResponse(_message.Message):
    __slots__ = ("results", "tokens", "budgets")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    BUDGETS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ProjectResponse]
    tokens: int
    budgets: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, results: _Optional[_Iterable[_Union[ProjectResponse, _Mapping]]] = ..., tokens: _Optional[int] = ..., budgets: _Optional[_Iterable[int]] = ...) -> None: ...

class ParseReceiptRequest(_message.Message):
    __slots__ = ("text", "family")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    text: str
    family: str
    def __init__(self, text: _Optional[str] = ..., family: _Optional[str] = ...) -> None: ...

class ParseReceiptResponse(_message.Message):
    __slots__ = ("outcome", "facts", "sections", "brief")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    SECTIONS_FIELD_NUMBER: _ClassVar[int]
    BRIEF_FIELD_NUMBER: _ClassVar[int]
    outcome: str
    facts: _containers.RepeatedCompositeFieldContainer[ReceiptFact]
    sections: _containers.RepeatedCompositeFieldContainer[ReceiptSection]
    brief: bool
    def __init__(self, outcome: _Optional[str] = ..., facts: _Optional[_Iterable[_Union[ReceiptFact, _Mapping]]] = ..., sections: _Optional[_Iterable[_Union[ReceiptSection, _Mapping]]] = ..., brief: bool = ...) -> None: ...

class ReceiptFact(_message.Message):
    __slots__ = ("label", "value")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    label: str
    value: str
    def __init__(self, label: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class ReceiptSection(_message.Message):
    __slots__ = ("label", "extent", "body")
    LABEL_FIELD_NUMBER: _ClassVar[int]
    EXTENT_FIELD_NUMBER: _ClassVar[int]
    BODY_FIELD_NUMBER: _ClassVar[int]
    label: str
    extent: ReceiptExtent
    body: _containers.RepeatedCompositeFieldContainer[ReceiptPiece]
    def __init__(self, label: _Optional[str] = ..., extent: _Optional[_Union[ReceiptExtent, _Mapping]] = ..., body: _Optional[_Iterable[_Union[ReceiptPiece, _Mapping]]] = ...) -> None: ...

class ReceiptExtent(_message.Message):
    __slots__ = ("lines", "bytes", "entries", "shown", "notes", "handle", "indented_lines", "table_lines", "report_lines")
    LINES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    SHOWN_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    INDENTED_LINES_FIELD_NUMBER: _ClassVar[int]
    TABLE_LINES_FIELD_NUMBER: _ClassVar[int]
    REPORT_LINES_FIELD_NUMBER: _ClassVar[int]
    lines: int
    bytes: int
    entries: int
    shown: int
    notes: _containers.RepeatedScalarFieldContainer[str]
    handle: str
    indented_lines: int
    table_lines: int
    report_lines: int
    def __init__(self, lines: _Optional[int] = ..., bytes: _Optional[int] = ..., entries: _Optional[int] = ..., shown: _Optional[int] = ..., notes: _Optional[_Iterable[str]] = ..., handle: _Optional[str] = ..., indented_lines: _Optional[int] = ..., table_lines: _Optional[int] = ..., report_lines: _Optional[int] = ...) -> None: ...

class ReceiptPiece(_message.Message):
    __slots__ = ("text", "mark", "first_line")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    MARK_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    text: str
    mark: ReceiptMark
    first_line: int
    def __init__(self, text: _Optional[str] = ..., mark: _Optional[_Union[ReceiptMark, _Mapping]] = ..., first_line: _Optional[int] = ...) -> None: ...

class ReceiptMark(_message.Message):
    __slots__ = ("first_line", "last_line", "inside", "bytes", "values", "total_values", "like_line")
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    LAST_LINE_FIELD_NUMBER: _ClassVar[int]
    INSIDE_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_VALUES_FIELD_NUMBER: _ClassVar[int]
    LIKE_LINE_FIELD_NUMBER: _ClassVar[int]
    first_line: int
    last_line: int
    inside: bool
    bytes: int
    values: int
    total_values: int
    like_line: int
    def __init__(self, first_line: _Optional[int] = ..., last_line: _Optional[int] = ..., inside: bool = ..., bytes: _Optional[int] = ..., values: _Optional[int] = ..., total_values: _Optional[int] = ..., like_line: _Optional[int] = ...) -> None: ...

class CompactRequest(_message.Message):
    __slots__ = ("entries", "policy", "session_id", "dry_run", "canonical_form")
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FORM_FIELD_NUMBER: _ClassVar[int]
    entries: _containers.RepeatedCompositeFieldContainer[CompactEntry]
    policy: _policy_pb2.CompactionPolicy
    session_id: str
    dry_run: bool
    canonical_form: _policy_pb2.CanonicalForm
    def __init__(self, entries: _Optional[_Iterable[_Union[CompactEntry, _Mapping]]] = ..., policy: _Optional[_Union[_policy_pb2.CompactionPolicy, _Mapping]] = ..., session_id: _Optional[str] = ..., dry_run: bool = ..., canonical_form: _Optional[_Union[_policy_pb2.CanonicalForm, str]] = ...) -> None: ...

class CompactEntry(_message.Message):
    __slots__ = ("canonical", "canonical_json", "family", "call_id", "turn", "subject", "preceding_tokens")
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_JSON_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    PRECEDING_TOKENS_FIELD_NUMBER: _ClassVar[int]
    canonical: _envelope_pb2.CanonicalToolResult
    canonical_json: str
    family: str
    call_id: str
    turn: int
    subject: str
    preceding_tokens: int
    def __init__(self, canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., canonical_json: _Optional[str] = ..., family: _Optional[str] = ..., call_id: _Optional[str] = ..., turn: _Optional[int] = ..., subject: _Optional[str] = ..., preceding_tokens: _Optional[int] = ...) -> None: ...

class CompactedResult(_message.Message):
    __slots__ = ("index", "canonical", "canonical_json", "receipt")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_JSON_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    index: int
    canonical: _envelope_pb2.CanonicalToolResult
    canonical_json: str
    receipt: _policy_pb2.Receipt
    def __init__(self, index: _Optional[int] = ..., canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., canonical_json: _Optional[str] = ..., receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ...) -> None: ...

class CompactResponse(_message.Message):
    __slots__ = ("results", "first_changed", "plan", "overview")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    FIRST_CHANGED_FIELD_NUMBER: _ClassVar[int]
    PLAN_FIELD_NUMBER: _ClassVar[int]
    OVERVIEW_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[CompactedResult]
    first_changed: int
    plan: CompactionPlan
    overview: _policy_pb2.Receipt
    def __init__(self, results: _Optional[_Iterable[_Union[CompactedResult, _Mapping]]] = ..., first_changed: _Optional[int] = ..., plan: _Optional[_Union[CompactionPlan, _Mapping]] = ..., overview: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ...) -> None: ...

class CompactStreamRequest(_message.Message):
    __slots__ = ("header", "entry")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    header: CompactHeader
    entry: CompactEntry
    def __init__(self, header: _Optional[_Union[CompactHeader, _Mapping]] = ..., entry: _Optional[_Union[CompactEntry, _Mapping]] = ...) -> None: ...

class CompactHeader(_message.Message):
    __slots__ = ("policy", "session_id", "dry_run", "canonical_form")
    POLICY_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FORM_FIELD_NUMBER: _ClassVar[int]
    policy: _policy_pb2.CompactionPolicy
    session_id: str
    dry_run: bool
    canonical_form: _policy_pb2.CanonicalForm
    def __init__(self, policy: _Optional[_Union[_policy_pb2.CompactionPolicy, _Mapping]] = ..., session_id: _Optional[str] = ..., dry_run: bool = ..., canonical_form: _Optional[_Union[_policy_pb2.CanonicalForm, str]] = ...) -> None: ...

class CompactStreamResponse(_message.Message):
    __slots__ = ("planned", "result", "summary")
    PLANNED_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    planned: PlannedResult
    result: CompactedResult
    summary: CompactResponse
    def __init__(self, planned: _Optional[_Union[PlannedResult, _Mapping]] = ..., result: _Optional[_Union[CompactedResult, _Mapping]] = ..., summary: _Optional[_Union[CompactResponse, _Mapping]] = ...) -> None: ...

class CompactionPlan(_message.Message):
    __slots__ = ("results", "first_changed", "tokens_before", "tokens_after", "cached_tokens_invalidated", "budget_met", "shortfall_tokens", "unknown_results", "unknown_tokens")
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    FIRST_CHANGED_FIELD_NUMBER: _ClassVar[int]
    TOKENS_BEFORE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_AFTER_FIELD_NUMBER: _ClassVar[int]
    CACHED_TOKENS_INVALIDATED_FIELD_NUMBER: _ClassVar[int]
    BUDGET_MET_FIELD_NUMBER: _ClassVar[int]
    SHORTFALL_TOKENS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_RESULTS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_TOKENS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[PlannedResult]
    first_changed: int
    tokens_before: int
    tokens_after: int
    cached_tokens_invalidated: int
    budget_met: bool
    shortfall_tokens: int
    unknown_results: int
    unknown_tokens: int
    def __init__(self, results: _Optional[_Iterable[_Union[PlannedResult, _Mapping]]] = ..., first_changed: _Optional[int] = ..., tokens_before: _Optional[int] = ..., tokens_after: _Optional[int] = ..., cached_tokens_invalidated: _Optional[int] = ..., budget_met: bool = ..., shortfall_tokens: _Optional[int] = ..., unknown_results: _Optional[int] = ..., unknown_tokens: _Optional[int] = ...) -> None: ...

class PlannedResult(_message.Message):
    __slots__ = ("level", "tokens_before", "tokens_after", "changed", "hold", "open_failure", "superseded_by", "subject", "unknown_why")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    TOKENS_BEFORE_FIELD_NUMBER: _ClassVar[int]
    TOKENS_AFTER_FIELD_NUMBER: _ClassVar[int]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    OPEN_FAILURE_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_BY_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_WHY_FIELD_NUMBER: _ClassVar[int]
    level: _policy_pb2.CompactionLevel
    tokens_before: int
    tokens_after: int
    changed: bool
    hold: ResultHold
    open_failure: bool
    superseded_by: int
    subject: str
    unknown_why: str
    def __init__(self, level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., tokens_before: _Optional[int] = ..., tokens_after: _Optional[int] = ..., changed: bool = ..., hold: _Optional[_Union[ResultHold, str]] = ..., open_failure: bool = ..., superseded_by: _Optional[int] = ..., subject: _Optional[str] = ..., unknown_why: _Optional[str] = ...) -> None: ...

class GetServerInfoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetServerInfoResponse(_message.Message):
    __slots__ = ("version", "commit", "go_version", "families", "renderer_version", "token_counters", "durability", "limits", "store")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    GO_VERSION_FIELD_NUMBER: _ClassVar[int]
    FAMILIES_FIELD_NUMBER: _ClassVar[int]
    RENDERER_VERSION_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNTERS_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    STORE_FIELD_NUMBER: _ClassVar[int]
    version: str
    commit: str
    go_version: str
    families: _containers.RepeatedScalarFieldContainer[str]
    renderer_version: int
    token_counters: _containers.RepeatedScalarFieldContainer[str]
    durability: StoreDurability
    limits: Limits
    store: StoreStatus
    def __init__(self, version: _Optional[str] = ..., commit: _Optional[str] = ..., go_version: _Optional[str] = ..., families: _Optional[_Iterable[str]] = ..., renderer_version: _Optional[int] = ..., token_counters: _Optional[_Iterable[str]] = ..., durability: _Optional[_Union[StoreDurability, str]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., store: _Optional[_Union[StoreStatus, _Mapping]] = ...) -> None: ...

class StoreStatus(_message.Message):
    __slots__ = ("artifacts", "bytes", "quota_bytes", "session_quota_bytes", "object_store")
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    QUOTA_BYTES_FIELD_NUMBER: _ClassVar[int]
    SESSION_QUOTA_BYTES_FIELD_NUMBER: _ClassVar[int]
    OBJECT_STORE_FIELD_NUMBER: _ClassVar[int]
    artifacts: int
    bytes: int
    quota_bytes: int
    session_quota_bytes: int
    object_store: ObjectStoreStatus
    def __init__(self, artifacts: _Optional[int] = ..., bytes: _Optional[int] = ..., quota_bytes: _Optional[int] = ..., session_quota_bytes: _Optional[int] = ..., object_store: _Optional[_Union[ObjectStoreStatus, _Mapping]] = ...) -> None: ...

class ObjectStoreStatus(_message.Message):
    __slots__ = ("url", "pending_artifacts", "pending_bytes", "last_error")
    URL_FIELD_NUMBER: _ClassVar[int]
    PENDING_ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    PENDING_BYTES_FIELD_NUMBER: _ClassVar[int]
    LAST_ERROR_FIELD_NUMBER: _ClassVar[int]
    url: str
    pending_artifacts: int
    pending_bytes: int
    last_error: str
    def __init__(self, url: _Optional[str] = ..., pending_artifacts: _Optional[int] = ..., pending_bytes: _Optional[int] = ..., last_error: _Optional[str] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("max_message_bytes", "max_in_flight_bytes", "max_concurrent_streams", "max_connections", "default_deadline", "stream_idle")
    MAX_MESSAGE_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_IN_FLIGHT_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_CONCURRENT_STREAMS_FIELD_NUMBER: _ClassVar[int]
    MAX_CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_DEADLINE_FIELD_NUMBER: _ClassVar[int]
    STREAM_IDLE_FIELD_NUMBER: _ClassVar[int]
    max_message_bytes: int
    max_in_flight_bytes: int
    max_concurrent_streams: int
    max_connections: int
    default_deadline: _duration_pb2.Duration
    stream_idle: _duration_pb2.Duration
    def __init__(self, max_message_bytes: _Optional[int] = ..., max_in_flight_bytes: _Optional[int] = ..., max_concurrent_streams: _Optional[int] = ..., max_connections: _Optional[int] = ..., default_deadline: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., stream_idle: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...
