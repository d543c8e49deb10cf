from toolresult.v1 import envelope_pb2 as _envelope_pb2
from toolresult.v1 import policy_pb2 as _policy_pb2
from toolresult.v1 import service_pb2 as _service_pb2
from toolresult.v1 import transport_pb2 as _transport_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetToolDefinitionsRequest(_message.Message):
    __slots__ = ("provider",)
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    provider: _transport_pb2.Provider
    def __init__(self, provider: _Optional[_Union[_transport_pb2.Provider, str]] = ...) -> None: ...

class GetToolDefinitionsResponse(_message.Message):
    __slots__ = ("tools",)
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    tools: _containers.RepeatedCompositeFieldContainer[ToolDefinition]
    def __init__(self, tools: _Optional[_Iterable[_Union[ToolDefinition, _Mapping]]] = ...) -> None: ...

class ToolDefinition(_message.Message):
    __slots__ = ("name", "definition_json")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DEFINITION_JSON_FIELD_NUMBER: _ClassVar[int]
    name: str
    definition_json: str
    def __init__(self, name: _Optional[str] = ..., definition_json: _Optional[str] = ...) -> None: ...

class CallToolRequest(_message.Message):
    __slots__ = ("name", "arguments_json", "call", "policy", "canonical_form")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_JSON_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_FORM_FIELD_NUMBER: _ClassVar[int]
    name: str
    arguments_json: str
    call: _service_pb2.CallReference
    policy: _policy_pb2.RenderPolicy
    canonical_form: _policy_pb2.CanonicalForm
    def __init__(self, name: _Optional[str] = ..., arguments_json: _Optional[str] = ..., call: _Optional[_Union[_service_pb2.CallReference, _Mapping]] = ..., policy: _Optional[_Union[_policy_pb2.RenderPolicy, _Mapping]] = ..., canonical_form: _Optional[_Union[_policy_pb2.CanonicalForm, str]] = ...) -> None: ...

class CallToolResponse(_message.Message):
    __slots__ = ("canonical", "receipt", "canonical_json")
    CANONICAL_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    CANONICAL_JSON_FIELD_NUMBER: _ClassVar[int]
    canonical: _envelope_pb2.CanonicalToolResult
    receipt: _policy_pb2.Receipt
    canonical_json: str
    def __init__(self, canonical: _Optional[_Union[_envelope_pb2.CanonicalToolResult, _Mapping]] = ..., receipt: _Optional[_Union[_policy_pb2.Receipt, _Mapping]] = ..., canonical_json: _Optional[str] = ...) -> None: ...
