"""The Mandelbrot set by the number of steps until escape."""


def main(np):
    x = np.linspace(-2, 0.5, 40)
    y = np.linspace(-1.2, 1.2, 30)
    c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    steps = np.zeros(c.shape, dtype=int)
    for _ in range(8):
        alive = np.abs(z) <= 2
        z[alive] = z[alive] ** 2 + c[alive]
        steps[alive] += 1
    return steps, (steps == 8).sum()
