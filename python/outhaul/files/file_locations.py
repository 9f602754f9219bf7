"""Locations of files: on the runtime's machine, or at a URL that fsspec knows, such as
"s3://bucket/a.npy"; and the libraries that only some files need."""

import importlib
import os


def library(name, extra, what):
    """Imports an optional library. Raises ImportError with advice for installing it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f"{what} needs {name.partition('.')[0]}: pip install 'outhaul[{extra}]'"
        raise ImportError(message) from error


def is_url(path):
    """Returns whether a path is a URL."""
    return isinstance(path, str) and "://" in path


def full(path):
    """Returns the absolute path; returns a URL unchanged."""
    return path if is_url(path) else os.path.abspath(path)


def filesystem(url):
    """Returns the file system of a URL, and the file's name there. Raises ImportError if fsspec or
    a library that it needs is missing."""
    return library("fsspec.core", "urls", f"reading {url}").url_to_fs(url)


def opened(path):
    """Opens the file for reading at any position."""
    if not is_url(path):
        return open(path, "rb")
    system, name = filesystem(path)
    return system.open(name, "rb")


def size_bytes(path):
    """Returns the size of a file in bytes."""
    if not is_url(path):
        return os.path.getsize(path)
    system, name = filesystem(path)
    return system.size(name)
