"""A progress bar: `with outhaul.progress(): array.compute()`. It shows the number of subtasks and
the bytes that have moved."""

import contextlib
import sys

from ..runtime.events import listening
from ..sizes import format_bytes


class Bar:
    """A listener that shows a bar of tqdm."""

    def __init__(self, file):
        self.file = file
        self.bar = None

    def began(self, subtasks, gpus):
        from tqdm import tqdm

        self.close()
        self.moved_bytes = 0
        self.bar = tqdm(
            total=subtasks,
            unit="subtask",
            file=self.file,
            desc=f"{len(gpus)} GPUs" if len(gpus) > 1 else "1 GPU",
        )

    def ended(self, span):
        self.moved_bytes += span.nbytes
        if span.kind == "compute":
            self.bar.set_postfix_str(f"{format_bytes(self.moved_bytes)} moved", refresh=False)
            self.bar.update()

    def close(self):
        if self.bar is not None:
            self.bar.close()


@contextlib.contextmanager
def progress(file=None):
    """Shows in `file`, by default stderr, how many subtasks have run and how many bytes have moved,
    for computations within the `with`."""
    bar = Bar(file or sys.stderr)
    try:
        with listening(bar):
            yield
    finally:
        bar.close()
