"""Some seconds of random graphs; hours of them by command, see random_graphs.py."""

import os

import random_graphs


def test_random_graphs():
    assert random_graphs.run(int.from_bytes(os.urandom(3), "big"), "host", seconds=8) > 20
