"""JAX: compilation with autotuning, linear algebra, gradients, random numbers. Every run must
return the same numbers."""

import jax
import jax.numpy as jnp
import numpy as np

import steps


def norm(x):
    return f"{float(jnp.linalg.norm(x.astype(jnp.float32))):.5g}"


def value_and_grad():
    key = jax.random.PRNGKey(0)
    w = jax.random.normal(key, (256, 256))
    x = jax.random.normal(jax.random.PRNGKey(1), (64, 256))

    @jax.jit
    def step(w):
        loss, gradient = jax.value_and_grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)
        return w - 0.1 * gradient, loss

    for _ in range(5):
        w, loss = step(w)
    return f"loss {float(loss):.6f}"


def convolution():
    x = jnp.ones((8, 32, 32, 16))
    w = jnp.full((3, 3, 16, 32), 0.01)
    return norm(
        jax.jit(
            lambda x, w: jax.lax.conv_general_dilated(
                x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
        )(x, w)
    )


def scan():
    halve_and_add = jax.jit(
        lambda: jax.lax.scan(lambda c, x: (c * 0.5 + x, c), 0.0, jnp.arange(100.0))[0]
    )
    return f"{float(halve_and_add()):.5f}"


def matmul(dtype):
    a = (jnp.arange(512 * 512) % 7).reshape(512, 512).astype(dtype)
    return norm(jax.jit(jnp.matmul)(a, a))


def dispatch():
    x = jnp.zeros(16)
    f = jax.jit(lambda x: x + 1)
    f(x).block_until_ready()
    return f"{steps.median_us(lambda: f(x).block_until_ready(), 200):.1f} us"


steps.run(
    {
        "device": lambda: str(jax.devices()[0].device_kind) + ", " + jax.default_backend(),
        "a sum": lambda: str(int(jnp.arange(1000).sum())),
        "matmul fp32": lambda: matmul(jnp.float32),
        "matmul bf16": lambda: matmul(jnp.bfloat16),
        "jit, value_and_grad": value_and_grad,
        "convolution": convolution,
        "scan": scan,
        "sort": lambda: str(np.asarray(jnp.sort(jnp.asarray([3, 1, 2])))),
        "fft": lambda: norm(jnp.abs(jnp.fft.rfft(jnp.arange(4096.0)))),
        "cholesky": lambda: norm(jnp.linalg.cholesky(jnp.eye(64) * 4)),
        "random": lambda: norm(jax.random.normal(jax.random.PRNGKey(3), (1000,))),
        "jit x + 1, waited for": dispatch,
    }
)
