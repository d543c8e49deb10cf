from toolresult.v1 import options_pb2 as _options_pb2
from toolresult.v1 import payload_pb2 as _payload_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CutKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CUT_KIND_UNSPECIFIED: _ClassVar[CutKind]
    CUT_KIND_MIDDLE: _ClassVar[CutKind]
    CUT_KIND_LONG_LINE: _ClassVar[CutKind]
    CUT_KIND_REPEATED: _ClassVar[CutKind]
    CUT_KIND_PROGRESS: _ClassVar[CutKind]
    CUT_KIND_CONTROL: _ClassVar[CutKind]
    CUT_KIND_INVISIBLE: _ClassVar[CutKind]
    CUT_KIND_BINARY: _ClassVar[CutKind]
    CUT_KIND_SOURCE_LOSS: _ClassVar[CutKind]
    CUT_KIND_COMPACTED: _ClassVar[CutKind]
    CUT_KIND_TIME: _ClassVar[CutKind]
    CUT_KIND_FOLDED: _ClassVar[CutKind]
    CUT_KIND_CELL: _ClassVar[CutKind]
    CUT_KIND_ATTRIBUTES: _ClassVar[CutKind]

class KeepReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KEEP_REASON_UNSPECIFIED: _ClassVar[KeepReason]
    KEEP_REASON_HEAD: _ClassVar[KeepReason]
    KEEP_REASON_TAIL: _ClassVar[KeepReason]
    KEEP_REASON_CONTEXT: _ClassVar[KeepReason]
    KEEP_REASON_ERROR: _ClassVar[KeepReason]
    KEEP_REASON_FAILURE: _ClassVar[KeepReason]
    KEEP_REASON_CRASH: _ClassVar[KeepReason]
    KEEP_REASON_DIAGNOSTIC: _ClassVar[KeepReason]
    KEEP_REASON_WARNING: _ClassVar[KeepReason]
    KEEP_REASON_SUMMARY: _ClassVar[KeepReason]
    KEEP_REASON_EXIT: _ClassVar[KeepReason]
    KEEP_REASON_PROFILE: _ClassVar[KeepReason]
    KEEP_REASON_STRUCTURE: _ClassVar[KeepReason]

