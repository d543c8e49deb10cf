from toolresult.v1 import external_pb2 as _external_pb2
from toolresult.v1 import ledger_pb2 as _ledger_pb2
from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ErrorReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ERROR_REASON_UNSPECIFIED: _ClassVar[ErrorReason]
    ERROR_REASON_ENVELOPE_EXCLUSIVITY: _ClassVar[ErrorReason]
    ERROR_REASON_FIELD_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_FIELD_TOO_LONG: _ClassVar[ErrorReason]
    ERROR_REASON_FIELD_OUT_OF_BOUNDS: _ClassVar[ErrorReason]
    ERROR_REASON_NAME_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_ENUM_UNKNOWN: _ClassVar[ErrorReason]
    ERROR_REASON_JSON_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_JSON_TOO_DEEP: _ClassVar[ErrorReason]
    ERROR_REASON_JSON_DUPLICATE_KEY: _ClassVar[ErrorReason]
    ERROR_REASON_ARTIFACT_INDEX_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_LEDGER_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_TEXT_NOT_SANITISED: _ClassVar[ErrorReason]
    ERROR_REASON_BUDGET_TOO_SMALL: _ClassVar[ErrorReason]
    ERROR_REASON_TOKEN_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_TOKEN_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_AUTHORITY_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_MESSAGE_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_IN_FLIGHT_BYTES: _ClassVar[ErrorReason]
    ERROR_REASON_DISK_FULL: _ClassVar[ErrorReason]
    ERROR_REASON_FD_LIMIT: _ClassVar[ErrorReason]
    ERROR_REASON_ARTIFACT_TOO_LARGE: _ClassVar[ErrorReason]
    ERROR_REASON_STORE_READ_ONLY: _ClassVar[ErrorReason]
    ERROR_REASON_DRAINING: _ClassVar[ErrorReason]
    ERROR_REASON_PANIC: _ClassVar[ErrorReason]
    ERROR_REASON_STORE_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_CLIENT_CANCELLED: _ClassVar[ErrorReason]
    ERROR_REASON_DEADLINE: _ClassVar[ErrorReason]
    ERROR_REASON_FAMILY_UNKNOWN: _ClassVar[ErrorReason]
    ERROR_REASON_MESSAGE_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_STREAM_ORDER: _ClassVar[ErrorReason]
    ERROR_REASON_PATTERN_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_PAGE_TOKEN_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_ARTIFACT_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_PATH_OUTSIDE_STORE: _ClassVar[ErrorReason]
    ERROR_REASON_ARTIFACT_CORRUPT: _ClassVar[ErrorReason]
    ERROR_REASON_RANGE_NOT_SATISFIABLE: _ClassVar[ErrorReason]
    ERROR_REASON_FILE_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_FILE_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_FILE_CHANGED: _ClassVar[ErrorReason]
    ERROR_REASON_ARTIFACT_EXPIRED: _ClassVar[ErrorReason]
    ERROR_REASON_ARTIFACT_MISSING: _ClassVar[ErrorReason]
    ERROR_REASON_QUOTA_SESSION: _ClassVar[ErrorReason]
    ERROR_REASON_QUOTA_STORE: _ClassVar[ErrorReason]
    ERROR_REASON_GC_RACE: _ClassVar[ErrorReason]
    ERROR_REASON_POINTER_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_CHUNK_ORDER: _ClassVar[ErrorReason]
    ERROR_REASON_SIZE_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_STREAM_IDLE: _ClassVar[ErrorReason]
    ERROR_REASON_LOG_OFFSET_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_LOG_BUSY: _ClassVar[ErrorReason]
    ERROR_REASON_LOG_FINISHED: _ClassVar[ErrorReason]
    ERROR_REASON_OBJECT_STORE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_REQUEST_ID_REUSED: _ClassVar[ErrorReason]
    ERROR_REASON_RECORD_NOT_FOUND: _ClassVar[ErrorReason]
    ERROR_REASON_AUDIT_CHAIN_BROKEN: _ClassVar[ErrorReason]
    ERROR_REASON_AUDIT_LOG_FAILED: _ClassVar[ErrorReason]
    ERROR_REASON_AUDIT_DISABLED: _ClassVar[ErrorReason]
    ERROR_REASON_SECRETS_UNKNOWN: _ClassVar[ErrorReason]
    ERROR_REASON_SECRET_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_SESSION_MISMATCH: _ClassVar[ErrorReason]
    ERROR_REASON_RAW_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_PEER_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_METHOD_NOT_ALLOWED: _ClassVar[ErrorReason]
    ERROR_REASON_TOKEN_BACKOFF: _ClassVar[ErrorReason]
    ERROR_REASON_AUDIT_LOG_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_INTERNAL: _ClassVar[ErrorReason]
    ERROR_REASON_RECEIPT_INVALID: _ClassVar[ErrorReason]
    ERROR_REASON_METHOD_UNKNOWN: _ClassVar[ErrorReason]
    ERROR_REASON_SERVICE_UNKNOWN: _ClassVar[ErrorReason]
    ERROR_REASON_STORE_UNAVAILABLE: _ClassVar[ErrorReason]
    ERROR_REASON_TOOL_UNKNOWN: _ClassVar[ErrorReason]
    ERROR_REASON_TOKEN_EXPIRED: _ClassVar[ErrorReason]
    ERROR_REASON_TOKEN_UNKNOWN: _ClassVar[ErrorReason]
