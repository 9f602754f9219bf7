"""TIFF stacks: the pages of a file, or a file for each slice. Files are written as uncompressed
BigTIFF, so that partitions may come in any order."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass

import numpy as np

from .file_locations import library
from .sinks import NpySink
from .sources import NpyPart


def tifffile():
    """Returns the library tifffile. Raises ImportError if it is not installed."""
    return library("tifffile", "tiff", "TIFF")


@dataclass(frozen=True)
class RawPart(NpyPart):
    """Part of an image that a file has uncompressed, possibly in the other byte order."""

    is_swapped: bool = False

    def read(self, into):
        super().read(into)
        if self.is_swapped:
            into.byteswap(inplace=True)


@dataclass(frozen=True)
class Pages:
    """Part of the first series of a file, page by page. `lead` axes are those of pages, the others
    those within a page."""

    path: str
    lead: tuple
    index: tuple
    home = "file"

    def read(self, into):
        ranges = [range(part.start, part.stop) for part in self.index[: len(self.lead)]]
        inner = self.index[len(self.lead) :]
        with tifffile().TiffFile(self.path) as file:
            pages = file.series[0].pages
            starts = [each.start for each in ranges]
            for at in itertools.product(*ranges):
                number = int(np.ravel_multi_index(at, self.lead)) if at else 0
                place = tuple(i - start for i, start in zip(at, starts))
                into[(*place, ...)] = pages[number].asarray()[inner]


@dataclass(frozen=True)
class Files:
    """A file for each element of the first axis."""

    paths: tuple
    shape: tuple
    index: tuple
    home = "file"

    def read(self, into):
        first, *inner = self.index
        for i, path in enumerate(self.paths[first]):
            image = tifffile().imread(path)
            if image.shape != self.shape or image.dtype != into.dtype:
                raise ValueError(
                    f"{path} is {image.dtype}{list(image.shape)}, and the first of its stack"
                    f" {into.dtype}{list(self.shape)}"
                )
            into[i] = image[tuple(inner)]


class TiffSink(NpySink):
    """One series of gray pages, with the last two axes in each page."""

    def __init__(self, array, path):
        if array.ndim < 2 or array.dtype.kind not in "iufc" or not array.size:
            raise ValueError(
                f"to_tiff: {array.dtype}{list(array.shape)} is not a stack of images of numbers;"
                " give two axes at least, none of them empty, and booleans as uint8"
            )
        super().__init__(array, path)

    def open(self, backend):
        library = tifffile()
        self.draft.open_file()
        with library.TiffWriter(self.draft.name, bigtiff=True) as writer:
            self.offset, _ = writer.write(
                None,
                shape=self.array.shape,
                dtype=self.array.dtype,
                photometric="minisblack",
                returnoffset=True,
            )
        os.posix_fallocate(self.draft.descriptor, self.offset, self.array.nbytes)
