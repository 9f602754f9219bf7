"""What client and server of a runtime agree on: one gRPC method, pickles in pieces, a key. A
request runs code on the server by design, so nothing is unpickled before the key has been compared.
Deliberately absent: encryption; beyond the loopback, use ssh or a network of your own."""

import os
import secrets
import sys
from importlib.metadata import version

from .parcel import pack

SERVICE = "outhaul.Runtime"
METHOD = "Call"
PIECE_BYTES = 2 << 20
REQUEST_BYTES_MAX = 64 << 30
"""The largest request: a graph with the arrays that travel with it."""
CALLS_MAX = 16
"""Calls at a time; runs take turns, so most of them wait."""
CLIENTS_MAX = 1000
"""Calls that are open, those included that wait for one of the sixteen to end; one more is
refused."""
DEFAULT_ADDRESS = "127.0.0.1:7790"
KEY_FILE = "~/.outhaul/runtime.key"


def release():
    """Functions travel as bytecode, so Python's minor version must match as well as ours."""
    return f"outhaul {version('outhaul')}, Python {sys.version_info.major}.{sys.version_info.minor}"


def pieces(value):
    """A pickle in messages that gRPC takes."""
    data = memoryview(pack(value))
    for start in range(0, max(1, len(data)), PIECE_BYTES):
        yield bytes(data[start : start + PIECE_BYTES])


def key_of_this_user(*, create):
    """The key of OUTHAUL_RUNTIME_KEY, else that of ~/.outhaul/runtime.key, which only this user can
    read."""
    if key := os.environ.get("OUTHAUL_RUNTIME_KEY"):
        return key
    path = os.path.expanduser(KEY_FILE)
    if create and not os.path.exists(path):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_hex(32))
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read().strip()