class PayloadShape(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAYLOAD_SHAPE_UNSPECIFIED: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_BUILD_LOG: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_TEST_REPORT: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_DIFF: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_SEARCH: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_LISTING: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_TABLE: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_JSON: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_NDJSON: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_STACK_TRACE: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_BINARY: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_PROSE: _ClassVar[PayloadShape]
    PAYLOAD_SHAPE_ROWS: _ClassVar[PayloadShape]

class TextEncoding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_ENCODING_UNSPECIFIED: _ClassVar[TextEncoding]
    TEXT_ENCODING_UTF8: _ClassVar[TextEncoding]
    TEXT_ENCODING_UNKNOWN: _ClassVar[TextEncoding]
    TEXT_ENCODING_BINARY: _ClassVar[TextEncoding]
CUT_KIND_UNSPECIFIED: CutKind
CUT_KIND_MIDDLE: CutKind
CUT_KIND_LONG_LINE: CutKind
CUT_KIND_REPEATED: CutKind
CUT_KIND_PROGRESS: CutKind
CUT_KIND_CONTROL: CutKind
CUT_KIND_INVISIBLE: CutKind
CUT_KIND_BINARY: CutKind
CUT_KIND_SOURCE_LOSS: CutKind
CUT_KIND_COMPACTED: CutKind
CUT_KIND_TIME: CutKind
CUT_KIND_FOLDED: CutKind
CUT_KIND_CELL: CutKind
CUT_KIND_ATTRIBUTES: CutKind
KEEP_REASON_UNSPECIFIED: KeepReason
KEEP_REASON_HEAD: KeepReason
KEEP_REASON_TAIL: KeepReason
KEEP_REASON_CONTEXT: KeepReason
KEEP_REASON_ERROR: KeepReason
KEEP_REASON_FAILURE: KeepReason
KEEP_REASON_CRASH: KeepReason
KEEP_REASON_DIAGNOSTIC: KeepReason
KEEP_REASON_WARNING: KeepReason
KEEP_REASON_SUMMARY: KeepReason
KEEP_REASON_EXIT: KeepReason
KEEP_REASON_PROFILE: KeepReason
KEEP_REASON_STRUCTURE: KeepReason
PAYLOAD_SHAPE_UNSPECIFIED: PayloadShape
PAYLOAD_SHAPE_BUILD_LOG: PayloadShape
PAYLOAD_SHAPE_TEST_REPORT: PayloadShape
PAYLOAD_SHAPE_DIFF: PayloadShape
PAYLOAD_SHAPE_SEARCH: PayloadShape
PAYLOAD_SHAPE_LISTING: PayloadShape
PAYLOAD_SHAPE_TABLE: PayloadShape
PAYLOAD_SHAPE_JSON: PayloadShape
PAYLOAD_SHAPE_NDJSON: PayloadShape
PAYLOAD_SHAPE_STACK_TRACE: PayloadShape
PAYLOAD_SHAPE_BINARY: PayloadShape
PAYLOAD_SHAPE_PROSE: PayloadShape
PAYLOAD_SHAPE_ROWS: PayloadShape
TEXT_ENCODING_UNSPECIFIED: TextEncoding
TEXT_ENCODING_UTF8: TextEncoding
TEXT_ENCODING_UNKNOWN: TextEncoding
TEXT_ENCODING_BINARY: TextEncoding

class Cut(_message.Message):
    __slots__ = ("kind", "first_line", "last_line", "byte_start", "byte_end", "omitted_bytes", "omitted_lines", "occurrences", "preview_offset", "lost_bytes", "omitted_values", "total_values", "like_line", "line_bytes")
    KIND_FIELD_NUMBER: _ClassVar[int]
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    LAST_LINE_FIELD_NUMBER: _ClassVar[int]
    BYTE_START_FIELD_NUMBER: _ClassVar[int]
    BYTE_END_FIELD_NUMBER: _ClassVar[int]
    OMITTED_BYTES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_LINES_FIELD_NUMBER: _ClassVar[int]
    OCCURRENCES_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_OFFSET_FIELD_NUMBER: _ClassVar[int]
    LOST_BYTES_FIELD_NUMBER: _ClassVar[int]
    OMITTED_VALUES_FIELD_NUMBER: _ClassVar[int]
    TOTAL_VALUES_FIELD_NUMBER: _ClassVar[int]
    LIKE_LINE_FIELD_NUMBER: _ClassVar[int]
    LINE_BYTES_FIELD_NUMBER: _ClassVar[int]
    kind: CutKind
    first_line: int
    last_line: int
    byte_start: int
    byte_end: int
    omitted_bytes: int
    omitted_lines: int
    occurrences: int
    preview_offset: int
    lost_bytes: int
    omitted_values: int
    total_values: int
    like_line: int
    line_bytes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, kind: _Optional[_Union[CutKind, str]] = ..., first_line: _Optional[int] = ..., last_line: _Optional[int] = ..., byte_start: _Optional[int] = ..., byte_end: _Optional[int] = ..., omitted_bytes: _Optional[int] = ..., omitted_lines: _Optional[int] = ..., occurrences: _Optional[int] = ..., preview_offset: _Optional[int] = ..., lost_bytes: _Optional[int] = ..., omitted_values: _Optional[int] = ..., total_values: _Optional[int] = ..., like_line: _Optional[int] = ..., line_bytes: _Optional[_Iterable[int]] = ...) -> None: ...

class Segment(_message.Message):
    __slots__ = ("first_line", "last_line", "byte_start", "byte_end", "preview_bytes", "reason", "score")
    FIRST_LINE_FIELD_NUMBER: _ClassVar[int]
    LAST_LINE_FIELD_NUMBER: _ClassVar[int]
    BYTE_START_FIELD_NUMBER: _ClassVar[int]
    BYTE_END_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_BYTES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    first_line: int
    last_line: int
    byte_start: int
    byte_end: int
    preview_bytes: int
    reason: KeepReason
    score: int
    def __init__(self, first_line: _Optional[int] = ..., last_line: _Optional[int] = ..., byte_start: _Optional[int] = ..., byte_end: _Optional[int] = ..., preview_bytes: _Optional[int] = ..., reason: _Optional[_Union[KeepReason, str]] = ..., score: _Optional[int] = ...) -> None: ...

