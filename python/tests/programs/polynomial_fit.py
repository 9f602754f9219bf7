"""A cubic through noisy points, and its roots."""


def main(np):
    np.random.seed(6)
    x = np.linspace(-2, 2, 60)
    y = x**3 - 2 * x + 0.5 + np.random.normal(0, 0.1, x.shape)
    c = np.polyfit(x, y, 3)
    fitted = np.polyval(c, x)
    A = np.vander(x, 4)
    c2, *_ = np.linalg.lstsq(A, y, rcond=None)
    assert np.allclose(c, c2)
    error = np.sqrt(((fitted - y) ** 2).mean())
    print("coefficients:", np.round(c, 2), f"error {error:.3f}")
    return c, fitted, error
