"""Ordinary least squares by the normal equations, with the share of variance explained."""


def main(np):
    np.random.seed(1)
    n = 500
    x = np.random.randn(n, 3)
    y = 1.5 + x @ np.array([2.0, -1.0, 0.5]) + 0.1 * np.random.randn(n)
    X = np.hstack([np.ones((n, 1)), x])
    w = np.linalg.solve(X.T @ X, X.T @ y)
    residual = y - X @ w
    r2 = 1 - np.sum(residual**2) / np.sum((y - y.mean()) ** 2)
    print(f"r2 = {r2:.4f}, w = {w}")
    assert np.allclose(w, [1.5, 2, -1, 0.5], atol=0.05)
    return w, r2