ERROR_REASON_UNSPECIFIED: ErrorReason
ERROR_REASON_ENVELOPE_EXCLUSIVITY: ErrorReason
ERROR_REASON_FIELD_MISSING: ErrorReason
ERROR_REASON_FIELD_TOO_LONG: ErrorReason
ERROR_REASON_FIELD_OUT_OF_BOUNDS: ErrorReason
ERROR_REASON_NAME_INVALID: ErrorReason
ERROR_REASON_ENUM_UNKNOWN: ErrorReason
ERROR_REASON_JSON_INVALID: ErrorReason
ERROR_REASON_JSON_TOO_DEEP: ErrorReason
ERROR_REASON_JSON_DUPLICATE_KEY: ErrorReason
ERROR_REASON_ARTIFACT_INDEX_INVALID: ErrorReason
ERROR_REASON_LEDGER_INVALID: ErrorReason
ERROR_REASON_TEXT_NOT_SANITISED: ErrorReason
ERROR_REASON_BUDGET_TOO_SMALL: ErrorReason
ERROR_REASON_TOKEN_MISSING: ErrorReason
ERROR_REASON_TOKEN_INVALID: ErrorReason
ERROR_REASON_AUTHORITY_NOT_ALLOWED: ErrorReason
ERROR_REASON_MESSAGE_TOO_LARGE: ErrorReason
ERROR_REASON_IN_FLIGHT_BYTES: ErrorReason
ERROR_REASON_DISK_FULL: ErrorReason
ERROR_REASON_FD_LIMIT: ErrorReason
ERROR_REASON_ARTIFACT_TOO_LARGE: ErrorReason
ERROR_REASON_STORE_READ_ONLY: ErrorReason
ERROR_REASON_DRAINING: ErrorReason
ERROR_REASON_PANIC: ErrorReason
ERROR_REASON_STORE_FAILED: ErrorReason
ERROR_REASON_CLIENT_CANCELLED: ErrorReason
ERROR_REASON_DEADLINE: ErrorReason
ERROR_REASON_FAMILY_UNKNOWN: ErrorReason
ERROR_REASON_MESSAGE_INVALID: ErrorReason
ERROR_REASON_STREAM_ORDER: ErrorReason
ERROR_REASON_PATTERN_INVALID: ErrorReason
ERROR_REASON_PAGE_TOKEN_INVALID: ErrorReason
ERROR_REASON_ARTIFACT_NOT_FOUND: ErrorReason
ERROR_REASON_PATH_OUTSIDE_STORE: ErrorReason
ERROR_REASON_ARTIFACT_CORRUPT: ErrorReason
ERROR_REASON_RANGE_NOT_SATISFIABLE: ErrorReason
ERROR_REASON_FILE_NOT_ALLOWED: ErrorReason
ERROR_REASON_FILE_NOT_FOUND: ErrorReason
ERROR_REASON_FILE_CHANGED: ErrorReason
ERROR_REASON_ARTIFACT_EXPIRED: ErrorReason
ERROR_REASON_ARTIFACT_MISSING: ErrorReason
ERROR_REASON_QUOTA_SESSION: ErrorReason
ERROR_REASON_QUOTA_STORE: ErrorReason
ERROR_REASON_GC_RACE: ErrorReason
ERROR_REASON_POINTER_INVALID: ErrorReason
ERROR_REASON_CHUNK_ORDER: ErrorReason
ERROR_REASON_SIZE_MISMATCH: ErrorReason
ERROR_REASON_STREAM_IDLE: ErrorReason
ERROR_REASON_LOG_OFFSET_MISMATCH: ErrorReason
ERROR_REASON_LOG_BUSY: ErrorReason
ERROR_REASON_LOG_FINISHED: ErrorReason
ERROR_REASON_OBJECT_STORE_UNAVAILABLE: ErrorReason
ERROR_REASON_REQUEST_ID_REUSED: ErrorReason
ERROR_REASON_RECORD_NOT_FOUND: ErrorReason
ERROR_REASON_AUDIT_CHAIN_BROKEN: ErrorReason
ERROR_REASON_AUDIT_LOG_FAILED: ErrorReason
ERROR_REASON_AUDIT_DISABLED: ErrorReason
ERROR_REASON_SECRETS_UNKNOWN: ErrorReason
ERROR_REASON_SECRET_INVALID: ErrorReason
ERROR_REASON_SESSION_MISMATCH: ErrorReason
ERROR_REASON_RAW_NOT_ALLOWED: ErrorReason
ERROR_REASON_PEER_NOT_ALLOWED: ErrorReason
ERROR_REASON_METHOD_NOT_ALLOWED: ErrorReason
ERROR_REASON_TOKEN_BACKOFF: ErrorReason
ERROR_REASON_AUDIT_LOG_UNAVAILABLE: ErrorReason
ERROR_REASON_INTERNAL: ErrorReason
ERROR_REASON_RECEIPT_INVALID: ErrorReason
ERROR_REASON_METHOD_UNKNOWN: ErrorReason
ERROR_REASON_SERVICE_UNKNOWN: ErrorReason
ERROR_REASON_STORE_UNAVAILABLE: ErrorReason
ERROR_REASON_TOOL_UNKNOWN: ErrorReason
ERROR_REASON_TOKEN_EXPIRED: ErrorReason
ERROR_REASON_TOKEN_UNKNOWN: ErrorReason

