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

class LineEnds(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LINE_ENDS_UNSPECIFIED: _ClassVar[LineEnds]
    LINE_ENDS_CRLF: _ClassVar[LineEnds]
    LINE_ENDS_MIXED: _ClassVar[LineEnds]
LINE_ENDS_UNSPECIFIED: LineEnds
LINE_ENDS_CRLF: LineEnds
LINE_ENDS_MIXED: LineEnds

class FileReadOutput(_message.Message):
    __slots__ = ("path", "content", "first_line", "total_lines", "total_bytes", "last_modified", "version")
    PATH_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_LINES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    path: str
    content: _payload_pb2.Payload
    first_line: int
    total_lines: int
    total_bytes: int
    last_modified: str
    version: str
    def __init__(self, path: _Optional[str] = ..., content: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., first_line: _Optional[int] = ..., total_lines: _Optional[int] = ..., total_bytes: _Optional[int] = ..., last_modified: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class FileReadResult(_message.Message):
    __slots__ = ("path", "first_line", "total_lines", "total_bytes", "last_modified", "version", "line_ends", "content_preview", "content_truncated", "content_artifact", "content_cuts", "content_source", "artifacts", "compaction_level", "superseded", "range_lines")
    PATH_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_LINES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    LAST_MODIFIED_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LINE_ENDS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CONTENT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_CUTS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    RANGE_LINES_FIELD_NUMBER: _ClassVar[int]
    path: str
    first_line: int
    total_lines: int
    total_bytes: int
    last_modified: str
    version: str
    line_ends: LineEnds
    content_preview: str
    content_truncated: bool
    content_artifact: int
    content_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    content_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    range_lines: int
    def __init__(self, path: _Optional[str] = ..., first_line: _Optional[int] = ..., total_lines: _Optional[int] = ..., total_bytes: _Optional[int] = ..., last_modified: _Optional[str] = ..., version: _Optional[str] = ..., line_ends: _Optional[_Union[LineEnds, str]] = ..., content_preview: _Optional[str] = ..., content_truncated: bool = ..., content_artifact: _Optional[int] = ..., content_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., content_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., range_lines: _Optional[int] = ...) -> None: ...
