"""Five bodies under gravity, by leapfrog steps."""


def acceleration(np, position, mass):
    apart = position[None, :, :] - position[:, None, :]
    distance2 = (apart**2).sum(axis=-1) + 0.01
    np.fill_diagonal(distance2, 1.0)
    pull = mass[None, :, None] * apart / distance2[..., None] ** 1.5
    return pull.sum(axis=1)


def main(np):
    rng = np.random.RandomState(3)
    position, velocity = rng.uniform(-1, 1, (5, 3)), rng.randn(5, 3) * 0.1
    mass = np.full(5, 0.2)
    velocity -= np.average(velocity, axis=0, weights=mass)
    dt = 0.01
    a = acceleration(np, position, mass)
    for _ in range(8):
        velocity += a * dt / 2
        position += velocity * dt
        a = acceleration(np, position, mass)
        velocity += a * dt / 2
    energy = 0.5 * (mass * (velocity**2).sum(axis=1)).sum()
    momentum = (mass[:, None] * velocity).sum(axis=0)
    assert np.allclose(momentum, 0, atol=1e-12)
    return position, energy
