from toolresult.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Payload(_message.Message):
    __slots__ = ("inline", "stream", "file", "source_loss", "redactions")
    INLINE_FIELD_NUMBER: _ClassVar[int]
    STREAM_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_LOSS_FIELD_NUMBER: _ClassVar[int]
    REDACTIONS_FIELD_NUMBER: _ClassVar[int]
    inline: bytes
    stream: str
    file: FileReference
    source_loss: SourceLoss
    redactions: _containers.RepeatedCompositeFieldContainer[Redaction]
    def __init__(self, inline: _Optional[bytes] = ..., stream: _Optional[str] = ..., file: _Optional[_Union[FileReference, _Mapping]] = ..., source_loss: _Optional[_Union[SourceLoss, _Mapping]] = ..., redactions: _Optional[_Iterable[_Union[Redaction, _Mapping]]] = ...) -> None: ...

class Redaction(_message.Message):
    __slots__ = ("kind", "count")
    KIND_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    kind: str
    count: int
    def __init__(self, kind: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class FileReference(_message.Message):
    __slots__ = ("path",)
    PATH_FIELD_NUMBER: _ClassVar[int]
    path: str
    def __init__(self, path: _Optional[str] = ...) -> None: ...

class SourceLoss(_message.Message):
    __slots__ = ("lost_bytes", "at_byte")
    LOST_BYTES_FIELD_NUMBER: _ClassVar[int]
    AT_BYTE_FIELD_NUMBER: _ClassVar[int]
    lost_bytes: int
    at_byte: int
    def __init__(self, lost_bytes: _Optional[int] = ..., at_byte: _Optional[int] = ...) -> None: ...

class ArtifactReference(_message.Message):
    __slots__ = ("path",)
    PATH_FIELD_NUMBER: _ClassVar[int]
    path: str
    def __init__(self, path: _Optional[str] = ...) -> None: ...
