"""Logistic regression by gradient descent."""


def sigmoid(np, z):
    return 1 / (1 + np.exp(-z))


def main(np):
    rng = np.random.RandomState(0)
    X = rng.randn(200, 2)
    y = (X[:, 0] + 2 * X[:, 1] > 0).astype(float)
    w = np.zeros(2)
    b = 0.0
    for _ in range(15):
        p = sigmoid(np, X @ w + b)
        w -= 0.5 * X.T @ (p - y) / len(y)
        b -= 0.5 * np.mean(p - y)
    accuracy = np.mean((sigmoid(np, X @ w + b) > 0.5) == y)
    print("accuracy: %.2f" % accuracy)
    return w, b, accuracy
