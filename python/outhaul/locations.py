"""Where files are: on the machine of the runtime, or behind a URL that fsspec knows, as
"s3://bucket/a.npy"; and the libraries that only some files need."""

import importlib
import os


def library(name, extra, what):
    """A library that is not always there. Raises ImportError that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        message = f"{what} needs {name.partition('.')[0]}: pip install 'outhaul[{extra}]'"
        raise ImportError(message) from error


def is_url(path):
    return isinstance(path, str) and "://" in path


def full(path):
    """The path from the root; a URL as it is."""
    return path if is_url(path) else os.path.abspath(path)


def filesystem(url):
    """What holds the file, and its name there. Raises ImportError where fsspec, or what it needs
    for such URLs, is not there."""
    return library("fsspec.core", "urls", f"reading {url}").url_to_fs(url)


def opened(path):
    """The file, for reading at any place."""
    if not is_url(path):
        return open(path, "rb")
    system, name = filesystem(path)
    return system.open(name, "rb")


def size_bytes(path):
    if not is_url(path):
        return os.path.getsize(path)
    system, name = filesystem(path)
    return system.size(name)
