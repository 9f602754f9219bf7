"""Cleans a table with missing values and outliers."""


def main(np):
    rng = np.random.RandomState(4)
    data = rng.normal(50, 5, (80, 3))
    data[rng.randint(0, 80, 10), 1] = np.nan
    data[5, 0] = 500.0
    means = np.nanmean(data, axis=0)
    missing = np.isnan(data)
    data[missing] = np.take(means, np.where(missing)[1])
    q1, q3 = np.percentile(data, [25, 75], axis=0)
    low, high = q1 - 1.5 * (q3 - q1), q3 + 1.5 * (q3 - q1)
    keep = np.all((data >= low) & (data <= high), axis=1)
    cleaned = data[keep]
    print(f"{(~keep).sum()} rows dropped, {missing.sum()} values filled")
    return cleaned, np.median(cleaned, axis=0), means
