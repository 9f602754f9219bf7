"""An image by its largest singular values."""


def main(np):
    x, y = np.meshgrid(np.linspace(0, 3, 40), np.linspace(0, 2, 30))
    image = np.sin(x * y) + np.cos(3 * x) + 0.1 * np.sin(40 * x + 31 * y)
    U, s, Vt = np.linalg.svd(image, full_matrices=False)
    errors = []
    for k in (1, 3, 8):
        approx = U[:, :k] @ np.diag(s[:k]) @ Vt[:k, :]
        errors.append(np.linalg.norm(image - approx) / np.linalg.norm(image))
        print(f"rank {k}: error {errors[-1]:.4f}, {k * (30 + 40 + 1) / image.size:.0%} of the size")
    energy = np.cumsum(s**2) / np.sum(s**2)
    return s, errors, int(np.searchsorted(energy, 0.99)) + 1