class CompleteToolError(_message.Message):
    __slots__ = ("kind", "message", "details", "recovery_hint", "retryable")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    RECOVERY_HINT_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    kind: str
    message: _payload_pb2.Payload
    details: _payload_pb2.Payload
    recovery_hint: str
    retryable: bool
    def __init__(self, kind: _Optional[str] = ..., message: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., details: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., recovery_hint: _Optional[str] = ..., retryable: bool = ...) -> None: ...

class ToolError(_message.Message):
    __slots__ = ("kind", "message", "details_json", "recovery_hint", "retryable", "details_omitted", "compaction_level", "given_kind", "message_preview", "message_truncated", "message_artifact", "message_cuts", "message_source", "artifacts", "details_defect")
    KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_JSON_FIELD_NUMBER: _ClassVar[int]
    RECOVERY_HINT_FIELD_NUMBER: _ClassVar[int]
    RETRYABLE_FIELD_NUMBER: _ClassVar[int]
    DETAILS_OMITTED_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    GIVEN_KIND_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_CUTS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    DETAILS_DEFECT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    message: str
    details_json: str
    recovery_hint: str
    retryable: bool
    details_omitted: DetailsOmitted
    compaction_level: _policy_pb2.CompactionLevel
    given_kind: str
    message_preview: str
    message_truncated: bool
    message_artifact: int
    message_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    message_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    details_defect: _external_pb2.JsonDefect
    def __init__(self, kind: _Optional[str] = ..., message: _Optional[str] = ..., details_json: _Optional[str] = ..., recovery_hint: _Optional[str] = ..., retryable: bool = ..., details_omitted: _Optional[_Union[DetailsOmitted, _Mapping]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., given_kind: _Optional[str] = ..., message_preview: _Optional[str] = ..., message_truncated: bool = ..., message_artifact: _Optional[int] = ..., message_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., message_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., details_defect: _Optional[_Union[_external_pb2.JsonDefect, str]] = ...) -> None: ...

class DetailsOmitted(_message.Message):
    __slots__ = ("bytes", "digest", "artifact")
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    digest: str
    artifact: _payload_pb2.ArtifactReference
    def __init__(self, bytes: _Optional[int] = ..., digest: _Optional[str] = ..., artifact: _Optional[_Union[_payload_pb2.ArtifactReference, _Mapping]] = ...) -> None: ...
