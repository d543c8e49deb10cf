from toolresult.v1 import ledger_pb2 as _ledger_pb2
from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TextOutput(_message.Message):
    __slots__ = ("content", "media_type", "shown_as_text")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    SHOWN_AS_TEXT_FIELD_NUMBER: _ClassVar[int]
    content: _payload_pb2.Payload
    media_type: str
    shown_as_text: str
    def __init__(self, content: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., media_type: _Optional[str] = ..., shown_as_text: _Optional[str] = ...) -> None: ...

class TextResult(_message.Message):
    __slots__ = ("empty", "media_type", "content_preview", "content_truncated", "content_artifact", "content_cuts", "content_source", "artifacts", "compaction_level", "superseded", "first_line", "last_line", "total_lines", "from_byte", "to_byte", "no_match", "next_page", "shown_as_text")
    EMPTY_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CONTENT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_CUTS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    LAST_LINE_FIELD_NUMBER: _ClassVar[int]
    TOTAL_LINES_FIELD_NUMBER: _ClassVar[int]
    FROM_BYTE_FIELD_NUMBER: _ClassVar[int]
    TO_BYTE_FIELD_NUMBER: _ClassVar[int]
    NO_MATCH_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_FIELD_NUMBER: _ClassVar[int]
    SHOWN_AS_TEXT_FIELD_NUMBER: _ClassVar[int]
    empty: bool
    media_type: str
    content_preview: str
    content_truncated: bool
    content_artifact: int
    content_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    content_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    first_line: int
    last_line: int
    total_lines: int
    from_byte: int
    to_byte: int
    no_match: bool
    next_page: str
    shown_as_text: str
    def __init__(self, empty: bool = ..., media_type: _Optional[str] = ..., content_preview: _Optional[str] = ..., content_truncated: bool = ..., content_artifact: _Optional[int] = ..., content_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., content_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., first_line: _Optional[int] = ..., last_line: _Optional[int] = ..., total_lines: _Optional[int] = ..., from_byte: _Optional[int] = ..., to_byte: _Optional[int] = ..., no_match: bool = ..., next_page: _Optional[str] = ..., shown_as_text: _Optional[str] = ...) -> None: ...
