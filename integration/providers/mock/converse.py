"""The service model of Bedrock's Converse as a strict schema.

botocore checks the types of parameters before it sends them, but of lengths,
patterns and enumerations only some lengths. Here all of them hold.
"""

import base64
import binascii
import re

import botocore.loaders
import botocore.model
import botocore.validate

_model = botocore.model.ServiceModel(botocore.loaders.Loader().load_service_model("bedrock-runtime", "service-2"))
_request = _model.operation_model("Converse").input_shape


def errors(body, model_id):
    """Returns what is wrong with a request: one line for each fault."""
    faults = []
    params = _read(_request, {**body, "modelId": model_id}, "", faults)
    report = botocore.validate.ParamValidator().validate(params, _request)
    if report.has_errors():
        faults += report.generate_report().splitlines()
    return faults


def _read(shape, value, where, faults):
    """Returns a value with its base64 decoded, and adds what the constraints of
    its shape say against it to the faults. What has a wrong type is returned as it
    is: that is for botocore to say."""
    if getattr(shape, "is_document_type", False):
        return value
    if shape.type_name == "structure" and isinstance(value, dict):
        return {
            name: _read(shape.members[name], content, f"{where}.{name}", faults) if name in shape.members else content
            for name, content in value.items()
        }
    if shape.type_name == "list" and isinstance(value, list):
        value = [_read(shape.member, content, f"{where}.{i}", faults) for i, content in enumerate(value)]
    elif shape.type_name == "map" and isinstance(value, dict):
        value = {key: _read(shape.value, content, f"{where}.{key}", faults) for key, content in value.items()}
    elif shape.type_name == "blob" and isinstance(value, str):
        try:
            value = base64.b64decode(value, validate=True)
        except binascii.Error as e:
            faults.append(f"{where}: not base64: {e}")
    elif shape.type_name == "string" and isinstance(value, str):
        pattern = shape.metadata.get("pattern")
        if pattern and not re.fullmatch(pattern, value):
            faults.append(f"{where}: {value!r} does not match {pattern}")
        if shape.enum and value not in shape.enum:
            faults.append(f"{where}: {value!r} is not one of {', '.join(shape.enum)}")
    elif shape.type_name not in ("integer", "long", "float", "double"):
        return value
    size = len(value) if isinstance(value, (str, bytes, list, dict)) else value
    if isinstance(size, (int, float)):
        _bounds(shape, size, where, faults)
    return value


def _bounds(shape, size, where, faults):
    if size < shape.metadata.get("min", size):
        faults.append(f"{where}: {size} is less than the least, {shape.metadata['min']}")
    if size > shape.metadata.get("max", size):
        faults.append(f"{where}: {size} is more than the most, {shape.metadata['max']}")
