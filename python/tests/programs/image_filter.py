"""Blurs an image and finds its edges with Sobel's filter."""


def main(np):
    y, x = np.mgrid[0:48, 0:64]
    image = ((x - 30) ** 2 + (y - 20) ** 2 < 200).astype(np.float64) * 255
    padded = np.pad(image, 1, mode="edge")
    blurred = np.zeros_like(image)
    for dy in range(3):
        for dx in range(3):
            blurred += padded[dy : dy + 48, dx : dx + 64]
    blurred /= 9
    gx = np.zeros(image.shape)
    gy = np.zeros(image.shape)
    gx[:, 1:-1] = blurred[:, 2:] - blurred[:, :-2]
    gy[1:-1, :] = blurred[2:, :] - blurred[:-2, :]
    edges = np.sqrt(gx**2 + gy**2)
    edges = np.clip(edges / edges.max() * 255, 0, 255).astype(np.uint8)
    return blurred, edges, np.count_nonzero(edges > 128)
