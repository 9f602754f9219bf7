"""Principal components by the covariance matrix."""


def main(np):
    rng = np.random.RandomState(5)
    X = rng.randn(150, 4) @ rng.randn(4, 4)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    cov = np.cov(X, rowvar=False)
    values, vectors = np.linalg.eigh(cov)
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    explained = values / values.sum()
    projected = X @ vectors[:, :2]
    for i, share in enumerate(explained):
        print(f"component {i}: {share:6.1%}")
    return explained, np.abs(projected), np.cumsum(explained)
