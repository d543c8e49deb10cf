from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from toolresult.v1 import service_pb2 as _service_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ArtifactState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ARTIFACT_STATE_UNSPECIFIED: _ClassVar[ArtifactState]
    ARTIFACT_STATE_STORED: _ClassVar[ArtifactState]
    ARTIFACT_STATE_LIVE: _ClassVar[ArtifactState]
    ARTIFACT_STATE_EXPIRED: _ClassVar[ArtifactState]
ARTIFACT_STATE_UNSPECIFIED: ArtifactState
ARTIFACT_STATE_STORED: ArtifactState
ARTIFACT_STATE_LIVE: ArtifactState
ARTIFACT_STATE_EXPIRED: ArtifactState

class ListArtifactsRequest(_message.Message):
    __slots__ = ("session_id", "call_id", "page_size", "page_token")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    call_id: str
    page_size: int
    page_token: str
    def __init__(self, session_id: _Optional[str] = ..., call_id: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListArtifactsResponse(_message.Message):
    __slots__ = ("artifacts", "next_page_token", "leased_until")
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    LEASED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    artifacts: _containers.RepeatedCompositeFieldContainer[ArtifactEntry]
    next_page_token: str
    leased_until: _timestamp_pb2.Timestamp
    def __init__(self, artifacts: _Optional[_Iterable[_Union[ArtifactEntry, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., leased_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ArtifactEntry(_message.Message):
    __slots__ = ("path", "bytes", "digest", "call_id", "stored_at", "partial", "state", "deleted_at", "deletion_reason")
    PATH_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    STORED_AT_FIELD_NUMBER: _ClassVar[int]
    PARTIAL_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    DELETED_AT_FIELD_NUMBER: _ClassVar[int]
    DELETION_REASON_FIELD_NUMBER: _ClassVar[int]
    path: str
    bytes: int
    digest: str
    call_id: str
    stored_at: _timestamp_pb2.Timestamp
    partial: bool
    state: ArtifactState
    deleted_at: _timestamp_pb2.Timestamp
    deletion_reason: str
    def __init__(self, path: _Optional[str] = ..., bytes: _Optional[int] = ..., digest: _Optional[str] = ..., call_id: _Optional[str] = ..., stored_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., partial: bool = ..., state: _Optional[_Union[ArtifactState, str]] = ..., deleted_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ..., deletion_reason: _Optional[str] = ...) -> None: ...

class LeaseSessionRequest(_message.Message):
    __slots__ = ("session_id", "duration")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    DURATION_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    duration: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., duration: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class LeaseSessionResponse(_message.Message):
    __slots__ = ("leased_until",)
    LEASED_UNTIL_FIELD_NUMBER: _ClassVar[int]
    leased_until: _timestamp_pb2.Timestamp
    def __init__(self, leased_until: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class AppendLogRequest(_message.Message):
    __slots__ = ("header", "data", "sync", "finish")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    SYNC_FIELD_NUMBER: _ClassVar[int]
    FINISH_FIELD_NUMBER: _ClassVar[int]
    header: LogHeader
    data: bytes
    sync: LogSync
    finish: LogFinish
    def __init__(self, header: _Optional[_Union[LogHeader, _Mapping]] = ..., data: _Optional[bytes] = ..., sync: _Optional[_Union[LogSync, _Mapping]] = ..., finish: _Optional[_Union[LogFinish, _Mapping]] = ...) -> None: ...

class LogHeader(_message.Message):
    __slots__ = ("call", "name", "at_byte", "require_set")
    CALL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    AT_BYTE_FIELD_NUMBER: _ClassVar[int]
    REQUIRE_SET_FIELD_NUMBER: _ClassVar[int]
    call: _service_pb2.CallReference
    name: str
    at_byte: int
    require_set: str
    def __init__(self, call: _Optional[_Union[_service_pb2.CallReference, _Mapping]] = ..., name: _Optional[str] = ..., at_byte: _Optional[int] = ..., require_set: _Optional[str] = ...) -> None: ...

class LogSync(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class LogFinish(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AppendLogResponse(_message.Message):
    __slots__ = ("path", "received_bytes", "durable_bytes", "artifact")
    PATH_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_BYTES_FIELD_NUMBER: _ClassVar[int]
    DURABLE_BYTES_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    path: str
    received_bytes: int
    durable_bytes: int
    artifact: ArtifactEntry
    def __init__(self, path: _Optional[str] = ..., received_bytes: _Optional[int] = ..., durable_bytes: _Optional[int] = ..., artifact: _Optional[_Union[ArtifactEntry, _Mapping]] = ...) -> None: ...

class VerifyArtifactsRequest(_message.Message):
    __slots__ = ("paths",)
    PATHS_FIELD_NUMBER: _ClassVar[int]
    paths: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, paths: _Optional[_Iterable[str]] = ...) -> None: ...

class VerifyArtifactsResponse(_message.Message):
    __slots__ = ("corrupt", "counts")
    CORRUPT_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    corrupt: CorruptArtifact
    counts: VerifiedCounts
    def __init__(self, corrupt: _Optional[_Union[CorruptArtifact, _Mapping]] = ..., counts: _Optional[_Union[VerifiedCounts, _Mapping]] = ...) -> None: ...

class CorruptArtifact(_message.Message):
    __slots__ = ("path", "reason")
    PATH_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    path: str
    reason: str
    def __init__(self, path: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class VerifiedCounts(_message.Message):
    __slots__ = ("intact", "corrupt", "bytes")
    INTACT_FIELD_NUMBER: _ClassVar[int]
    CORRUPT_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    intact: int
    corrupt: int
    bytes: int
    def __init__(self, intact: _Optional[int] = ..., corrupt: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class CollectGarbageRequest(_message.Message):
    __slots__ = ("dry_run",)
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    dry_run: bool
    def __init__(self, dry_run: bool = ...) -> None: ...

class CollectGarbageResponse(_message.Message):
    __slots__ = ("deleted", "deleted_artifacts", "deleted_bytes", "kept_artifacts", "kept_bytes")
    DELETED_FIELD_NUMBER: _ClassVar[int]
    DELETED_ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    DELETED_BYTES_FIELD_NUMBER: _ClassVar[int]
    KEPT_ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    KEPT_BYTES_FIELD_NUMBER: _ClassVar[int]
    deleted: _containers.RepeatedCompositeFieldContainer[ArtifactEntry]
    deleted_artifacts: int
    deleted_bytes: int
    kept_artifacts: int
    kept_bytes: int
    def __init__(self, deleted: _Optional[_Iterable[_Union[ArtifactEntry, _Mapping]]] = ..., deleted_artifacts: _Optional[int] = ..., deleted_bytes: _Optional[int] = ..., kept_artifacts: _Optional[int] = ..., kept_bytes: _Optional[int] = ...) -> None: ...

class ReadArtifactRequest(_message.Message):
    __slots__ = ("path", "lines", "bytes", "tail", "around", "match", "json_pointer", "budget", "page_token", "session_id", "raw")
    PATH_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    TAIL_FIELD_NUMBER: _ClassVar[int]
    AROUND_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    JSON_POINTER_FIELD_NUMBER: _ClassVar[int]
    BUDGET_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    RAW_FIELD_NUMBER: _ClassVar[int]
    path: str
    lines: LineRange
    bytes: ByteRange
    tail: TailLines
    around: AroundLine
    match: MatchingLines
    json_pointer: str
    budget: ReadBudget
    page_token: str
    session_id: str
    raw: bool
    def __init__(self, path: _Optional[str] = ..., lines: _Optional[_Union[LineRange, _Mapping]] = ..., bytes: _Optional[_Union[ByteRange, _Mapping]] = ..., tail: _Optional[_Union[TailLines, _Mapping]] = ..., around: _Optional[_Union[AroundLine, _Mapping]] = ..., match: _Optional[_Union[MatchingLines, _Mapping]] = ..., json_pointer: _Optional[str] = ..., budget: _Optional[_Union[ReadBudget, _Mapping]] = ..., page_token: _Optional[str] = ..., session_id: _Optional[str] = ..., raw: bool = ...) -> None: ...

class LineRange(_message.Message):
    __slots__ = ("first", "last")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    first: int
    last: int
    def __init__(self, first: _Optional[int] = ..., last: _Optional[int] = ...) -> None: ...

class ByteRange(_message.Message):
    __slots__ = ("start", "end")
    START_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    start: int
    end: int
    def __init__(self, start: _Optional[int] = ..., end: _Optional[int] = ...) -> None: ...

class TailLines(_message.Message):
    __slots__ = ("lines",)
    LINES_FIELD_NUMBER: _ClassVar[int]
    lines: int
    def __init__(self, lines: _Optional[int] = ...) -> None: ...

class AroundLine(_message.Message):
    __slots__ = ("line", "before", "after")
    LINE_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    line: int
    before: int
    after: int
    def __init__(self, line: _Optional[int] = ..., before: _Optional[int] = ..., after: _Optional[int] = ...) -> None: ...

class MatchingLines(_message.Message):
    __slots__ = ("pattern", "before", "after")
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    pattern: str
    before: int
    after: int
    def __init__(self, pattern: _Optional[str] = ..., before: _Optional[int] = ..., after: _Optional[int] = ...) -> None: ...

class ReadBudget(_message.Message):
    __slots__ = ("max_bytes", "max_lines")
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_LINES_FIELD_NUMBER: _ClassVar[int]
    max_bytes: int
    max_lines: int
    def __init__(self, max_bytes: _Optional[int] = ..., max_lines: _Optional[int] = ...) -> None: ...

class ReadArtifactResponse(_message.Message):
    __slots__ = ("data", "ranges", "complete", "next_page_token", "total_bytes", "total_lines", "digest", "live")
    DATA_FIELD_NUMBER: _ClassVar[int]
    RANGES_FIELD_NUMBER: _ClassVar[int]
    COMPLETE_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_LINES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    ranges: _containers.RepeatedCompositeFieldContainer[ArtifactRange]
    complete: bool
    next_page_token: str
    total_bytes: int
    total_lines: int
    digest: str
    live: bool
    def __init__(self, data: _Optional[bytes] = ..., ranges: _Optional[_Iterable[_Union[ArtifactRange, _Mapping]]] = ..., complete: bool = ..., next_page_token: _Optional[str] = ..., total_bytes: _Optional[int] = ..., total_lines: _Optional[int] = ..., digest: _Optional[str] = ..., live: bool = ...) -> None: ...

class ArtifactRange(_message.Message):
    __slots__ = ("byte_start", "byte_end", "first_line", "last_line")
    BYTE_START_FIELD_NUMBER: _ClassVar[int]
    BYTE_END_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    LAST_LINE_FIELD_NUMBER: _ClassVar[int]
    byte_start: int
    byte_end: int
    first_line: int
    last_line: int
    def __init__(self, byte_start: _Optional[int] = ..., byte_end: _Optional[int] = ..., first_line: _Optional[int] = ..., last_line: _Optional[int] = ...) -> None: ...
