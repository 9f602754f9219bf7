"""Trains a network in JAX with optax: one jitted step, and batches from NumPy. The loss is read
every ten steps."""

import measure

# isort: split
import jax
import jax.numpy as jnp
import numpy as np
import optax

BATCH, WIDTH, STEPS = 256, 1024, 200


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 5)
    weights = [jax.random.normal(key, (WIDTH, WIDTH)) * 0.03 for key in keys]
    optimizer = optax.adamw(1e-4)
    state = optimizer.init(weights)
    random = np.random.default_rng(1)
    batches = [random.standard_normal((BATCH, WIDTH), dtype=np.float32) for _ in range(4)]

    def loss_of(weights, x):
        h = x
        for one in weights:
            h = jnp.tanh(h @ one)
        return jnp.mean((h - x) ** 2)

    @jax.jit
    def update(weights, state, x):
        loss, gradients = jax.value_and_grad(loss_of)(weights, x)
        updates, state = optimizer.update(gradients, state, weights)
        return optax.apply_updates(weights, updates), state, loss

    number = 0

    def step():
        nonlocal weights, state, number
        weights, state, loss = update(weights, state, batches[number % len(batches)])
        number += 1
        if number % 10 == 0:
            float(loss)
        return loss

    measure.run(
        "JAX training",
        step,
        wait=lambda: jax.block_until_ready(weights),
        calls=STEPS,
        tolerance=0.01,
    )


if __name__ == "__main__":
    main()
