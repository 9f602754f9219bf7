"""Means of numbers that fall into the cells of a table, of which some get none."""


def main(np):
    rng = np.random.RandomState(2)
    i, j, value = rng.randint(0, 8, 60), rng.randint(0, 8, 60), rng.rand(60)
    total, count = np.zeros((8, 8)), np.zeros((8, 8), dtype=int)
    np.add.at(total, (i, j), value)
    np.add.at(count, (i, j), 1)
    mean = np.divide(total, count, out=np.full_like(total, -1), where=count > 0)
    starts = np.concatenate(([0], np.cumsum(np.count_nonzero(total, axis=1))))
    kept = total[total != 0]
    rows = np.array([kept[starts[r] : starts[r + 1]].sum() for r in range(8)])
    print(f"{count.max()} at most, {(count == 0).sum()} empty, mean {mean[count > 0].mean():.4f}")
    return mean, starts, rows, total.sum(axis=1, where=count > 1), mean.ravel(order="F")
