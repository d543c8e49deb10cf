"""TypedDicts of an SDK as strict schemas.

The SDKs describe requests as TypedDicts for type checkers; nothing checks them
when a program runs. Here each is made again for pydantic, with members that are
not declared forbidden, and with every Iterable a list: pydantic looks into an
Iterable only when somebody reads it, which is too late.
"""

import collections.abc
import os
import types
import typing

import typing_extensions
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

_made = {}


def adapter(typed):
    """Returns what validates values of a type, strictly."""
    return TypeAdapter(_strict(typed))


def errors(of, value):
    """Returns what is wrong with a value: one line for each fault."""
    try:
        of.validate_python(value, strict=True)
    except ValidationError as e:
        return describe(e)
    return []


def describe(error):
    """Returns one line for each fault, with its place in the value."""
    lines = []
    for fault in _meant(error.errors(include_url=False)):
        place = ".".join(str(step) for step in fault["loc"] if not _is_type(step))
        line = f"{place}: {fault['msg']}"
        if line not in lines:
            lines.append(line)
    return lines if len(lines) <= 12 else lines[:12] + [f"and {len(lines) - 12} more"]


def _is_type(step):
    """Says whether a step of a path names a type of the SDK, not a member."""
    return isinstance(step, str) and ("[" in step or step == "str" or step[:1].isupper())


def _meant(faults):
    """Leaves out the faults of those alternatives of a union that the value does
    not claim to be: its type or role is another, or it is no string at all. Where
    it claims to be none of them, all are kept."""
    others = set()
    for fault in faults:
        loc = fault["loc"]
        if loc and loc[-1] == "str":
            others.add(loc)
        elif loc and loc[-1] in ("type", "role") and fault["type"] in ("literal_error", "missing"):
            others.add(loc[:-1])

    kept = [fault for fault in faults if others.isdisjoint(_places(fault["loc"]))]
    decided = {place for fault in kept for place in _places(fault["loc"])}
    # The outermost alternatives of unions of which none was claimed.
    undecided = {other for other in others if other[:-1] not in decided and others.isdisjoint(_places(other[:-1]))}
    return [fault for fault in faults if fault in kept or not undecided.isdisjoint(_places(fault["loc"]))] or faults


def _places(loc):
    """Returns a path, and all that it goes through."""
    return {loc[:n] for n in range(1, len(loc) + 1)}


def _strict(t):
    origin = typing.get_origin(t)
    args = typing.get_args(t)
    if _stays_in_program(t):
        return typing_extensions.Never
    if typing_extensions.is_typeddict(t):
        return _strict_dict(t)
    if origin in (typing.Union, types.UnionType):
        made = tuple(m for m in map(_strict, args) if m is not typing_extensions.Never)
        return typing.Union[made] if made else typing_extensions.Never
    if origin is typing.Annotated:
        return _strict(args[0])  # what the annotations say is for sending
    if origin is dict:
        return dict[args[0], _strict(args[1])]
    if isinstance(origin, type) and (issubclass(origin, collections.abc.Iterable) or origin.__name__ == "SequenceNotStr"):
        return list[_strict(args[0])]
    return t


def _stays_in_program(t):
    """Says whether it exists in a program only, and is never sent as it is: a file,
    or an answer of the SDK that is passed back."""
    if isinstance(t, type) and issubclass(t, BaseModel):
        return True
    return t is os.PathLike or typing.get_origin(t) in (typing.IO, os.PathLike)


def _strict_dict(t):
    if t not in _made:
        presences = _presences(t)
        members = {}
        for name, hint in typing_extensions.get_type_hints(t, include_extras=True).items():
            presence = presences[name]
            if typing.get_origin(hint) in (typing_extensions.Required, typing_extensions.NotRequired):
                presence, (hint,) = typing.get_origin(hint), typing.get_args(hint)
            members[name] = presence[_strict(hint)]
        made = typing_extensions.TypedDict(t.__name__, members)
        # A schema of the user's own, such as that of a tool's input, may be open.
        extra = getattr(t, "__pydantic_config__", {}).get("extra", "forbid")
        made.__pydantic_config__ = ConfigDict(extra=extra)
        _made[t] = made
    return _made[t]


def _presences(t):
    """Returns for each member whether it is required where its annotation does not
    say. Not from __required_keys__, which cannot read annotations that are text."""
    presences = {}
    for base in getattr(t, "__orig_bases__", ()):
        if typing_extensions.is_typeddict(base) and base is not typing_extensions.TypedDict:
            presences |= _presences(base)
    own = typing_extensions.Required if t.__total__ else typing_extensions.NotRequired
    return {name: presences.get(name, own) for name in t.__annotations__}
