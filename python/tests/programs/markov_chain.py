"""The weather as a Markov chain: its stationary state, exactly and by simulation."""


def main(np):
    counts = np.array([[30, 8, 2], [10, 15, 5], [4, 9, 7]], dtype=float)
    P = counts.copy()
    P /= P.sum(axis=1, keepdims=True)
    assert (np.abs(P.sum(axis=1) - 1) < 1e-12).all()
    far = np.linalg.matrix_power(P, 50)
    A = np.vstack([P.T - np.eye(3), np.ones(3)])
    stationary = np.linalg.lstsq(A, np.array([0, 0, 0, 1.0]), rcond=None)[0]
    np.random.seed(9)
    state, visits = 0, np.zeros(3)
    for _ in range(40):
        state = np.random.choice(3, p=P[state])
        visits[state] += 1
    print(np.array_equal(np.round(far[0], 6), np.round(stationary, 6)))
    return far, stationary, visits
