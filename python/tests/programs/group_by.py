"""Sums, means and runs of groups in a table."""


def main(np):
    rng = np.random.RandomState(12)
    group = rng.randint(0, 5, 60)
    value = rng.rand(60).round(3)
    order = np.argsort(group, kind="stable")
    group, value = group[order], value[order]
    names, starts, counts = np.unique(group, return_index=True, return_counts=True)
    sums = np.add.reduceat(value, starts)
    means = np.bincount(group, weights=value) / counts
    parts = np.split(value, starts[1:])
    medians = [np.median(part) for part in parts]
    bins = np.digitize(value, [0.25, 0.5, 0.75])
    table = np.zeros((5, 4), int)
    for g, b in zip(group, bins):
        table[g, b] += 1
    print(table, names.tolist())
    return sums, means, medians, table
