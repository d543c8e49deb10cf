from toolresult.v1 import ledger_pb2 as _ledger_pb2
from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ImageContent(_message.Message):
    __slots__ = ("id", "image", "media_type", "path", "width", "height", "source")
    ID_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    image: _payload_pb2.Payload
    media_type: str
    path: str
    width: int
    height: int
    source: str
    def __init__(self, id: _Optional[str] = ..., image: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., media_type: _Optional[str] = ..., path: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., source: _Optional[str] = ...) -> None: ...

class ImageReference(_message.Message):
    __slots__ = ("id", "media_type", "given_type", "bytes", "digest", "width", "height", "path", "source", "source_loss", "incomplete", "image_artifact", "artifacts")
    ID_FIELD_NUMBER: _ClassVar[int]
    MEDIA_TYPE_FIELD_NUMBER: _ClassVar[int]
    GIVEN_TYPE_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOSS_FIELD_NUMBER: _ClassVar[int]
    INCOMPLETE_FIELD_NUMBER: _ClassVar[int]
    IMAGE_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    id: str
    media_type: str
    given_type: str
    bytes: int
    digest: str
    width: int
    height: int
    path: str
    source: str
    source_loss: _payload_pb2.SourceLoss
    incomplete: bool
    image_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    def __init__(self, id: _Optional[str] = ..., media_type: _Optional[str] = ..., given_type: _Optional[str] = ..., bytes: _Optional[int] = ..., digest: _Optional[str] = ..., width: _Optional[int] = ..., height: _Optional[int] = ..., path: _Optional[str] = ..., source: _Optional[str] = ..., source_loss: _Optional[_Union[_payload_pb2.SourceLoss, _Mapping]] = ..., incomplete: bool = ..., image_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ...) -> None: ...

class ImageViewOutput(_message.Message):
    __slots__ = ("content", "prompt", "generated_by", "summary", "ocr", "elements", "issues", "uncertainties")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    GENERATED_BY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    OCR_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    UNCERTAINTIES_FIELD_NUMBER: _ClassVar[int]
    content: ImageContent
    prompt: str
    generated_by: str
    summary: str
    ocr: _payload_pb2.Payload
    elements: _containers.RepeatedScalarFieldContainer[str]
    issues: _containers.RepeatedScalarFieldContainer[str]
    uncertainties: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, content: _Optional[_Union[ImageContent, _Mapping]] = ..., prompt: _Optional[str] = ..., generated_by: _Optional[str] = ..., summary: _Optional[str] = ..., ocr: _Optional[_Union[_payload_pb2.Payload, _Mapping]] = ..., elements: _Optional[_Iterable[str]] = ..., issues: _Optional[_Iterable[str]] = ..., uncertainties: _Optional[_Iterable[str]] = ...) -> None: ...

