"""Orthonormal columns by hand, compared with a QR factorization."""


def gram_schmidt(np, A):
    Q = np.zeros_like(A)
    for j in range(A.shape[1]):
        v = A[:, j].copy()
        for i in range(j):
            v -= (Q[:, i] @ A[:, j]) * Q[:, i]
        Q[:, j] = v / np.sqrt(v @ v)
    return Q


def main(np):
    A = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 10], [1, 0, 1]])
    Q = gram_schmidt(np, A)
    q, r = np.linalg.qr(A)
    assert np.allclose(Q.T @ Q, np.identity(3))
    assert np.allclose(np.abs(q), np.abs(Q))
    return Q, np.abs(np.diag(r)), np.abs(np.prod(np.diag(r)))
