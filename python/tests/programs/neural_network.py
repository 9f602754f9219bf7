"""A network with one hidden layer learns exclusive or."""


def main(np):
    np.random.seed(1)
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    y = np.array([[0], [1], [1], [0]])
    W1, b1 = np.random.randn(2, 4), np.zeros((1, 4))
    W2, b2 = np.random.randn(4, 1), np.zeros((1, 1))
    losses = []
    for _ in range(12):
        hidden = np.tanh(X @ W1 + b1)
        out = 1 / (1 + np.exp(-(hidden @ W2 + b2)))
        losses.append(float(np.mean((out - y) ** 2)))
        d_out = (out - y) * out * (1 - out)
        d_hidden = d_out @ W2.T * (1 - hidden**2)
        W2 -= 2 * hidden.T @ d_out
        b2 -= 2 * d_out.sum(axis=0, keepdims=True)
        W1 -= 2 * X.T @ d_hidden
        b1 -= 2 * d_hidden.sum(axis=0, keepdims=True)
    print("loss %.4f -> %.4f" % (losses[0], losses[-1]))
    return W1, W2, losses, np.round(out)
