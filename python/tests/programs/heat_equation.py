"""Heat spreads from the hot edge of a plate."""


def main(np):
    u = np.zeros((20, 20))
    u[0, :] = 100.0
    for _ in range(15):
        old = u.copy()
        u[1:-1, 1:-1] = old[1:-1, 1:-1] + 0.2 * (
            old[2:, 1:-1] + old[:-2, 1:-1] + old[1:-1, 2:] + old[1:-1, :-2] - 4 * old[1:-1, 1:-1]
        )
        u[:, 0] = u[:, 1]
        u[:, -1] = u[:, -2]
    change = np.abs(u - old).max()
    print("last change %g" % change)
    return u, change, u[1:-1].mean(axis=1)
