"""A measured curve: interpolation, slope, area."""


def main(np):
    t = np.array([0.0, 0.5, 1.1, 2.0, 3.2, 4.0])
    v = np.array([0.0, 1.2, 2.5, 3.1, 2.0, 0.4])
    fine = np.linspace(0, 4, 41)
    curve = np.interp(fine, t, v)
    slope = np.gradient(curve, fine)
    area = np.trapezoid(curve, fine)
    crossings = np.where(np.diff(np.sign(curve - 1.5)))[0]
    print(f"area {area:.3f}, steepest {slope.max():.2f} at {fine[slope.argmax()]:.1f}")
    return curve, slope, area, crossings
