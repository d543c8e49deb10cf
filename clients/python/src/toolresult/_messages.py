"""Messages of other packages that calls need: the details of a status, and those of the health service.

They are in a pool of their own. In the default one they would be in conflict with those of googleapis-common-protos and
grpcio-health-checking, which applications have beside this package. Only the fields that are read are here; names do not matter on
the wire.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_FIELD = descriptor_pb2.FieldDescriptorProto

#: The fields of each message: name, number, type, whether it is repeated. A type with a capital is a message of this list.
_FIELDS = {
    "Status": [("code", 1, "int32", False), ("message", 2, "string", False), ("details", 3, "Any", True)],
    "Any": [("type_url", 1, "string", False), ("value", 2, "bytes", False)],
    "Entry": [("key", 1, "string", False), ("value", 2, "string", False)],
    "ErrorInfo": [("reason", 1, "string", False), ("domain", 2, "string", False), ("metadata", 3, "Entry", True)],
    "Duration": [("seconds", 1, "int64", False), ("nanos", 2, "int32", False)],
    "RetryInfo": [("retry_delay", 1, "Duration", False)],
    "HealthCheckResponse": [("status", 1, "int32", False)],
}


def _messages() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(name="toolresult_client.proto", package="toolresult_client", syntax="proto3")
    for name, fields in _FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, kind, repeated in fields:
            added = message.field.add(name=field, number=number, label=_FIELD.LABEL_REPEATED if repeated else _FIELD.LABEL_OPTIONAL)
            if kind in _FIELDS:
                added.type, added.type_name = _FIELD.TYPE_MESSAGE, f".toolresult_client.{kind}"
            else:
                added.type = _FIELD.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"toolresult_client.{name}")) for name in _FIELDS}


_made = _messages()
Status = _made["Status"]
ErrorInfo = _made["ErrorInfo"]
RetryInfo = _made["RetryInfo"]
HealthCheckResponse = _made["HealthCheckResponse"]
