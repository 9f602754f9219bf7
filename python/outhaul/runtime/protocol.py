"""The protocol between client and server of a runtime: one gRPC method, pickles in pieces, and a
key. A request runs code on the server by design, so the server unpickles nothing before it has
compared the key. Encryption is deliberately absent: beyond the loopback, use ssh or a private
network."""

import os
import secrets
import sys
from importlib.metadata import version

from ..files.private_files import private_folder, read_private, write_private
from .serialization import pack

SERVICE = "outhaul.Runtime"
METHOD = "Call"
PIECE_BYTES = 2 << 20
REQUEST_BYTES_MAX = 64 << 30
"""Maximum bytes of a request: a graph with the arrays that travel with it."""
CALLS_MAX = 16
"""Maximum number of calls at a time. Runs take turns, so most calls wait."""
CLIENTS_MAX = 1000
"""Maximum number of open calls, including those that wait for one of the sixteen. The server
refuses further calls."""
DEFAULT_ADDRESS = "127.0.0.1:7790"
KEY_FILE = "~/.outhaul/runtime.key"


def release():
    """Returns the release and Python's minor version. Both must match, because functions travel as
    bytecode."""
    return f"outhaul {version('outhaul')}, Python {sys.version_info.major}.{sys.version_info.minor}"


def pieces(value):
    """Yields a pickle in messages that gRPC accepts."""
    data = memoryview(pack(value))
    for start in range(0, max(1, len(data)), PIECE_BYTES):
        yield bytes(data[start : start + PIECE_BYTES])


def key_of_this_user(*, create):
    """Returns the key in OUTHAUL_RUNTIME_KEY, or else in ~/.outhaul/runtime.key, which only this
    user can read."""
    if key := os.environ.get("OUTHAUL_RUNTIME_KEY"):
        return key
    path = os.path.expanduser(KEY_FILE)
    if create and not os.path.exists(path):
        private_folder(os.path.dirname(path))
        write_private(path, secrets.token_hex(32), replace=False)
    return read_private(path).strip() if os.path.exists(path) else ""
