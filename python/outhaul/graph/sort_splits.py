"""Cuts of sorted runs that give each partition its exact share, for any data and for all partitions
at once. Equal elements are ordered by their runs, so all elements have one order, and each rank has
one cut. Samples of the runs bound the search."""

import numpy as np

SAMPLES_PER_RUN = 4096


def cuts(runs, ranks):
    """Returns a row for each rank: how many elements of each sorted run come before it. Their sum
    is the rank, and none is greater than an element after the cut. Runs are sorted as NumPy sorts,
    with NaNs last."""
    ranks = np.asarray(ranks, np.int64)
    low, high = bounds(runs, ranks)
    rows = np.flatnonzero(low.sum(axis=1) < ranks)
    guess = True
    while rows.size:
        lower, upper = low[rows], high[rows]
        run = (upper - lower).argmax(axis=1)
        each = np.arange(len(rows))
        first, last = lower[each, run], upper[each, run] - 1
        # Guesses the position for evenly spread elements; every other time takes the middle, which
        # always makes progress.
        share = (
            (ranks[rows] - lower.sum(axis=1)) / (upper.sum(axis=1) - lower.sum(axis=1))
            if guess
            else 0.5
        )
        at = first + np.rint((last - first) * share).astype(np.int64)
        guess = not guess
        before = elements_before(runs, run, at)
        is_behind = before.sum(axis=1) >= ranks[rows]
        # An element before the cut is itself one of the elements before it.
        before[each, run] += ~is_behind
        # The element's own run always gets narrower, so this ends even if a run is not sorted.
        high[rows[is_behind]] = np.minimum(upper[is_behind], before[is_behind])
        low[rows[~is_behind]] = np.maximum(lower[~is_behind], before[~is_behind])
        rows = rows[(low[rows] < high[rows]).any(axis=1)]
    return low


def evenly(runs, ranks):
    """Returns cuts as if all runs were alike; for plans only."""
    lengths = np.array([len(run) for run in runs], np.int64)
    return lengths[None, :] * np.asarray(ranks, np.int64)[:, None] // max(1, lengths.sum())


def bounds(runs, ranks):
    """Returns a row of least and a row of greatest cuts for each rank, from every `step`-th element
    of each run."""
    lengths = np.array([len(run) for run in runs], np.int64)
    step = int(max(1, lengths.max(initial=0) // SAMPLES_PER_RUN))
    samples = np.sort(np.concatenate([run[::step] for run in runs]))
    low, high = np.zeros((len(ranks), len(runs)), np.int64), np.tile(lengths, (len(ranks), 1))
    # At most i times `step` elements come before the i-th sample. At least that many, less `step`
    # for each run, come up to and including it.
    least, greatest = ranks // step, -(-ranks // step) + len(runs)
    known = least < len(samples)
    low[known] = places(runs, samples[least[known]], "left")
    known = greatest < len(samples)
    high[known] = places(runs, samples[greatest[known]], "right")
    return low, high


def elements_before(runs, run, at):
    """Returns a row for each element, the `at`-th of its run: how many elements of each run come
    before it."""
    values = np.empty(len(run), runs[0].dtype)
    for own in np.unique(run):
        values[run == own] = runs[own][at[run == own]]
    # Searching neighbours one after another suits the CPU's caches.
    order = np.argsort(values, kind="stable")
    values, before = values[order], np.empty((len(runs), len(run)), np.int64)
    for i, each in enumerate(runs):
        earlier, found = i < run[order], np.empty(len(run), np.int64)
        found[earlier] = np.searchsorted(each, values[earlier], "right")
        found[~earlier] = np.searchsorted(each, values[~earlier], "left")
        before[i, order] = found
    before[run, np.arange(len(run))] = at
    return np.ascontiguousarray(before.T)


def places(runs, values, side):
    """Returns the index at which each value would go in each run."""
    return np.stack([np.searchsorted(run, values, side) for run in runs], axis=1)
