"""Some random graphs on CUDA devices, the same at each run; hours of others by command, see ../random_graphs.py."""

import os
import sys

sys.path.append(os.path.join(os.path.dirname(__file__), ".."))
import random_graphs


def test_random_graphs_on_cuda():
    assert random_graphs.run(1, "cuda", count=2) == 2
