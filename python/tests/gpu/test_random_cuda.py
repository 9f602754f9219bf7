"""Some seconds of random graphs on CUDA devices; hours of them by command, see
../random_graphs.py."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import random_graphs


def test_random_graphs_on_cuda():
    assert random_graphs.run(int.from_bytes(os.urandom(3), "big"), "cuda", seconds=6) > 0
