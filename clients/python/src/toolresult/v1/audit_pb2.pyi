from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from toolresult.v1 import command_pb2 as _command_pb2
from toolresult.v1 import envelope_pb2 as _envelope_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from toolresult.v1 import service_pb2 as _service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AuditKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUDIT_KIND_UNSPECIFIED: _ClassVar[AuditKind]
    AUDIT_KIND_PROJECTION: _ClassVar[AuditKind]
    AUDIT_KIND_RENDERING: _ClassVar[AuditKind]
    AUDIT_KIND_COMPACTION: _ClassVar[AuditKind]
    AUDIT_KIND_REJECTION: _ClassVar[AuditKind]
    AUDIT_KIND_RETENTION: _ClassVar[AuditKind]
    AUDIT_KIND_TOOL_CALL: _ClassVar[AuditKind]

class Verdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_UNSPECIFIED: _ClassVar[Verdict]
    VERDICT_SAME: _ClassVar[Verdict]
    VERDICT_DIFFERENT: _ClassVar[Verdict]
    VERDICT_NOT_COMPARABLE: _ClassVar[Verdict]
    VERDICT_NONE: _ClassVar[Verdict]
AUDIT_KIND_UNSPECIFIED: AuditKind
AUDIT_KIND_PROJECTION: AuditKind
AUDIT_KIND_RENDERING: AuditKind
AUDIT_KIND_COMPACTION: AuditKind
AUDIT_KIND_REJECTION: AuditKind
AUDIT_KIND_RETENTION: AuditKind
AUDIT_KIND_TOOL_CALL: AuditKind
VERDICT_UNSPECIFIED: Verdict
VERDICT_SAME: Verdict
VERDICT_DIFFERENT: Verdict
VERDICT_NOT_COMPARABLE: Verdict
VERDICT_NONE: Verdict

class AuditRecord(_message.Message):
    __slots__ = ("log_id", "sequence", "recorded_at", "kind", "method", "correlation_id", "caller", "call", "request_id", "request_digest", "part", "parts", "tool_name", "family", "status", "policy", "policy_digest", "versions", "payloads", "redactions", "unchanged", "budget_tokens", "elapsed", "details", "rejection", "retention", "output", "canonical", "receipt", "compacted", "previous_hash", "hash", "in_order", "summary")
    LOG_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RECORDED_AT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    CORRELATION_ID_FIELD_NUMBER: _ClassVar[int]
    CALLER_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_DIGEST_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    FAMILY_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    POLICY_DIGEST_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    PAYLOADS_FIELD_NUMBER: _ClassVar[int]
    REDACTIONS_FIELD_NUMBER: _ClassVar[int]
    UNCHANGED_FIELD_NUMBER: _ClassVar[int]
    BUDGET_TOKENS_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    REJECTION_FIELD_NUMBER: _ClassVar[int]
    RETENTION_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    COMPACTED_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_HASH_FIELD_NUMBER: _ClassVar[int]
    HASH_FIELD_NUMBER: _ClassVar[int]
    IN_ORDER_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    log_id: str
    sequence: int
    recorded_at: _timestamp_pb2.Timestamp
    kind: AuditKind
    method: str
    correlation_id: str
    caller: AuditCaller
    call: _service_pb2.CallReference
    request_id: str
    request_digest: str
    part: int
    parts: int
    tool_name: str
    family: str
    status: _envelope_pb2.ToolStatus
    policy: _policy_pb2.ProjectionPolicy
    policy_digest: str
    versions: AuditVersions
    payloads: _containers.RepeatedCompositeFieldContainer[AuditPayload]
    redactions: _containers.RepeatedCompositeFieldContainer[_payload_pb2.Redaction]
    unchanged: _command_pb2.OutputUnchanged
    budget_tokens: int
    elapsed: _duration_pb2.Duration
    details: _service_pb2.AuditDetails
    rejection: AuditRejection
    retention: AuditRetention
    output: _envelope_pb2.CompleteToolOutput
    canonical: _envelope_pb2.CanonicalToolResult
    receipt: _policy_pb2.Receipt
    compacted: _containers.RepeatedCompositeFieldContainer[AuditCompacted]
    previous_hash: str
    hash: str
    in_order: _containers.RepeatedScalarFieldContainer[str]
    summary: AuditSummary
    def __init__(self, log_id: _Optional[str] = ..., sequence: _Optional[int] = ..., recorded_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., kind: _Optional[_Union[AuditKind, str]] = ..., method: _Optional[str] = ..., correlation_id: _Optional[str] = ..., caller: _Optional[_Union[AuditCaller, _Mapping]] = ..., call: _Optional[_Union[_service_pb2.CallReference, _Mapping]] = ..., request_id: _Optional[str] = ..., request_digest: _Optional[str] = ..., part: _Optional[int] = ..., parts: _Optional[int] = ..., tool_name: _Optional[str] = ..., family: _Optional[str] = ..., status: _Optional[_Union[_envelope_pb2.ToolStatus, str]] = ..., policy: _Optional[_Union[_policy_pb2.ProjectionPolicy, _Mapping]] = ..., policy_digest: _Optional[str] = ..., versions: _Optional[_Union[AuditVersions, _Mapping]] = ..., payloads: _Optional[_Iterable[_Union[AuditPayload, _Mapping]]] = ..., redactions: _Optional[_Iterable[_Union[_payload_pb2.Redaction, _Mapping]]] = ..., unchanged: _Optional[_Union[_command_pb2.OutputUnchanged, _Mapping]] = ..., budget_tokens: _Optional[int] = ..., elapsed: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ..., details: _Optional[_Union[_service_pb2.AuditDetails, _Mapping]] = ..., rejection: _Optional[_Union[AuditRejection, _Mapping]] = ..., retention: _Optional[_Union[AuditRetention, _Mapping]] = ..., output: _Optional[_Union[_envelope_pb2.CompleteToolOutput, _Mapping]] = ..., canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ..., compacted: _Optional[_Iterable[_Union[AuditCompacted, _Mapping]]] = ..., previous_hash: _Optional[str] = ..., hash: _Optional[str] = ..., in_order: _Optional[_Iterable[str]] = ..., summary: _Optional[_Union[AuditSummary, _Mapping]] = ...) -> None: ...

