"""Fits a recurrent network in JAX: a scan over 256 steps and its gradient in one jitted call. The
loss is read back each time."""

import measure

# isort: split
import jax
import jax.numpy as jnp

BATCH, LENGTH, WIDTH, STEPS = 64, 256, 256, 20


def main():
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    weights = {
        "in": jax.random.normal(keys[0], (WIDTH, WIDTH)) * 0.05,
        "on": jax.random.normal(keys[1], (WIDTH, WIDTH)) * 0.05,
        "out": jax.random.normal(keys[2], (WIDTH, WIDTH)) * 0.05,
    }
    x = jax.random.normal(keys[3], (LENGTH, BATCH, WIDTH))

    def loss_of(weights):
        def cell(h, x):
            h = jnp.tanh(x @ weights["in"] + h @ weights["on"])
            return h, jnp.mean((h @ weights["out"] - x) ** 2)

        return jnp.mean(jax.lax.scan(cell, jnp.zeros((BATCH, WIDTH)), x)[1])

    @jax.jit
    def update(weights):
        loss, gradients = jax.value_and_grad(loss_of)(weights)
        moved = jax.tree_util.tree_map(lambda a, b: a - 0.1 * b, weights, gradients)
        return moved, loss

    def step():
        nonlocal weights
        weights, loss = update(weights)
        return float(loss)

    measure.run(
        "JAX scan",
        step,
        wait=lambda: jax.block_until_ready(weights),
        calls=STEPS,
        tolerance=0.01,
    )


if __name__ == "__main__":
    main()
