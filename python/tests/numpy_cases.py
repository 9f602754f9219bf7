"""What a program may do with NumPy's arrays, by noun. Each case is a function of a namespace and some arrays: it is called with NumPy and its arrays, and with Outhaul and
lazy ones, and must give the same."""

import numpy as np

import outhaul


def given():
    """Arrays by name: floats, integers, complex numbers; with NaNs, without elements, without axes."""
    random = np.random.default_rng(1)
    return {
        "a": random.integers(-9, 9, (24, 10)).astype("f4"),
        "b": random.integers(1, 9, (24, 10)),
        "row": random.random(10),
        "column": random.random((24, 1)).astype("f4"),
        "line": random.integers(0, 40, 150).astype("i4"),
        "nans": np.where(random.random((24, 10)) < 0.1, np.nan, random.random((24, 10))),
        "cube": random.integers(0, 5, (6, 7, 8)),
        "none": np.zeros((0, 4)),
        "number": np.array(3.5),
        "complex": random.random((5, 6)) + 1j * random.random((5, 6)),
    }


BROADCASTING = [
    lambda xp, g: g.a + g.row,
    lambda xp, g: g.column * g.row,
    lambda xp, g: g.row - g.column + g.number,
    lambda xp, g: g.a[:, None, :] - g.b[None, :5, :4, None][0, :, :, 0][None, :1, :1],
    lambda xp, g: xp.where(g.a > 0, g.a, g.row),
    lambda xp, g: xp.where(g.a > 0, 1, 0),
    lambda xp, g: np.hypot(g.a, g.column),
    lambda xp, g: np.add.outer(g.row, g.row),
    lambda xp, g: xp.broadcast_to(g.row, (3, 10)),
    lambda xp, g: (g.a * 2 - g.b / 3 > 1.5) & (g.a < 6) | (g.b == 3),
    lambda xp, g: xp.clip(g.a, -2, 3),
    lambda xp, g: xp.clip(g.a, -2, None),
    lambda xp, g: g.none + g.none,
    lambda xp, g: divmod(g.b, 4)[1] + g.b // 2 + abs(-g.b) + ~g.b + (1 << g.b),
    lambda xp, g: (g.complex.conj() * g.complex).real + g.complex.imag,
    lambda xp, g: g.a.astype("i2").astype("f8").round(1),
]

INDEXING = [
    *(
        lambda xp, g, key=key: g.a[key]
        for key in (
            np.s_[3:20],
            np.s_[::2],
            np.s_[::-1],
            np.s_[5],
            np.s_[:, 3],
            np.s_[-1, -1],
            np.s_[..., None, -1],
            np.s_[20:2:-3, 4:9],
            np.s_[7:7],
            np.s_[5:1],
            np.s_[...],
            np.s_[[3, 1, 1]],
            np.s_[:, [9, 0, -5]],
            np.s_[[[1, 2], [3, 23]]],
            np.s_[[1, 2], [3, 4]],
            np.s_[[1, 2], None, [3, 4]],
            np.s_[3, [1, 2]],
            np.s_[2:9, [0, 4]],
            np.s_[np.arange(24) % 3 == 0],
            np.s_[:, np.arange(10) > 5],
        )
    ),
    *(
        lambda xp, g, key=key: g.cube[key]
        for key in (
            np.s_[1, :, [0, 2]],
            np.s_[[0, 1], :, [2, 3]],
            np.s_[:, [[0], [1]], [2, 3]],
            np.s_[..., 0],
            np.s_[None, 2, ..., ::3],
            np.s_[[], 1],
        )
    ),
    lambda xp, g: g.a[g.a > 2],
    lambda xp, g: g.cube[g.cube % 2 == 1],
    lambda xp, g: g.a[g.a[:, 0] > 0],
    lambda xp, g: g.cube[g.cube[:, :, 0] > 1],
    lambda xp, g: g.a[g.a > 100],
    lambda xp, g: xp.take(g.a, np.array([2, 0, 2]), axis=1),
    lambda xp, g: g.line[np.argsort(g.line, kind="stable")],
    lambda xp, g: xp.nonzero(g.cube)[1],
    lambda xp, g: xp.take_along_axis(g.a, xp.argsort(g.a, axis=1), axis=1),
    lambda xp, g: g.number[()],
    lambda xp, g: g.number[None],
    lambda xp, g: next(iter(g.a)),
]