class AuditSummary(_message.Message):
    __slots__ = ("outcome", "subject", "failed")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    outcome: str
    subject: str
    failed: bool
    def __init__(self, outcome: _Optional[str] = ..., subject: _Optional[str] = ..., failed: bool = ...) -> None: ...

class AuditCaller(_message.Message):
    __slots__ = ("uid", "gid", "pid", "address", "confined_to", "certificate", "pid_started_at")
    UID_FIELD_NUMBER: _ClassVar[int]
    GID_FIELD_NUMBER: _ClassVar[int]
    PID_FIELD_NUMBER: _ClassVar[int]
    ADDRESS_FIELD_NUMBER: _ClassVar[int]
    CONFINED_TO_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    PID_STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    uid: int
    gid: int
    pid: int
    address: str
    confined_to: str
    certificate: str
    pid_started_at: _timestamp_pb2.Timestamp
    def __init__(self, uid: _Optional[int] = ..., gid: _Optional[int] = ..., pid: _Optional[int] = ..., address: _Optional[str] = ..., confined_to: _Optional[str] = ..., certificate: _Optional[str] = ..., pid_started_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AuditVersions(_message.Message):
    __slots__ = ("server", "projector", "renderer", "profile", "profile_digest", "redaction", "token_counter")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    PROJECTOR_FIELD_NUMBER: _ClassVar[int]
    RENDERER_FIELD_NUMBER: _ClassVar[int]
    PROFILE_FIELD_NUMBER: _ClassVar[int]
    PROFILE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    REDACTION_FIELD_NUMBER: _ClassVar[int]
    TOKEN_COUNTER_FIELD_NUMBER: _ClassVar[int]
    server: str
    projector: int
    renderer: int
    profile: str
    profile_digest: str
    redaction: str
    token_counter: str
    def __init__(self, server: _Optional[str] = ..., projector: _Optional[int] = ..., renderer: _Optional[int] = ..., profile: _Optional[str] = ..., profile_digest: _Optional[str] = ..., redaction: _Optional[str] = ..., token_counter: _Optional[str] = ...) -> None: ...

class AuditPayload(_message.Message):
    __slots__ = ("field", "bytes", "digest", "artifact", "redactions", "original_bytes", "original_artifact", "source_key")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    REDACTIONS_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_KEY_FIELD_NUMBER: _ClassVar[int]
    field: str
    bytes: int
    digest: str
    artifact: str
    redactions: _containers.RepeatedCompositeFieldContainer[_payload_pb2.Redaction]
    original_bytes: int
    original_artifact: str
    source_key: str
    def __init__(self, field: _Optional[str] = ..., bytes: _Optional[int] = ..., digest: _Optional[str] = ..., artifact: _Optional[str] = ..., redactions: _Optional[_Iterable[_Union[_payload_pb2.Redaction, _Mapping]]] = ..., original_bytes: _Optional[int] = ..., original_artifact: _Optional[str] = ..., source_key: _Optional[str] = ...) -> None: ...

class AuditRejection(_message.Message):
    __slots__ = ("code", "reason", "field", "unrecorded")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FIELD_FIELD_NUMBER: _ClassVar[int]
    UNRECORDED_FIELD_NUMBER: _ClassVar[int]
    code: str
    reason: str
    field: str
    unrecorded: int
    def __init__(self, code: _Optional[str] = ..., reason: _Optional[str] = ..., field: _Optional[str] = ..., unrecorded: _Optional[int] = ...) -> None: ...

class AuditRetention(_message.Message):
    __slots__ = ("first", "last", "last_hash")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    LAST_HASH_FIELD_NUMBER: _ClassVar[int]
    first: int
    last: int
    last_hash: str
    def __init__(self, first: _Optional[int] = ..., last: _Optional[int] = ..., last_hash: _Optional[str] = ...) -> None: ...

class AuditCompacted(_message.Message):
    __slots__ = ("index", "call_id", "canonical", "receipt")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    index: int
    call_id: str
    canonical: _envelope_pb2.CanonicalToolResult
    receipt: _policy_pb2.Receipt
    def __init__(self, index: _Optional[int] = ..., call_id: _Optional[str] = ..., canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ...) -> None: ...

class GetRecordRequest(_message.Message):
    __slots__ = ("sequence",)
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...

class GetRecordResponse(_message.Message):
    __slots__ = ("record",)
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: AuditRecord
    def __init__(self, record: _Optional[_Union[AuditRecord, _Mapping]] = ...) -> None: ...

class ListRecordsRequest(_message.Message):
    __slots__ = ("session_id", "call_id", "request_id", "tool_name", "kinds", "from_time", "until_time", "artifact", "page_size", "page_token", "summaries")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOOL_NAME_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    FROM_TIME_FIELD_NUMBER: _ClassVar[int]
    UNTIL_TIME_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SUMMARIES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    call_id: str
    request_id: str
    tool_name: str
    kinds: _containers.RepeatedScalarFieldContainer[AuditKind]
    from_time: _timestamp_pb2.Timestamp
    until_time: _timestamp_pb2.Timestamp
    artifact: str
    page_size: int
    page_token: str
    summaries: bool
    def __init__(self, session_id: _Optional[str] = ..., call_id: _Optional[str] = ..., request_id: _Optional[str] = ..., tool_name: _Optional[str] = ..., kinds: _Optional[_Iterable[_Union[AuditKind, str]]] = ..., from_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., until_time: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., artifact: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., summaries: bool = ...) -> None: ...

class ListRecordsResponse(_message.Message):
    __slots__ = ("records", "next_page_token")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[AuditRecord]
    next_page_token: str
    def __init__(self, records: _Optional[_Iterable[_Union[AuditRecord, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class VerifyRecordRequest(_message.Message):
    __slots__ = ("sequence",)
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...

class Finding(_message.Message):
    __slots__ = ("subject", "verdict", "text")
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    subject: str
    verdict: Verdict
    text: str
    def __init__(self, subject: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, str]] = ..., text: _Optional[str] = ...) -> None: ...

class VerifyRecordResponse(_message.Message):
    __slots__ = ("holds", "complete", "findings")
    HOLDS_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    FINDINGS_FIELD_NUMBER: _ClassVar[int]
    holds: bool
    complete: bool
    findings: _containers.RepeatedCompositeFieldContainer[Finding]
    def __init__(self, holds: bool = ..., complete: bool = ..., findings: _Optional[_Iterable[_Union[Finding, _Mapping]]] = ...) -> None: ...

class VerifyLogRequest(_message.Message):
    __slots__ = ("from_sequence", "head_sequence", "head_hash")
    FROM_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    HEAD_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    HEAD_HASH_FIELD_NUMBER: _ClassVar[int]
    from_sequence: int
    head_sequence: int
    head_hash: str
    def __init__(self, from_sequence: _Optional[int] = ..., head_sequence: _Optional[int] = ..., head_hash: _Optional[str] = ...) -> None: ...

class VerifyLogResponse(_message.Message):
    __slots__ = ("inconsistent", "verified")
    INCONSISTENT_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    inconsistent: InconsistentRecord
    verified: VerifiedLog
    def __init__(self, inconsistent: _Optional[_Union[InconsistentRecord, _Mapping]] = ..., verified: _Optional[_Union[VerifiedLog, _Mapping]] = ...) -> None: ...

class InconsistentRecord(_message.Message):
    __slots__ = ("sequence", "reason")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    reason: str
    def __init__(self, sequence: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class VerifiedLog(_message.Message):
    __slots__ = ("log_id", "intact", "inconsistent", "first", "head_sequence", "head_hash", "warnings")
    LOG_ID_FIELD_NUMBER: _ClassVar[int]
    INTACT_FIELD_NUMBER: _ClassVar[int]
    INCONSISTENT_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    HEAD_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    HEAD_HASH_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    log_id: str
    intact: int
    inconsistent: int
    first: int
    head_sequence: int
    head_hash: str
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, log_id: _Optional[str] = ..., intact: _Optional[int] = ..., inconsistent: _Optional[int] = ..., first: _Optional[int] = ..., head_sequence: _Optional[int] = ..., head_hash: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...
