"""Some random graphs, the same at each run; hours of others by command, see random_graphs.py."""

import random_graphs


def test_random_graphs():
    assert random_graphs.run(1, "host", count=60) == 60
