"""Files of this user that no other user can exchange. Opening one never follows a link and never
waits for a pipe, and a file appears as a whole."""

import contextlib
import errno
import os
import stat
import tempfile
import warnings

PRIVATE_FOLDER = 0o700
OTHERS = 0o077
"""Bits of the permissions of users other than the owner."""


def is_trusted(state):
    """Returns whether a file belongs to this user or to root, who could do worse without it."""
    return state.st_uid in (0, os.geteuid())


def open_regular(path, flags=os.O_RDONLY):
    """Returns a descriptor of a regular file that belongs to this user or to root. Raises OSError
    for anything else."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    state = os.fstat(descriptor)
    if stat.S_ISREG(state.st_mode) and is_trusted(state):
        return descriptor
    os.close(descriptor)
    raise PermissionError(errno.EPERM, "is not a regular file of this user; remove it", path)


def private_folder(path):
    """Creates a folder that only this user can enter. Raises PermissionError if others can write to
    it, or if it belongs to another user."""
    os.makedirs(path, mode=PRIVATE_FOLDER, exist_ok=True)
    state = os.stat(path)
    if not is_trusted(state) or state.st_mode & stat.S_IWOTH:
        raise PermissionError(
            errno.EPERM, "other users can exchange the files there; `chmod go-w` ends that", path
        )


def read_private(path):
    """Returns the text of a file that only its owner may read. Narrows its permissions, with a
    warning, if others could."""
    with open(open_regular(path)) as file:
        state = os.fstat(file.fileno())
        if state.st_mode & OTHERS and state.st_uid == os.geteuid():
            os.fchmod(file.fileno(), stat.S_IMODE(state.st_mode) & ~OTHERS)
            warnings.warn(
                f"{path} could be read by other users; now only its owner can read it",
                stacklevel=2,
            )
        return file.read()


def write_private(path, text, *, replace=True):
    """Writes a file that only this user can read. Without `replace`, an existing file remains."""
    descriptor, partial = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=".outhaul-")
    try:
        with open(descriptor, "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(partial, path)
        else:
            with contextlib.suppress(FileExistsError):
                os.link(partial, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(partial)
