from toolresult.v1 import options_pb2 as _options_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class CustomOutput(_message.Message):
    __slots__ = ("type", "message", "message_json")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_JSON_FIELD_NUMBER: _ClassVar[int]
    type: str
    message: bytes
    message_json: str
    def __init__(self, type: _Optional[str] = ..., message: _Optional[bytes] = ..., message_json: _Optional[str] = ...) -> None: ...

class CustomResult(_message.Message):
    __slots__ = ("type", "payload_json")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_JSON_FIELD_NUMBER: _ClassVar[int]
    type: str
    payload_json: str
    def __init__(self, type: _Optional[str] = ..., payload_json: _Optional[str] = ...) -> None: ...
