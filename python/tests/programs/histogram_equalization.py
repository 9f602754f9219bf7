"""Spreads the grey values of a dark image over the whole range."""


def main(np):
    np.random.seed(3)
    image = np.random.randint(20, 90, size=(40, 50)).astype(np.uint8)
    hist, bins = np.histogram(image.flatten(), 256, [0, 256])
    cdf = hist.cumsum()
    cdf = 255 * cdf / cdf[-1]
    result = np.interp(image.flatten(), bins[:-1], cdf).reshape(image.shape)
    print("before:", image.min(), image.max(), "after:", result.min(), result.max())
    return hist, result.astype(np.uint8), np.median(result)
