"""Incomplete output of a run: a file or folder next to PATH with a unique name, so that two runs
with one path do not collide. A lock shows that its run is alive. A draft without a lock is from a
killed run; the next run with that path removes it."""

import contextlib
import errno
import fcntl
import glob
import os
import secrets
import shutil
import stat

from .journal import path_of
from .private_files import is_trusted, open_regular

MARK = "outhaul-"


class Draft:
    """PATH.outhaul-XXXXXXXX.part, until `take_name` renames it. If PATH is a symbolic link, the
    draft is for its target."""

    def __init__(self, path):
        self.path = os.path.realpath(path)
        self.name = self.descriptor = None

    def open_file(self):
        """Creates the file, open for writing, with the permissions of the file that it will
        replace. Raises IsADirectoryError for a folder."""
        if os.path.isdir(self.path):
            raise IsADirectoryError(errno.EISDIR, "is a folder; name a file in it", self.path)
        self._create(lambda: os.open(self.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        with contextlib.suppress(FileNotFoundError):
            os.fchmod(self.descriptor, stat.S_IMODE(os.stat(self.path).st_mode))

    def adopt(self, is_wanted):
        """Takes over the first file with a wanted name that an ended run has left."""
        for name in self._others():
            with contextlib.suppress(OSError):
                descriptor = open_regular(name, os.O_WRONLY)
                if lock(descriptor) and is_wanted(name):
                    self.name, self.descriptor = name, descriptor
                    return True
                os.close(descriptor)
        return False

    def leave(self):
        """Leaves the file for a run that adopts it."""
        self._close()

    def open_folder(self):
        """Creates an empty folder."""
        self._create(self._make_folder)

    def take_name(self, is_replaceable=lambda path: False):
        """Renames it to PATH, over a file, an empty folder, or a folder that may be replaced."""
        while True:
            try:
                os.rename(self.name, self.path)
                remove(path_of(self.name))
                self._close()
                return
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST) or not is_replaceable(
                    self.path
                ):
                    raise
            self._remove_old()

    def discard(self):
        """Removes all of it."""
        if self.name is not None:
            remove(self.name)
        self._close()

    def _create(self, create):
        self._remove_abandoned()
        while self.descriptor is None:
            self.name = f"{self.path}.{MARK}{secrets.token_hex(4)}.part"
            descriptor = create()
            # Another run may have removed it before it was locked.
            if (
                descriptor is not None
                and lock(descriptor) is not False
                and os.path.exists(self.name)
            ):
                self.descriptor = descriptor
            elif descriptor is not None:
                os.close(descriptor)

    def _make_folder(self):
        os.mkdir(self.name)
        try:
            return os.open(self.name, os.O_RDONLY)
        except FileNotFoundError:
            return None

    def _remove_old(self):
        """Moves the old output away first, so that no reader finds a part of it."""
        aside = f"{self.path}.{MARK}{secrets.token_hex(4)}.part"
        with contextlib.suppress(FileNotFoundError):  # another run may have moved it first
            os.rename(self.path, aside)
            remove(aside)

    def _remove_abandoned(self):
        for name in self._others():
            with contextlib.suppress(OSError):
                descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                try:
                    if is_trusted(os.fstat(descriptor)) and lock(descriptor):
                        remove(name)
                finally:
                    os.close(descriptor)

    def _others(self):
        return sorted(glob.glob(f"{glob.escape(self.path)}.{MARK}????????.part"))

    def _close(self):
        descriptor, self.name, self.descriptor = self.descriptor, None, None
        if descriptor is not None:
            os.close(descriptor)


def lock(descriptor):
    """Locks a file. Returns whether it worked, or None if the file system has no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return None


def remove(path):
    """Removes a file or a folder, if it exists, and its journal."""
    if not path.endswith(path_of("")):
        remove(path_of(path))
    if os.path.isdir(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(FileNotFoundError):
            os.remove(path)
