"""Pi by random points, with the standard error."""


def main(np):
    np.random.seed(123)
    n = 20000
    x = np.random.rand(n)
    y = np.random.rand(n)
    inside = x**2 + y**2 <= 1
    pi = 4 * inside.mean()
    error = 4 * inside.std(ddof=1) / np.sqrt(n)
    assert abs(pi - np.pi) < 5 * error
    print("pi is %.3f +- %.3f" % (pi, error))
    return pi, error, inside.sum()
