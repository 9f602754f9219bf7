"""Classifies points by the majority of their five nearest neighbours."""


def main(np):
    rng = np.random.RandomState(2)
    train = np.concatenate([rng.randn(40, 2), rng.randn(40, 2) + 3])
    labels = np.repeat([0, 1], 40)
    test = np.concatenate([rng.randn(10, 2), rng.randn(10, 2) + 3])
    wanted = np.repeat([0, 1], 10)
    squares = (test**2).sum(1)[:, None] + (train**2).sum(1)[None, :] - 2 * test @ train.T
    nearest = np.argsort(squares, axis=1)[:, :5]
    votes = labels[nearest]
    predicted = np.array([np.bincount(row).argmax() for row in votes])
    accuracy = (predicted == wanted).mean()
    print(f"accuracy {accuracy:.0%}")
    return nearest, predicted, accuracy
