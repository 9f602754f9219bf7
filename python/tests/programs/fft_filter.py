"""Removes the noise of a signal above a frequency."""


def main(np):
    np.random.seed(0)
    t = np.linspace(0, 1, 512, endpoint=False)
    clean = np.sin(2 * np.pi * 5 * t) + 0.5 * np.sin(2 * np.pi * 12 * t)
    noisy = clean + 0.3 * np.random.randn(len(t))
    spectrum = np.fft.rfft(noisy)
    frequency = np.fft.rfftfreq(len(t), d=t[1] - t[0])
    spectrum[frequency > 20] = 0
    filtered = np.fft.irfft(spectrum, n=len(t))
    peak = frequency[np.argmax(np.abs(spectrum))]
    rms = np.sqrt(np.mean((filtered - clean) ** 2))
    print(f"peak at {peak:.0f} Hz, rms error {rms:.3f}")
    return filtered, peak, rms
