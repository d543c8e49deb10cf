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

class MemoryFreshness(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEMORY_FRESHNESS_UNSPECIFIED: _ClassVar[MemoryFreshness]
    MEMORY_FRESHNESS_CURRENT: _ClassVar[MemoryFreshness]
    MEMORY_FRESHNESS_STALE: _ClassVar[MemoryFreshness]
    MEMORY_FRESHNESS_REBUILDING: _ClassVar[MemoryFreshness]
    MEMORY_FRESHNESS_UNAVAILABLE: _ClassVar[MemoryFreshness]
MEMORY_FRESHNESS_UNSPECIFIED: MemoryFreshness
MEMORY_FRESHNESS_CURRENT: MemoryFreshness
MEMORY_FRESHNESS_STALE: MemoryFreshness
MEMORY_FRESHNESS_REBUILDING: MemoryFreshness
MEMORY_FRESHNESS_UNAVAILABLE: MemoryFreshness

class MemorySource(_message.Message):
    __slots__ = ("source_ref", "title", "kind", "scope_kind", "workspace_id", "agent_id", "source_path", "updated_at")
    SOURCE_REF_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCOPE_KIND_FIELD_NUMBER: _ClassVar[int]
    WORKSPACE_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_ID_FIELD_NUMBER: _ClassVar[int]
    SOURCE_PATH_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    source_ref: str
    title: str
    kind: str
    scope_kind: str
    workspace_id: str
    agent_id: str
    source_path: str
    updated_at: str
    def __init__(self, source_ref: _Optional[str] = ..., title: _Optional[str] = ..., kind: _Optional[str] = ..., scope_kind: _Optional[str] = ..., workspace_id: _Optional[str] = ..., agent_id: _Optional[str] = ..., source_path: _Optional[str] = ..., updated_at: _Optional[str] = ...) -> None: ...

class MemoryAttribute(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class MemoryMatch(_message.Message):
    __slots__ = ("source", "snippet", "score", "metadata")
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    source: MemorySource
    snippet: str
    score: str
    metadata: _containers.RepeatedCompositeFieldContainer[MemoryAttribute]
    def __init__(self, source: _Optional[_Union[MemorySource, _Mapping]] = ..., snippet: _Optional[str] = ..., score: _Optional[str] = ..., metadata: _Optional[_Iterable[_Union[MemoryAttribute, _Mapping]]] = ...) -> None: ...

class MemoryIndex(_message.Message):
    __slots__ = ("freshness", "cursor", "high_watermark", "lag", "updated_at")
    FRESHNESS_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    HIGH_WATERMARK_FIELD_NUMBER: _ClassVar[int]
    LAG_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    freshness: MemoryFreshness
    cursor: str
    high_watermark: str
    lag: int
    updated_at: str
    def __init__(self, freshness: _Optional[_Union[MemoryFreshness, str]] = ..., cursor: _Optional[str] = ..., high_watermark: _Optional[str] = ..., lag: _Optional[int] = ..., updated_at: _Optional[str] = ...) -> None: ...

class MemorySearchOutput(_message.Message):
    __slots__ = ("query", "results", "index_status")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    INDEX_STATUS_FIELD_NUMBER: _ClassVar[int]
    query: str
    results: _containers.RepeatedCompositeFieldContainer[MemoryMatch]
    index_status: MemoryIndex
    def __init__(self, query: _Optional[str] = ..., results: _Optional[_Iterable[_Union[MemoryMatch, _Mapping]]] = ..., index_status: _Optional[_Union[MemoryIndex, _Mapping]] = ...) -> None: ...

class MemorySearchResult(_message.Message):
    __slots__ = ("query", "results", "results_total", "results_truncated", "results_artifact", "index_status", "artifacts", "compaction_level", "superseded")
    QUERY_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    RESULTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    RESULTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    RESULTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    INDEX_STATUS_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    query: str
    results: _containers.RepeatedCompositeFieldContainer[MemoryMatch]
    results_total: int
    results_truncated: bool
    results_artifact: int
    index_status: MemoryIndex
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, query: _Optional[str] = ..., results: _Optional[_Iterable[_Union[MemoryMatch, _Mapping]]] = ..., results_total: _Optional[int] = ..., results_truncated: bool = ..., results_artifact: _Optional[int] = ..., index_status: _Optional[_Union[MemoryIndex, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class MemoryGetOutput(_message.Message):
    __slots__ = ("memory", "content")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    memory: MemorySource
    content: _payload_pb2.Payload
    def __init__(self, memory: _Optional[_Union[MemorySource, _Mapping]] = ..., content: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ...) -> None: ...

class MemoryGetResult(_message.Message):
    __slots__ = ("memory", "content_preview", "content_truncated", "content_artifact", "content_cuts", "content_source", "artifacts", "compaction_level", "superseded")
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    CONTENT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    CONTENT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    CONTENT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    CONTENT_CUTS_FIELD_NUMBER: _ClassVar[int]
    CONTENT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    memory: MemorySource
    content_preview: str
    content_truncated: bool
    content_artifact: int
    content_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    content_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, memory: _Optional[_Union[MemorySource, _Mapping]] = ..., content_preview: _Optional[str] = ..., content_truncated: bool = ..., content_artifact: _Optional[int] = ..., content_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., content_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...