class InvisibleCharacters(_message.Message):
    __slots__ = ("tags", "bidi", "zero_width", "combining_marks")
    TAGS_FIELD_NUMBER: _ClassVar[int]
    BIDI_FIELD_NUMBER: _ClassVar[int]
    ZERO_WIDTH_FIELD_NUMBER: _ClassVar[int]
    COMBINING_MARKS_FIELD_NUMBER: _ClassVar[int]
    tags: int
    bidi: int
    zero_width: int
    combining_marks: int
    def __init__(self, tags: _Optional[int] = ..., bidi: _Optional[int] = ..., zero_width: _Optional[int] = ..., combining_marks: _Optional[int] = ...) -> None: ...

class SourceFacts(_message.Message):
    __slots__ = ("bytes", "lines", "shown_lines", "visible_bytes", "encoding", "replaced_bytes", "escaped_bytes", "control_strings", "invisible", "digest", "source_loss", "segments", "shape", "original_artifact", "redactions", "original_bytes", "original_lines", "parts")
    BYTES_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    SHOWN_LINES_FIELD_NUMBER: _ClassVar[int]
    VISIBLE_BYTES_FIELD_NUMBER: _ClassVar[int]
    ENCODING_FIELD_NUMBER: _ClassVar[int]
    REPLACED_BYTES_FIELD_NUMBER: _ClassVar[int]
    ESCAPED_BYTES_FIELD_NUMBER: _ClassVar[int]
    CONTROL_STRINGS_FIELD_NUMBER: _ClassVar[int]
    INVISIBLE_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOSS_FIELD_NUMBER: _ClassVar[int]
    SEGMENTS_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    REDACTIONS_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    ORIGINAL_LINES_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    lines: int
    shown_lines: int
    visible_bytes: int
    encoding: TextEncoding
    replaced_bytes: int
    escaped_bytes: int
    control_strings: int
    invisible: InvisibleCharacters
    digest: str
    source_loss: _payload_pb2.SourceLoss
    segments: _containers.RepeatedCompositeFieldContainer[Segment]
    shape: PayloadShape
    original_artifact: int
    redactions: _containers.RepeatedCompositeFieldContainer[_payload_pb2.Redaction]
    original_bytes: int
    original_lines: int
    parts: _containers.RepeatedCompositeFieldContainer[PayloadPart]
    def __init__(self, bytes: _Optional[int] = ..., lines: _Optional[int] = ..., shown_lines: _Optional[int] = ..., visible_bytes: _Optional[int] = ..., encoding: _Optional[_Union[TextEncoding, str]] = ..., replaced_bytes: _Optional[int] = ..., escaped_bytes: _Optional[int] = ..., control_strings: _Optional[int] = ..., invisible: _Optional[_Union[InvisibleCharacters, _Mapping]] = ..., digest: _Optional[str] = ..., source_loss: _Optional[_Union[_payload_pb2.SourceLoss, _Mapping]] = ..., segments: _Optional[_Iterable[_Union[Segment, _Mapping]]] = ..., shape: _Optional[_Union[PayloadShape, str]] = ..., original_artifact: _Optional[int] = ..., redactions: _Optional[_Iterable[_Union[_payload_pb2.Redaction, _Mapping]]] = ..., original_bytes: _Optional[int] = ..., original_lines: _Optional[int] = ..., parts: _Optional[_Iterable[_Union[PayloadPart, _Mapping]]] = ...) -> None: ...

class PayloadPart(_message.Message):
    __slots__ = ("name", "lines", "others")
    NAME_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    OTHERS_FIELD_NUMBER: _ClassVar[int]
    name: str
    lines: int
    others: int
    def __init__(self, name: _Optional[str] = ..., lines: _Optional[int] = ..., others: _Optional[int] = ...) -> None: ...

class Excerpt(_message.Message):
    __slots__ = ("preview", "truncated", "artifact", "cuts", "source")
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELD_NUMBER: _ClassVar[int]
    ARTIFACT_FIELD_NUMBER: _ClassVar[int]
    CUTS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    preview: str
    truncated: bool
    artifact: _payload_pb2.ArtifactReference
    cuts: _containers.RepeatedCompositeFieldContainer[Cut]
    source: SourceFacts
    def __init__(self, preview: _Optional[str] = ..., truncated: bool = ..., artifact: _Optional[_Union[_payload_pb2.ArtifactReference, _Mapping]] = ..., cuts: _Optional[_Iterable[_Union[Cut, _Mapping]]] = ..., source: _Optional[_Union[SourceFacts, _Mapping]] = ...) -> None: ...
