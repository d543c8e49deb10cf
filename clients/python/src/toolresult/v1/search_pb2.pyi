from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SearchHit(_message.Message):
    __slots__ = ("path", "line", "column", "text")
    PATH_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    path: str
    line: int
    column: int
    text: str
    def __init__(self, path: _Optional[str] = ..., line: _Optional[int] = ..., column: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class SearchOutput(_message.Message):
    __slots__ = ("query", "search_path", "matches", "total_matches", "total_files", "limit_reached", "next_call")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SEARCH_PATH_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MATCHES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FILES_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REACHED_FIELD_NUMBER: _ClassVar[int]
    NEXT_CALL_FIELD_NUMBER: _ClassVar[int]
    query: str
    search_path: str
    matches: _containers.RepeatedCompositeFieldContainer[SearchHit]
    total_matches: int
    total_files: int
    limit_reached: bool
    next_call: str
    def __init__(self, query: _Optional[str] = ..., search_path: _Optional[str] = ..., matches: _Optional[_Iterable[_Union[SearchHit, _Mapping]]] = ..., total_matches: _Optional[int] = ..., total_files: _Optional[int] = ..., limit_reached: bool = ..., next_call: _Optional[str] = ...) -> None: ...

class SearchMatch(_message.Message):
    __slots__ = ("line", "column", "text", "omitted_before", "omitted_after")
    LINE_FIELD_NUMBER: _ClassVar[int]
    COLUMN_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OMITTED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    OMITTED_AFTER_FIELD_NUMBER: _ClassVar[int]
    line: int
    column: int
    text: str
    omitted_before: int
    omitted_after: int
    def __init__(self, line: _Optional[int] = ..., column: _Optional[int] = ..., text: _Optional[str] = ..., omitted_before: _Optional[int] = ..., omitted_after: _Optional[int] = ...) -> None: ...

class SearchFile(_message.Message):
    __slots__ = ("path", "match_count", "matches_shown", "matches")
    PATH_FIELD_NUMBER: _ClassVar[int]
    MATCH_COUNT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_SHOWN_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    path: str
    match_count: int
    matches_shown: int
    matches: _containers.RepeatedCompositeFieldContainer[SearchMatch]
    def __init__(self, path: _Optional[str] = ..., match_count: _Optional[int] = ..., matches_shown: _Optional[int] = ..., matches: _Optional[_Iterable[_Union[SearchMatch, _Mapping]]] = ...) -> None: ...

class SearchResult(_message.Message):
    __slots__ = ("query", "search_path", "matches_total", "limit_reached", "total_matches", "total_files", "next_call", "files", "files_total", "files_truncated", "files_artifact", "digest", "artifacts", "compaction_level", "superseded", "empty")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    SEARCH_PATH_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_REACHED_FIELD_NUMBER: _ClassVar[int]
    TOTAL_MATCHES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FILES_FIELD_NUMBER: _ClassVar[int]
    NEXT_CALL_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    FILES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    FILES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    FILES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    EMPTY_FIELD_NUMBER: _ClassVar[int]
    query: str
    search_path: str
    matches_total: int
    limit_reached: bool
    total_matches: int
    total_files: int
    next_call: str
    files: _containers.RepeatedCompositeFieldContainer[SearchFile]
    files_total: int
    files_truncated: bool
    files_artifact: int
    digest: str
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    empty: bool
    def __init__(self, query: _Optional[str] = ..., search_path: _Optional[str] = ..., matches_total: _Optional[int] = ..., limit_reached: bool = ..., total_matches: _Optional[int] = ..., total_files: _Optional[int] = ..., next_call: _Optional[str] = ..., files: _Optional[_Iterable[_Union[SearchFile, _Mapping]]] = ..., files_total: _Optional[int] = ..., files_truncated: bool = ..., files_artifact: _Optional[int] = ..., digest: _Optional[str] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., empty: bool = ...) -> None: ...
