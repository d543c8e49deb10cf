"""Finds the sidecar of this user, by docs/discovery.md."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import stat
import struct
import subprocess
import sys
import unicodedata
from typing import Callable, Mapping, NamedTuple

from toolresult.errors import NoSidecarError, UnavailableError

_MAX_ADDRESS_FILE = 16 << 10  # bytes
_MAX_CONNECT = 1.0  # seconds; the kernel connects or rejects at once
_MAX_ENSURE = 60.0  # seconds; the command itself waits for 10
_ABSENT = (errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR)


class _Rejected(Exception):
    """A place that is not to be used, and why."""


class _Place(NamedTuple):
    path: str  # of a socket
    named: bool  # by the user: it is used, whoever serves there


def find(start: bool, environment: Mapping[str, str] | None = None) -> str:
    """Return the address of the sidecar of this user, and start one where none runs if that is wanted."""
    env = os.environ if environment is None else environment
    address = env.get("TOOLRESULT_ADDRESS", "")
    if address.startswith("/"):
        raise UnavailableError(f"TOOLRESULT_ADDRESS {address}: write unix://{address}", hint="", retryable=False)
    if address:
        return address
    if sys.platform == "win32":  # there are no sockets with owners
        raise NoSidecarError("on Windows a sidecar is named by TOOLRESULT_ADDRESS: it runs in WSL, and listens on a loopback address")
    if start and env.get("TOOLRESULT_CONFIG"):
        return _ensure(env)  # the command reads that file
    reasons: list[str] = []
    for place in _places(env, reasons):
        try:
            _check_peer(place)
            return "unix://" + place.path
        except _Rejected as reason:
            reasons.append(str(reason))
        except OSError as error:
            if isinstance(error, socket.timeout) or error.errno == errno.EAGAIN:
                raise UnavailableError(f"the sidecar at unix://{place.path} does not answer") from error
            if error.errno == errno.EPERM:  # of a sandbox
                raise UnavailableError(f"the sidecar at unix://{place.path}: connections are denied") from error
            if error.errno not in _ABSENT:
                reasons.append(f"{place.path}: {error.strerror or error}")
    if start:
        return _ensure(env)
    raise NoSidecarError(": ".join(["no sidecar runs", *reasons]))


def _places(env: Mapping[str, str], reasons: list[str]) -> list[_Place]:
    """Return where to look, in order. It adds why an address file is not followed to reasons."""
    named, file = env.get("TOOLRESULT_SOCKET", ""), env.get("TOOLRESULT_ADDRESS_FILE", "")
    if named:
        # Who names a socket means that one, also beside an address file of the runtime directory.
        return [*_of_file(file, reasons), _Place(named, True)]
    runtime = _runtime_directory(env)
    default = _Place(os.path.join(runtime, "toolresult.sock"), False)
    return [*(p for p in _of_file(file or os.path.join(runtime, "address"), reasons) if p != default), default]


def _of_file(path: str, reasons: list[str]) -> list[_Place]:
    """Return the place that an address file names, or none. An empty path is no file."""
    if not path:
        return []
    try:
        return [_Place(_read_address(path), False)]
    except FileNotFoundError:
        return []
    except (_Rejected, OSError, ValueError) as error:
        reasons.append(f"address file {path}: {error}")
        return []


def _runtime_directory(env: Mapping[str, str]) -> str:
    directory = env.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(directory):  # a relative one counts as unset, as the XDG specification has it
        return os.path.join(directory, "toolresult")
    temporary = env.get("TMPDIR", "")
    return os.path.join(temporary if os.path.isabs(temporary) else "/tmp", f"toolresult-{os.getuid()}")


def _read_address(path: str) -> str:
    """Return the path of the socket that an address file names. It follows none that another user could have written."""
    directory = os.path.dirname(path) or "."
    _check_owned(os.lstat(directory), directory, stat.S_ISDIR, "is no directory", 0o022)
    # What is no file, such as a pipe, would be waited for.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        _check_owned(os.fstat(descriptor), path, stat.S_ISREG, "is no file", 0o022)
        content = json.loads(file.read(_MAX_ADDRESS_FILE))
    address = content.get("address") if isinstance(content, dict) else None
    if not isinstance(address, str) or not address.startswith("unix:///") or any(unicodedata.category(c) == "Cc" for c in address):
        raise _Rejected(f"has the address {address!r}, which is not unix:///PATH")
    return address[len("unix://") :]


def _check_owned(info: os.stat_result, path: str, is_kind: Callable[[int], bool], otherwise: str, permissions: int) -> None:
    """Check the kind and the owner of a file, and that it has none of the permissions."""
    if not is_kind(info.st_mode):
        raise _Rejected(f"{path} {otherwise}")
    if info.st_uid != os.geteuid():
        raise _Rejected(f"{path} belongs to another user")
    if info.st_mode & permissions:
        raise _Rejected(f"{path} has mode {stat.S_IMODE(info.st_mode):04o}, which lets other users in")


def _check_peer(place: _Place) -> None:
    """Connect to a socket, and check that a process of this user listens there, unless the user named it."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_MAX_CONNECT)
        connection.connect(place.path)
        if place.named:
            return
        if hasattr(socket, "SO_PEERCRED"):
            _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
            if uid != os.geteuid():
                raise _Rejected(f"{place.path} is served by another user ({uid})")
            return
    directory = os.path.dirname(place.path)
    _check_owned(os.lstat(place.path), place.path, stat.S_ISSOCK, "is no socket", 0)
    _check_owned(os.lstat(directory), directory, stat.S_ISDIR, "is no directory", 0o077)


def _ensure(env: Mapping[str, str]) -> str:
    """Run `toolresult ensure`, in a session of its own, so that no signal to this process ends the sidecar that it starts."""
    name = env.get("TOOLRESULT_BINARY") or "toolresult"
    program = shutil.which(name, path=env.get("PATH"))
    if program is None:
        raise NoSidecarError(f"start a sidecar: there is no program {name}", hint="install toolresult, or set TOOLRESULT_BINARY")
    try:
        ended = subprocess.run(
            [program, "ensure"], env=dict(env), stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, timeout=_MAX_ENSURE
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"start a sidecar: {error}") from error
    if ended.returncode != 0:
        why = ended.stderr.decode(errors="replace").strip()
        raise UnavailableError(f"start a sidecar: {why or f'toolresult ensure ended with {ended.returncode}'}")
    return ended.stdout.decode().strip()
