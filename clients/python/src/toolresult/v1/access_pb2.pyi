from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class IssueSessionTokenRequest(_message.Message):
    __slots__ = ("session_id", "lifetime")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    LIFETIME_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    lifetime: _duration_pb2.Duration
    def __init__(self, session_id: _Optional[str] = ..., lifetime: _Optional[_Union[_duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class IssueSessionTokenResponse(_message.Message):
    __slots__ = ("token", "token_id", "expires_at")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_FIELD_NUMBER: _ClassVar[int]
    token: str
    token_id: str
    expires_at: _timestamp_pb2.Timestamp
    def __init__(self, token: _Optional[str] = ..., token_id: _Optional[str] = ..., expires_at: _Optional[_Union[_timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class RevokeSessionTokensRequest(_message.Message):
    __slots__ = ("session_id", "token_id")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_ID_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    token_id: str
    def __init__(self, session_id: _Optional[str] = ..., token_id: _Optional[str] = ...) -> None: ...

class RevokeSessionTokensResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class RegisterSecretsRequest(_message.Message):
    __slots__ = ("session_id", "secrets")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    SECRETS_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    secrets: _containers.RepeatedCompositeFieldContainer[RegisteredSecret]
    def __init__(self, session_id: _Optional[str] = ..., secrets: _Optional[_Iterable[_Union[RegisteredSecret, _Mapping]]] = ...) -> None: ...

class RegisteredSecret(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: bytes
    def __init__(self, name: _Optional[str] = ..., value: _Optional[bytes] = ...) -> None: ...

class RegisterSecretsResponse(_message.Message):
    __slots__ = ("set_id",)
    SET_ID_FIELD_NUMBER: _ClassVar[int]
    set_id: str
    def __init__(self, set_id: _Optional[str] = ...) -> None: ...
