"""Sizes in text: 4096, "64 MB", "1.5 GiB", and "80%" of something."""

import re

UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}
PATTERN = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*|%)\s*")


def parse_bytes(size, whole_bytes=None):
    """Returns `size` in bytes. A percentage, and a float of at most 1, is a share of `whole_bytes`.
    Raises ValueError for any other text."""
    if isinstance(size, float) and 0 < size <= 1 and whole_bytes is not None:
        return int(whole_bytes * size)
    if isinstance(size, (int, float)) and size >= 0:
        return int(size)
    match = PATTERN.fullmatch(str(size))
    if match and match[2] == "%" and whole_bytes is not None:
        return int(whole_bytes * float(match[1]) / 100)
    if match and match[2].upper() in UNITS:
        return int(float(match[1]) * UNITS[match[2].upper()])
    raise ValueError(f'"{size}" is not a size: write bytes, "64 MB", "1.5 GiB" or "80%"')


def counted(number, noun, nouns=None):
    """Returns a number of things: "1 GPU", "2 GPUs"."""
    return f"{number} {noun if number == 1 else nouns or noun + 's'}"


def format_bytes(size):
    """Returns the size as text with a unit."""
    for unit in ["B", "KB", "MB", "GB"]:
        if size < 1000:
            return f"{size:.4g} {unit}"
        size /= 1000
    return f"{size:.4g} TB"