REDUCTIONS = [
    *(
        lambda xp, g, name=name, axis=axis, kept=kept: getattr(xp, name)(
            g.a, axis=axis, keepdims=kept
        )
        for name in ("sum", "mean", "max", "min", "all", "any", "var", "std")
        for axis, kept in ((None, False), (0, True), (1, False), ((0, 1), True))
    ),
    *(
        lambda xp, g, name=name, axis=axis: getattr(xp, name)(g.cube, axis=axis)
        for name in ("sum", "prod", "argmax", "argmin")
        for axis in (None, 0, 1, -1)
    ),
    *(
        lambda xp, g, name=name: getattr(xp, name)(g.nans, axis=0)
        for name in ("sum", "max", "min", "argmax", "argmin", "mean")
    ),
    lambda xp, g: xp.argmax(g.nans),
    lambda xp, g: g.cube.sum(axis=(0, 2)),
    lambda xp, g: g.b.sum(dtype="f4"),
    lambda xp, g: g.none.sum(axis=0),
    lambda xp, g: g.none.max(axis=1),
    lambda xp, g: np.add.reduce(g.a),
    lambda xp, g: xp.count_nonzero(g.cube, axis=1),
    lambda xp, g: g.complex.mean(axis=0),
    lambda xp, g: g.complex.var(),
    lambda xp, g: g.a.astype("f2").mean(),
    lambda xp, g: g.a.std(ddof=1, axis=0),
    lambda xp, g: (g.a - g.a.mean(axis=0)) / g.a.std(axis=0),
    lambda xp, g: np.maximum.reduce(g.a, axis=1),
]

SHAPING = [
    lambda xp, g: g.a.T,
    lambda xp, g: g.cube.transpose(1, 2, 0),
    lambda xp, g: g.cube.mT,
    lambda xp, g: xp.moveaxis(g.cube, 0, -1),
    *(
        lambda xp, g, shape=shape: g.cube.reshape(shape)
        for shape in ((-1,), (42, 8), (6, 56), (7, 48), (2, 3, 7, 8), (6, 1, 7, 8), (336, 1))
    ),
    lambda xp, g: g.a.reshape(10, 24),
    lambda xp, g: g.a.ravel(),
    lambda xp, g: g.column.squeeze(),
    lambda xp, g: xp.expand_dims(g.a, 1),
    lambda xp, g: np.concatenate([g.a, g.b]),
    lambda xp, g: np.concatenate([g.a, g.b, g.column], axis=1),
    lambda xp, g: xp.stack([g.a, g.b]),
    lambda xp, g: xp.stack([g.row, g.row], axis=1),
    lambda xp, g: xp.flip(g.cube, axis=1),
    lambda xp, g: xp.roll(g.a, 7),
    lambda xp, g: xp.roll(g.a, (3, -2), axis=(0, 1)),
    lambda xp, g: xp.repeat(g.a, 3, axis=1),
    lambda xp, g: xp.repeat(g.row, np.arange(10)),
    lambda xp, g: xp.tile(g.row, (2, 3)),
    lambda xp, g: xp.tril(g.a, k=-1) + xp.triu(g.a, k=2),
    lambda xp, g: xp.meshgrid(g.row, g.line)[0],
    lambda xp, g: g.none.reshape(4, 0),
    lambda xp, g: g.number.reshape(1, 1),
]

PRODUCTS = [
    lambda xp, g: g.b @ g.b.T,
    lambda xp, g: g.b.T @ g.b,
    lambda xp, g: g.b @ g.line[:10],
    lambda xp, g: g.line[:24] @ g.b,
    lambda xp, g: g.line @ g.line,
    lambda xp, g: g.cube @ g.cube.mT,
    lambda xp, g: g.cube @ g.b[:8],
    lambda xp, g: g.cube[:1] @ g.cube.mT,
    lambda xp, g: xp.tensordot(g.cube, g.cube, axes=([0, 2], [0, 2])),
    lambda xp, g: xp.tensordot(g.cube, g.cube.transpose(2, 0, 1), axes=1),
    lambda xp, g: xp.einsum("ij,ik->jk", g.b, g.b),
    lambda xp, g: xp.einsum("...ij,...kj", g.cube, g.cube),
    lambda xp, g: xp.einsum("ijk->ki", g.cube),
    lambda xp, g: xp.einsum("ij,kj,k->i", g.b, g.b, g.line[:24]),
    lambda xp, g: xp.vecdot(g.b, g.b),
    lambda xp, g: xp.dot(g.b, g.line[:10]),
    lambda xp, g: xp.outer(g.line, g.line[:9]),
]

