"""Walks of plus and minus one: how far they get."""


def main(np):
    np.random.seed(10)
    walks, length = 200, 100
    steps = np.random.choice([-1, 1], size=(walks, length))
    position = np.cumsum(steps, axis=1)
    start = np.zeros((walks, 1), dtype=int)
    position = np.concatenate((start, position), axis=1)
    farthest = np.max(np.abs(position), axis=1)
    reached = (np.abs(position) >= 10).any(axis=1)
    first = (np.abs(position[reached]) >= 10).argmax(axis=1)
    spread = np.std(position[:, -1])
    print("reached:", reached.sum(), "mean first time:", first.mean())
    return farthest, first, spread
