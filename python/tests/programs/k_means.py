"""Lloyd's algorithm on three clouds of points."""


def main(np):
    np.random.seed(42)
    X = np.vstack([np.random.randn(60, 2) + center for center in ([0, 0], [6, 6], [0, 7])])
    centroids = X[np.random.choice(len(X), 3, replace=False)].copy()
    for _ in range(6):
        distances = np.linalg.norm(X[:, np.newaxis] - centroids, axis=2)
        labels = np.argmin(distances, axis=1)
        new = np.array([X[labels == k].mean(axis=0) for k in range(3)])
        if np.allclose(new, centroids):
            break
        centroids = new
    inertia = ((X - centroids[labels]) ** 2).sum()
    return centroids, labels, np.bincount(labels), inertia