SORTING = [
    *(lambda xp, g, axis=axis: xp.sort(g.cube, axis=axis) for axis in (0, 1, -1)),
    *(lambda xp, g, axis=axis: np.argsort(g.cube, axis=axis, kind="stable") for axis in (0, 1, -1)),
    lambda xp, g: xp.sort(g.line),
    lambda xp, g: np.argsort(g.line, kind="stable"),
    lambda xp, g: np.argsort(-g.line.astype("f4"), kind="stable"),
    lambda xp, g: (
        np.argsort(-g.line, kind="stable") if xp is np else xp.argsort(g.line, descending=True)
    ),
    lambda xp, g: xp.sort(g.nans, axis=0),
    lambda xp, g: xp.sort(xp.unique_values(g.line)),
    lambda xp, g: xp.unique_counts(g.line).counts,
    *(lambda xp, g, i=i: xp.unique_all(g.cube)[i] for i in range(4)),
    lambda xp, g: xp.unique_inverse(g.line).inverse_indices,
    lambda xp, g: xp.searchsorted(xp.sort(g.line), g.b),
    lambda xp, g: xp.searchsorted(xp.sort(g.line), g.b, side="right"),
    lambda xp, g: np.sort(g.line)[::-1][:7] if xp is np else xp.topk(g.line, 7),
    lambda xp, g: xp.cumulative_sum(g.line),
    lambda xp, g: xp.cumulative_sum(g.line, include_initial=True),
    lambda xp, g: xp.cumsum(g.cube, axis=1),
    lambda xp, g: xp.cumprod(g.b[:, :3] / 4, axis=0),
    lambda xp, g: xp.cumsum(g.cube),
    lambda xp, g: xp.diff(g.a, axis=0, n=2),
    lambda xp, g: xp.diff(g.line, prepend=0),
]

CREATION = [
    lambda xp, g: made(xp, "zeros", (20, 30), dtype="f4"),
    lambda xp, g: made(xp, "ones", 33),
    lambda xp, g: made(xp, "full", (4, 5), 7),
    lambda xp, g: made(xp, "arange", 50),
    lambda xp, g: made(xp, "arange", 40, 3, -3),
    lambda xp, g: made(xp, "arange", 1.0, 9.0, 0.25),
    lambda xp, g: made(xp, "linspace", 0, 1, 31),
    lambda xp, g: made(xp, "linspace", 3, 1, 30, endpoint=False),
    lambda xp, g: made(xp, "eye", 17, 13, k=-2),
    lambda xp, g: xp.zeros_like(g.a) + xp.ones_like(g.b) + xp.full_like(g.a, 3),
    lambda xp, g: xp.asarray([[1, 2], [3, 4]]) + xp.asarray(2.5),
]


def made(xp, name, *arguments, **options):
    return getattr(xp, name)(*arguments, **options, **({} if xp is np else {"chunks": 7}))


NOUNS = {
    "broadcasting": BROADCASTING,
    "indexing": INDEXING,
    "reductions": REDUCTIONS,
    "shaping": SHAPING,
    "products": PRODUCTS,
    "sorting": SORTING,
    "creation": CREATION,
}

ROWS = {"as one": None, "by rows": 5, "in tiles": (5, 3, 4)}


class Given:
    def __init__(self, arrays):
        vars(self).update(arrays)


def lazy(arrays, chunks):
    """The arrays as lazy ones; `chunks` per axis, of which each array takes as many as it has."""
    cut = lambda each: chunks[: each.ndim] if isinstance(chunks, tuple) else chunks
    return Given(
        {
            name: outhaul.from_array(each, cut(each) if each.ndim else None)
            for name, each in arrays.items()
        }
    )


def check(noun, chunks, runtime, chosen=slice(None)):
    """The cases of a noun, or those chosen, against NumPy: values, shape and type."""
    arrays = given()
    with runtime, np.errstate(all="ignore"):
        results = [
            (number, f(outhaul, lazy(arrays, chunks)), np.asarray(f(np, Given(arrays))))
            for number, f in list(enumerate(NOUNS[noun]))[chosen]
        ]
        computed = outhaul.compute(*(result for _, result, _ in results))
    for (number, result, wanted), values in zip(results, computed):
        where = f"{noun} {number}: {result!r}"
        assert isinstance(result, outhaul.Array), where
        assert (result.shape, result.dtype, values.shape, values.dtype) == (
            wanted.shape,
            wanted.dtype,
            wanted.shape,
            wanted.dtype,
        ), where
        np.testing.assert_allclose(
            values, wanted, rtol=2e-3 if wanted.dtype == "f2" else 1e-5, atol=1e-6, err_msg=where
        )
