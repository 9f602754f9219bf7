"""Averages, spikes and patches by windows that slide over a signal and an image."""


def main(np):
    rng = np.random.RandomState(9)
    signal = rng.randn(100).cumsum()
    windows = np.lib.stride_tricks.sliding_window_view(signal, 10)
    mean, deviation = windows.mean(axis=-1), windows.std(axis=-1)
    score = (signal[9:] - mean) / deviation
    spikes = np.flatnonzero(np.abs(score) > 2)
    total = np.cumsum(np.insert(signal, 0, 0))
    print("spikes at", spikes.tolist(), np.allclose(mean, (total[10:] - total[:-10]) / 10))
    patches = np.lib.stride_tricks.sliding_window_view(rng.rand(12, 12), (3, 3))
    return mean, deviation, score, patches.max(axis=(2, 3))
