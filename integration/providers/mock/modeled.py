"""Pydantic models of an SDK as strict schemas.

Some SDKs ignore members that their models do not have, or keep what they cannot
read as an unknown thing. Here both are faults.
"""

import json

from pydantic import BaseModel, ValidationError

import typed


def errors(model, value, where):
    """Returns what is wrong with a value: one line for each fault."""
    try:
        # From JSON, because only there a strict model takes base64 for bytes and
        # text for an enumeration.
        read = model.model_validate_json(json.dumps(value), strict=True, by_alias=True, by_name=False)
    except ValidationError as e:
        return [f"{where}.{line}" for line in typed.describe(e)]
    return list(_unknown(read, value, where))


def _unknown(read, value, where):
    """Yields the members of a value that its model does not have."""
    if isinstance(read, BaseModel) and getattr(read, "is_unknown", False):
        yield f"{where}: not one of the kinds that the model has, or not complete: {json.dumps(value)}"
    elif isinstance(read, BaseModel) and isinstance(value, dict):
        fields = {field.alias or name: name for name, field in type(read).model_fields.items()}
        for member, content in value.items():
            if member in fields:
                yield from _unknown(getattr(read, fields[member]), content, f"{where}.{member}")
            else:
                yield f"{where}.{member}: Extra inputs are not permitted"
    elif isinstance(read, (list, tuple)) and isinstance(value, list):
        for i, (one, content) in enumerate(zip(read, value)):
            yield from _unknown(one, content, f"{where}.{i}")