class ImageViewResult(_message.Message):
    __slots__ = ("image", "prompt", "generated_by", "summary", "elements", "elements_total", "elements_truncated", "elements_artifact", "issues", "issues_total", "issues_truncated", "issues_artifact", "uncertainties", "uncertainties_total", "uncertainties_truncated", "uncertainties_artifact", "ocr_preview", "ocr_truncated", "ocr_artifact", "ocr_cuts", "ocr_source", "artifacts", "compaction_level", "superseded")
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    GENERATED_BY_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ELEMENTS_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ISSUES_FIELD_NUMBER: _ClassVar[int]
    ISSUES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    ISSUES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ISSUES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    UNCERTAINTIES_FIELD_NUMBER: _ClassVar[int]
    UNCERTAINTIES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    UNCERTAINTIES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    UNCERTAINTIES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    OCR_PREVIEW_FIELD_NUMBER: _ClassVar[int]
    OCR_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    OCR_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    OCR_CUTS_FIELD_NUMBER: _ClassVar[int]
    OCR_SOURCE_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    image: ImageReference
    prompt: str
    generated_by: str
    summary: str
    elements: _containers.RepeatedScalarFieldContainer[str]
    elements_total: int
    elements_truncated: bool
    elements_artifact: int
    issues: _containers.RepeatedScalarFieldContainer[str]
    issues_total: int
    issues_truncated: bool
    issues_artifact: int
    uncertainties: _containers.RepeatedScalarFieldContainer[str]
    uncertainties_total: int
    uncertainties_truncated: bool
    uncertainties_artifact: int
    ocr_preview: str
    ocr_truncated: bool
    ocr_artifact: int
    ocr_cuts: _containers.RepeatedCompositeFieldContainer[_ledger_pb2.Cut]
    ocr_source: _ledger_pb2.SourceFacts
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    def __init__(self, image: _Optional[_Union[ImageReference, _Mapping]] = ..., prompt: _Optional[str] = ..., generated_by: _Optional[str] = ..., summary: _Optional[str] = ..., elements: _Optional[_Iterable[str]] = ..., elements_total: _Optional[int] = ..., elements_truncated: bool = ..., elements_artifact: _Optional[int] = ..., issues: _Optional[_Iterable[str]] = ..., issues_total: _Optional[int] = ..., issues_truncated: bool = ..., issues_artifact: _Optional[int] = ..., uncertainties: _Optional[_Iterable[str]] = ..., uncertainties_total: _Optional[int] = ..., uncertainties_truncated: bool = ..., uncertainties_artifact: _Optional[int] = ..., ocr_preview: _Optional[str] = ..., ocr_truncated: bool = ..., ocr_artifact: _Optional[int] = ..., ocr_cuts: _Optional[_Iterable[_Union[_ledger_pb2.Cut, _Mapping]]] = ..., ocr_source: _Optional[_Union[_ledger_pb2.SourceFacts, _Mapping]] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ...) -> None: ...

class ImageGenerateOutput(_message.Message):
    __slots__ = ("contents", "prompt", "revised_prompt", "provider", "model")
    CONTENTS_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    REVISED_PROMPT_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    contents: _containers.RepeatedCompositeFieldContainer[ImageContent]
    prompt: str
    revised_prompt: str
    provider: str
    model: str
    def __init__(self, contents: _Optional[_Iterable[_Union[ImageContent, _Mapping]]] = ..., prompt: _Optional[str] = ..., revised_prompt: _Optional[str] = ..., provider: _Optional[str] = ..., model: _Optional[str] = ...) -> None: ...

class ImageGenerateResult(_message.Message):
    __slots__ = ("images", "prompt", "revised_prompt", "provider", "model", "compaction_level", "superseded", "images_total", "images_truncated", "images_artifact", "artifacts", "digest")
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    REVISED_PROMPT_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_LEVEL_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDED_FIELD_NUMBER: _ClassVar[int]
    IMAGES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    IMAGES_TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    IMAGES_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    ARTIFACTS_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    images: _containers.RepeatedCompositeFieldContainer[ImageReference]
    prompt: str
    revised_prompt: str
    provider: str
    model: str
    compaction_level: _policy_pb2.CompactionLevel
    superseded: _policy_pb2.Superseded
    images_total: int
    images_truncated: bool
    images_artifact: int
    artifacts: _containers.RepeatedCompositeFieldContainer[_payload_pb2.ArtifactReference]
    digest: str
    def __init__(self, images: _Optional[_Iterable[_Union[ImageReference, _Mapping]]] = ..., prompt: _Optional[str] = ..., revised_prompt: _Optional[str] = ..., provider: _Optional[str] = ..., model: _Optional[str] = ..., compaction_level: _Optional[_Union[_policy_pb2.CompactionLevel, str]] = ..., superseded: _Optional[_Union[_policy_pb2.Superseded, _Mapping]] = ..., images_total: _Optional[int] = ..., images_truncated: bool = ..., images_artifact: _Optional[int] = ..., artifacts: _Optional[_Iterable[_Union[_payload_pb2.ArtifactReference, _Mapping]]] = ..., digest: _Optional[str] = ...) -> None: ...
