"""Three ways to smooth a series."""


def main(np):
    x = np.sin(np.arange(100) / 7) + np.arange(100) % 3
    window = 5
    a = np.convolve(x, np.ones(window) / window, mode="valid")
    c = np.cumsum(np.insert(x, 0, 0.0))
    b = (c[window:] - c[:-window]) / window
    assert np.allclose(a, b)
    smooth = np.empty_like(x)
    smooth[0] = x[0]
    for i in range(1, 20):
        smooth[i] = 0.3 * x[i] + 0.7 * smooth[i - 1]
    return a, b, smooth[:20]
