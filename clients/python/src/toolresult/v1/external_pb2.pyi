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

class JsonDefect(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JSON_DEFECT_UNSPECIFIED: _ClassVar[JsonDefect]
    JSON_DEFECT_CUT_OFF: _ClassVar[JsonDefect]
    JSON_DEFECT_SYNTAX: _ClassVar[JsonDefect]
    JSON_DEFECT_ENCODING: _ClassVar[JsonDefect]
    JSON_DEFECT_DUPLICATE_KEY: _ClassVar[JsonDefect]
    JSON_DEFECT_TOO_DEEP: _ClassVar[JsonDefect]
    JSON_DEFECT_SHAPE: _ClassVar[JsonDefect]
    JSON_DEFECT_LOST_BYTES: _ClassVar[JsonDefect]

class ExternalAttachmentKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EXTERNAL_ATTACHMENT_KIND_UNSPECIFIED: _ClassVar[ExternalAttachmentKind]
    EXTERNAL_ATTACHMENT_KIND_IMAGE: _ClassVar[ExternalAttachmentKind]
    EXTERNAL_ATTACHMENT_KIND_AUDIO: _ClassVar[ExternalAttachmentKind]
    EXTERNAL_ATTACHMENT_KIND_RESOURCE: _ClassVar[ExternalAttachmentKind]
    EXTERNAL_ATTACHMENT_KIND_RESOURCE_LINK: _ClassVar[ExternalAttachmentKind]
    EXTERNAL_ATTACHMENT_KIND_BASE64: _ClassVar[ExternalAttachmentKind]
JSON_DEFECT_UNSPECIFIED: JsonDefect
JSON_DEFECT_CUT_OFF: JsonDefect
JSON_DEFECT_SYNTAX: JsonDefect
JSON_DEFECT_ENCODING: JsonDefect
JSON_DEFECT_DUPLICATE_KEY: JsonDefect
JSON_DEFECT_TOO_DEEP: JsonDefect
JSON_DEFECT_SHAPE: JsonDefect
JSON_DEFECT_LOST_BYTES: JsonDefect
EXTERNAL_ATTACHMENT_KIND_UNSPECIFIED: ExternalAttachmentKind
EXTERNAL_ATTACHMENT_KIND_IMAGE: ExternalAttachmentKind
EXTERNAL_ATTACHMENT_KIND_AUDIO: ExternalAttachmentKind
EXTERNAL_ATTACHMENT_KIND_RESOURCE: ExternalAttachmentKind
EXTERNAL_ATTACHMENT_KIND_RESOURCE_LINK: ExternalAttachmentKind
EXTERNAL_ATTACHMENT_KIND_BASE64: ExternalAttachmentKind

class ExternalMcpOutput(_message.Message):
    __slots__ = ("server", "result")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    server: str
    result: _payload_pb2.Payload
    def __init__(self, server: _Optional[str] = ..., result: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ...) -> None: ...

class ExternalJsonOutput(_message.Message):
    __slots__ = ("server", "result")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    server: str
    result: _payload_pb2.Payload
    def __init__(self, server: _Optional[str] = ..., result: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ...) -> None: ...

class ExternalAttachment(_message.Message):
    __slots__ = ("number", "kind", "name", "uri", "media_type", "bytes", "digest", "description", "undecoded", "in_text", "artifact")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    URI_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    UNDECODED_FIELD_NUMBER: _ClassVar[int]
    IN_TEXT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    number: int
    kind: ExternalAttachmentKind
    name: str
    uri: str
    media_type: str
    bytes: int
    digest: str
    description: str
    undecoded: bool
    in_text: bool
    artifact: _payload_pb2.ArtifactReference
    def __init__(self, number: _Optional[int] = ..., kind: _Optional[_Union[ExternalAttachmentKind, str]] = ..., name: _Optional[str] = ..., uri: _Optional[str] = ..., media_type: _Optional[str] = ..., bytes: _Optional[int] = ..., digest: _Optional[str] = ..., description: _Optional[str] = ..., undecoded: bool = ..., in_text: bool = ..., artifact: _Optional[_Union[_payload_pb2.ArtifactReference, _Mapping]] = ...) -> None: ...

class ExternalStored(_message.Message):
    __slots__ = ("bytes", "digest")
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    digest: str
    def __init__(self, bytes: _Optional[int] = ..., digest: _Optional[str] = ...) -> None: ...

class ExternalMcpResult(_message.Message):
    __slots__ = ("server", "empty", "text_repeats_structured", "structured_repeats_text", "unknown_content", "text_preview", "text_truncated", "text_artifact", "text_cuts", "text_source", "structured_preview", "structured_truncated", "structured_artifact", "structured_cuts", "structured_source", "resource_preview", "resource_truncated", "resource_artifact", "resource_cuts", "resource_source", "attachments", "attachments_total", "attachments_truncated", "attachments_artifact", "attachments_stored", "source_artifact", "artifacts", "compaction_level", "superseded", "defect")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    EMPTY_FIELD_NUMBER: _ClassVar[int]
    TEXT_REPEATS_STRUCTURED_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_REPEATS_TEXT_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_CONTENT_FIELD_NUMBER: _ClassVar[int]
    TEXT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TEXT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TEXT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TEXT_CUTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_CUTS_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_SOURCE_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_CUTS_FIELD_NUMBER: _ClassVar[int]
    RESOURCE_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_STORED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    DEFECT_FIELD_NUMBER: _ClassVar[int]
    server: str
    empty: bool
    text_repeats_structured: bool
    structured_repeats_text: bool
    unknown_content: _containers.RepeatedScalarFieldContainer[str]
    text_preview: str
    text_truncated: bool
    text_artifact: int
    text_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    text_source: _ledger_pb2.SourceFacts
    structured_preview: str
    structured_truncated: bool
    structured_artifact: int
    structured_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    structured_source: _ledger_pb2.SourceFacts
    resource_preview: str
    resource_truncated: bool
    resource_artifact: int
    resource_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    resource_source: _ledger_pb2.SourceFacts
    attachments: _containers.RepeatedCompositeFieldContainer[ExternalAttachment]
    attachments_total: int
    attachments_truncated: bool
    attachments_artifact: int
    attachments_stored: ExternalStored
    source_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    defect: JsonDefect
    def __init__(self, server: _Optional[str] = ..., empty: bool = ..., text_repeats_structured: bool = ..., structured_repeats_text: bool = ..., unknown_content: _Optional[_Iterable[str]] = ..., text_preview: _Optional[str] = ..., text_truncated: bool = ..., text_artifact: _Optional[int] = ..., text_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., text_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., structured_preview: _Optional[str] = ..., structured_truncated: bool = ..., structured_artifact: _Optional[int] = ..., structured_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., structured_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., resource_preview: _Optional[str] = ..., resource_truncated: bool = ..., resource_artifact: _Optional[int] = ..., resource_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., resource_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., attachments: _Optional[_Iterable[_Union[ExternalAttachment, _Mapping]]] = ..., attachments_total: _Optional[int] = ..., attachments_truncated: bool = ..., attachments_artifact: _Optional[int] = ..., attachments_stored: _Optional[_Union[ExternalStored, _Mapping]] = ..., source_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., defect: _Optional[_Union[JsonDefect, str]] = ...) -> None: ...

class ExternalJsonResult(_message.Message):
    __slots__ = ("server", "empty", "text_preview", "text_truncated", "text_artifact", "text_cuts", "text_source", "structured_preview", "structured_truncated", "structured_artifact", "structured_cuts", "structured_source", "attachments", "attachments_total", "attachments_truncated", "attachments_artifact", "attachments_stored", "source_artifact", "artifacts", "compaction_level", "superseded", "defect")
    SERVER_FIELD_NUMBER: _ClassVar[int]
    EMPTY_FIELD_NUMBER: _ClassVar[int]
    TEXT_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TEXT_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    TEXT_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    TEXT_CUTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_SOURCE_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_CUTS_FIELD_NUMBER: _ClassVar[int]
    STRUCTURED_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ATTACHMENTS_STORED_FIELD_NUMBER: _ClassVar[int]
    SOURCE_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    DEFECT_FIELD_NUMBER: _ClassVar[int]
    server: str
    empty: bool
    text_preview: str
    text_truncated: bool
    text_artifact: int
    text_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    text_source: _ledger_pb2.SourceFacts
    structured_preview: str
    structured_truncated: bool
    structured_artifact: int
    structured_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    structured_source: _ledger_pb2.SourceFacts
    attachments: _containers.RepeatedCompositeFieldContainer[ExternalAttachment]
    attachments_total: int
    attachments_truncated: bool
    attachments_artifact: int
    attachments_stored: ExternalStored
    source_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    defect: JsonDefect
    def __init__(self, server: _Optional[str] = ..., empty: bool = ..., text_preview: _Optional[str] = ..., text_truncated: bool = ..., text_artifact: _Optional[int] = ..., text_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., text_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., structured_preview: _Optional[str] = ..., structured_truncated: bool = ..., structured_artifact: _Optional[int] = ..., structured_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., structured_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., attachments: _Optional[_Iterable[_Union[ExternalAttachment, _Mapping]]] = ..., attachments_total: _Optional[int] = ..., attachments_truncated: bool = ..., attachments_artifact: _Optional[int] = ..., attachments_stored: _Optional[_Union[ExternalStored, _Mapping]] = ..., source_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., defect: _Optional[_Union[JsonDefect, str]] = ...) -> None: ...
