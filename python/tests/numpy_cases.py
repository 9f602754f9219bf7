"""What a program may do with NumPy's arrays, by noun. Each case is a function of a namespace and
some arrays: it is called with NumPy and its arrays, and with Outhaul and lazy ones, and must give
the same."""

import numpy as np
from idioms import IDIOMS

import outhaul


def given():
    """Arrays by name: floats, integers, complex numbers; with NaNs, without elements, without
    axes."""
    random = np.random.default_rng(1)
    return {
        "a": random.integers(-9, 9, (24, 10)).astype("f4"),
        "b": random.integers(1, 9, (24, 10)),
        "row": random.random(10),
        "column": random.random((24, 1)).astype("f4"),
        "line": random.integers(0, 40, 150).astype("i4"),
        "nans": np.where(random.random((24, 10)) < 0.1, np.nan, random.random((24, 10))),
        "many_nans": np.where(random.random((24, 10)) < 0.5, np.nan, 1.0),
        "infinite": np.array([[np.nan, -np.inf, -np.inf], [np.nan, 2, -np.inf]]),
        "cube": random.integers(0, 5, (6, 7, 8)),
        "none": np.zeros((0, 4)),
        "number": np.array(3.5),
        "complex": random.random((5, 6)) + 1j * random.random((5, 6)),
        "edges": np.array([6, 0.1, 0.7, -1, 3, 0, -0.0, -7.25, np.inf, -np.inf, np.nan, 1e300]),
        "large": np.array([2**63 - 1, 2**62 + 3, -(2**63), 5, -5, 0]),
        "square": random.random((10, 10)) + np.eye(10),
        "squares": random.random((3, 6, 6)) + np.eye(6),
        "definite": np.eye(10) * 4 + (lambda m: m + m.T)(random.random((10, 10))),
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
    lambda xp, g: g.edges[:, None] // g.edges,
    lambda xp, g: g.edges[:, None] % g.edges,
    lambda xp, g: g.edges.astype("f4")[:, None] // g.edges.astype("f4"),
    lambda xp, g: g.edges.astype("f4") % np.float32(-0.1),
    lambda xp, g: np.copysign(1, g.edges[:, None] // g.edges) + np.copysign(1, g.edges % -2),
    lambda xp, g: np.fmod(g.large, 7) + np.fmod(g.large, -7) + g.large // 7 + g.large % -7,
    lambda xp, g: np.logical_and(g.complex, ~np.logical_not(g.complex)),
    lambda xp, g: np.expm1(g.complex) + np.tanh(g.complex),
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
    *(
        lambda xp, g, name=name, axis=axis: getattr(xp, name)(g.many_nans, axis=axis)
        for name in ("argmax", "argmin")
        for axis in (None, 0, 1)
    ),
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
    *(
        lambda xp, g, options=options: xp.cov(g.a, **options)
        for options in ({}, {"rowvar": False}, {"bias": True}, {"ddof": 3})
    ),
    lambda xp, g: np.cov(g.row),
    lambda xp, g: xp.cov(g.complex),
    lambda xp, g: xp.cov(g.row, g.b[0]),
    lambda xp, g: xp.corrcoef(g.row, g.b[0]),
    lambda xp, g: xp.corrcoef(g.square, rowvar=False),
    lambda xp, g: xp.vdot(g.complex, g.complex * 2),
    lambda xp, g: xp.inner(g.b, g.row),
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
    is_numpy = xp in (np, np.fft)
    return getattr(xp, name)(*arguments, **options, **({} if is_numpy else {"chunks": 7}))


LINEAR_ALGEBRA = [
    lambda xp, g: xp.linalg.solve(g.square, g.row),
    lambda xp, g: xp.linalg.solve(g.square, g.a[:10]),
    lambda xp, g: xp.linalg.solve(g.square, g.a.reshape(2, 12, 10)[:, :10]),
    lambda xp, g: xp.linalg.solve(g.squares, g.b[:6]),
    lambda xp, g: np.linalg.inv(g.square),
    lambda xp, g: xp.linalg.inv(g.squares),
    *(
        lambda xp, g, name=name: getattr(xp.linalg, name)(g.square)
        for name in ("det", "eigvalsh", "svdvals", "matrix_rank", "pinv", "norm", "trace")
    ),
    *(
        lambda xp, g, name=name: getattr(xp.linalg, name)(g.squares)
        for name in ("det", "eigvalsh", "svdvals", "matrix_rank", "pinv", "trace")
    ),
    lambda xp, g: xp.linalg.slogdet(g.square).logabsdet + xp.linalg.slogdet(g.square).sign,
    lambda xp, g: xp.linalg.cholesky(g.definite),
    lambda xp, g: xp.linalg.cholesky(g.definite, upper=True),
    lambda xp, g: xp.linalg.cholesky(g.definite.astype("f4")),
    lambda xp, g: xp.linalg.solve(g.definite * (1 + 2j), g.row),
    lambda xp, g: xp.linalg.det(g.definite * (1 + 2j)),
    lambda xp, g: xp.linalg.pinv(g.a),
    lambda xp, g: xp.linalg.pinv(g.a.T),
    lambda xp, g: xp.linalg.matrix_rank(g.b),
    *(
        lambda xp, g, ord=ord, kept=kept: xp.linalg.matrix_norm(g.squares, ord=ord, keepdims=kept)
        for ord in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf)
        for kept in (False, True)
    ),
    *(
        lambda xp, g, ord=ord, axis=axis: xp.linalg.vector_norm(g.cube, ord=ord, axis=axis)
        for ord in (0, 1, 2, 3.5, np.inf, -np.inf)
        for axis in (None, 1, (0, 2))
    ),
    lambda xp, g: xp.linalg.vector_norm(g.complex),
    lambda xp, g: np.linalg.norm(g.a, axis=0),
    lambda xp, g: xp.linalg.matrix_power(g.square, 5),
    lambda xp, g: xp.linalg.matrix_power(g.square, -2),
    lambda xp, g: xp.linalg.matrix_power(g.squares, 0),
    *(
        lambda xp, g, k=k, name=name: getattr(xp.linalg, name)(g.cube, offset=k)
        for k in (-6, -2, 0, 3, 9)
        for name in ("diagonal", "trace")
    ),
    lambda xp, g: xp.linalg.cross(g.cube[:3], g.cube[3:], axis=0),
    lambda xp, g: xp.linalg.cross(g.a[:, :3], g.row[:3]),
]

FOURIER = [
    *(
        lambda xp, g, name=name, axis=axis, n=n, norm=norm: getattr(xp.fft, name)(
            g.complex if name in ("fft", "ifft", "irfft", "hfft") else g.a,
            axis=axis,
            n=n,
            norm=norm,
        )
        for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
        for axis, n, norm in ((-1, None, "backward"), (0, 4, "ortho"), (0, 9, "forward"))
    ),
    lambda xp, g: np.fft.fft(g.line),
    lambda xp, g: xp.fft.fft(g.row.astype("f4")),
    lambda xp, g: xp.fft.ifft(g.line, n=210),
    lambda xp, g: xp.fft.fftn(g.cube),
    lambda xp, g: xp.fft.ifftn(g.cube, axes=(0, 2), norm="ortho"),
    lambda xp, g: xp.fft.fftn(g.cube, s=(4, 9), axes=(1, 2)),
    lambda xp, g: xp.fft.rfftn(g.a),
    lambda xp, g: xp.fft.irfftn(g.complex),
    lambda xp, g: xp.fft.irfftn(g.complex, s=(5, 11), axes=(0, 1)),
    lambda xp, g: made(xp.fft, "fftfreq", 40, d=0.5),
    lambda xp, g: made(xp.fft, "rfftfreq", 41),
    lambda xp, g: xp.fft.fftshift(g.a),
    lambda xp, g: xp.fft.ifftshift(g.line),
    lambda xp, g: xp.fft.fftshift(g.cube, axes=1),
]


NANS = [
    *(
        lambda xp, g, name=name, axis=axis, kept=kept: getattr(xp, name)(
            g.nans, axis=axis, keepdims=kept
        )
        for name in ("nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin")
        for axis, kept in ((None, False), (0, True), (1, False), ((0, 1), True))
    ),
    *(
        lambda xp, g, name=name, axis=axis: getattr(xp, name)(g.nans, axis=axis)
        for name in ("nanargmax", "nanargmin", "nancumsum", "nancumprod")
        for axis in (0, 1, None)
    ),
    lambda xp, g: np.nanmean(g.many_nans, axis=1),
    lambda xp, g: xp.nanmax(g.a),
    lambda xp, g: xp.nanmean(g.b, axis=0),
    lambda xp, g: xp.nanstd(g.a, ddof=1, axis=0),
    lambda xp, g: xp.nanvar(g.complex),
    lambda xp, g: xp.nanargmax(g.infinite, axis=1),
    lambda xp, g: xp.nanargmin(-g.infinite),
    lambda xp, g: xp.nanmean(g.infinite[:, :1], axis=0),
    *(
        lambda xp, g, name=name, axis=axis, kept=kept: getattr(xp, name)(
            g.nans, axis=axis, keepdims=kept
        )
        for name in ("median", "nanmedian")
        for axis, kept in ((None, False), (0, True), (1, False), ((0, 1), True))
    ),
    *(
        lambda xp, g, q=q, axis=axis: xp.quantile(g.cube, q, axis=axis)
        for q in (0.0, 0.3, [0.25, 0.5, 1], [[0.1, 0.9]])
        for axis in (None, 1, (0, 2))
    ),
    lambda xp, g: xp.percentile(g.a, 33, axis=0),
    lambda xp, g: xp.nanpercentile(g.nans, [10, 60]),
    lambda xp, g: xp.nanquantile(g.many_nans, 0.7, axis=0),
    lambda xp, g: np.median(g.line),
]

PADDING = [
    *(
        lambda xp, g, mode=mode, width=width: xp.pad(g.a, width, mode=mode)
        for mode in ("constant", "edge", "reflect", "symmetric", "wrap")
        for width in (3, (2, 0), ((0, 7), (12, 1)))
    ),
    lambda xp, g: np.pad(
        g.cube, ((1, 1), (0, 0), (2, 3)), constant_values=((7, 8), (0, 0), (5, 6))
    ),
    lambda xp, g: xp.pad(g.row, 30, constant_values=np.nan),
    lambda xp, g: xp.pad(g.none, 1),
]

STATISTICS = [
    *(
        lambda xp, g, options=options, i=i: xp.histogram(g.a, **options)[i]
        for i in (0, 1)
        for options in ({}, {"bins": 7}, {"bins": [-9, -2.5, 0, 3]}, {"bins": 4, "range": (-3, 5)})
    ),
    lambda xp, g: xp.histogram(g.line, 256, [0, 256])[0],
    lambda xp, g: xp.histogram(g.row, density=True)[0],
    lambda xp, g: xp.histogram(g.a, 5, weights=g.b * 0.5)[0],
    lambda xp, g: xp.histogram(g.a, bins="auto")[1],
    lambda xp, g: np.histogram(g.cube, 3)[0],
    lambda xp, g: xp.bincount(g.line),
    lambda xp, g: xp.bincount(g.line, minlength=60),
    lambda xp, g: xp.bincount(g.line, weights=g.line / 7),
    lambda xp, g: xp.digitize(g.a, [-5, 0, 2]),
    lambda xp, g: xp.digitize(g.a, [2, 0, -5], right=True),
    lambda xp, g: np.unique(g.line),
    *(
        lambda xp, g, i=i, name=name: xp.unique(
            getattr(g, name), return_index=True, return_inverse=True, return_counts=True
        )[i]
        for i in range(4)
        for name in ("cube", "many_nans")
    ),
    lambda xp, g: xp.average(g.a),
    lambda xp, g: xp.average(g.a, axis=1, weights=g.row),
    lambda xp, g: xp.average(g.a, axis=0, weights=g.b),
    lambda xp, g: xp.average(g.a, axis=0, weights=g.b, returned=True)[1],
    lambda xp, g: xp.ptp(g.a, axis=0),
    lambda xp, g: xp.isin(g.cube, [1, 3]),
    lambda xp, g: xp.isin(g.cube, [1, 3], invert=True),
    lambda xp, g: xp.isclose(g.nans, g.nans + 1e-9, equal_nan=True),
    lambda xp, g: xp.isclose(g.infinite, g.infinite),
    lambda xp, g: xp.asarray(np.allclose(g.a, g.a + 1e-9)),
    lambda xp, g: xp.asarray(xp.allclose(g.a, g.b)),
    lambda xp, g: xp.asarray(xp.array_equal(g.a, g.a) and not xp.array_equal(g.a, g.row)),
    lambda xp, g: xp.asarray([xp.ndim(g.cube), xp.size(g.cube), xp.size(g.cube, 1)]),
    lambda xp, g: xp.asarray(xp.shape(g.cube)),
    lambda xp, g: xp.nan_to_num(g.infinite),
    lambda xp, g: xp.nan_to_num(g.infinite, nan=1, posinf=2, neginf=3),
    lambda xp, g: xp.kron(g.row, g.row),
    lambda xp, g: xp.sum([1, 2, 3.5]) + xp.mean(np.arange(4)),
    lambda xp, g: xp.maximum.accumulate(g.a, axis=0) + np.minimum.accumulate(g.a, axis=1),
    lambda xp, g: np.add.reduceat(g.row, [0, 3, 5]),
    lambda xp, g: xp.sum(g.a, 1) + xp.max(g.a, 1) + xp.argmax(g.a, 1) + xp.std(g.a, 1),
    lambda xp, g: xp.sort(g.cube, 0) + xp.cumsum(g.cube, 1) + xp.flip(g.cube, 1),
    lambda xp, g: xp.var(g.a, dtype="f8"),
]

CURVES = [
    lambda xp, g: xp.interp(g.row * 20 - 3, np.arange(10), g.b[0]),
    lambda xp, g: xp.interp(g.row * 20 - 3, np.arange(10.0), g.row, left=-1, right=9),
    lambda xp, g: xp.interp(g.row * 20, np.arange(10.0), g.row, period=10),
    lambda xp, g: np.interp(2.5, np.arange(10.0), g.row),
    *(lambda xp, g, i=i: xp.gradient(g.a)[i] for i in range(2)),
    lambda xp, g: xp.gradient(g.row),
    lambda xp, g: xp.gradient(g.row, 0.5, edge_order=2),
    lambda xp, g: xp.gradient(g.row, np.arange(10) ** 1.5),
    lambda xp, g: xp.gradient(g.row, np.arange(10) ** 1.5, edge_order=2),
    lambda xp, g: xp.gradient(g.b, 2, axis=0),
    lambda xp, g: xp.trapezoid(g.a) + xp.trapezoid(g.a, dx=0.5),
    lambda xp, g: xp.trapezoid(g.a, np.arange(24) ** 2, axis=0),
    lambda xp, g: xp.trapezoid(g.a, g.b, axis=1),
    *(
        lambda xp, g, mode=mode, n=n, name=name: getattr(xp, name)(g.line, g.row[:n], mode)
        for mode in ("full", "same", "valid")
        for n in (1, 2, 5)
        for name in ("convolve", "correlate")
    ),
    lambda xp, g: xp.convolve(g.row[:3], g.line),
    lambda xp, g: xp.correlate(g.row[:3], g.row, "full"),
    lambda xp, g: xp.polyval([1, 2, 3], g.a),
    lambda xp, g: xp.polyfit(np.arange(10), g.row, 2),
    lambda xp, g: xp.unwrap(g.line / 3),
    lambda xp, g: xp.unwrap(g.a, axis=0),
]

ASSEMBLING = [
    lambda xp, g: xp.vstack([g.row, g.a, g.b]),
    lambda xp, g: xp.hstack([g.a, g.column]),
    lambda xp, g: np.hstack((g.row, g.row)),
    lambda xp, g: xp.dstack([g.a, g.b]),
    lambda xp, g: xp.column_stack([g.line[:24], g.a]),
    *(lambda xp, g, i=i: xp.split(g.line, [3, 70])[i] for i in range(3)),
    *(lambda xp, g, i=i: xp.array_split(g.line, 4)[i] for i in range(4)),
    *(lambda xp, g, i=i: np.hsplit(g.a, 5)[i] for i in (0, 4)),
    lambda xp, g: xp.append(g.row, 7) + xp.append(g.row, [7]),
    lambda xp, g: xp.append(g.a, g.b, axis=1),
    *(lambda xp, g, at=at: xp.insert(g.row, at, 9) for at in (0, 10, -1, [2, 2, 5], slice(1, 4))),
    lambda xp, g: xp.insert(g.row, 3, [1, 2, 3]),
    lambda xp, g: xp.insert(g.a, 2, g.row, axis=0),
    lambda xp, g: xp.insert(g.a, 1, g.line[:24], axis=1),
    lambda xp, g: xp.insert(g.a, [1, 3], g.column, axis=1),
    lambda xp, g: xp.delete(g.row, 3),
    lambda xp, g: xp.delete(g.a, [1, -1], axis=0),
    lambda xp, g: xp.delete(g.a, slice(2, 5), axis=1),
    *(lambda xp, g, k=k: xp.diag(g.row, k) for k in (-2, 0, 3)),
    *(lambda xp, g, k=k: np.diag(g.a, k) for k in (-2, 0, 3)),
    lambda xp, g: xp.diagonal(g.cube) + xp.trace(g.cube)[:, None],
    lambda xp, g: g.square.trace() + g.square.diagonal(1).sum(),
    lambda xp, g: xp.atleast_2d(g.row) + xp.atleast_2d(g.number),
    lambda xp, g: xp.atleast_3d(g.a),
    lambda xp, g: xp.vander(g.row, 4) + xp.vander(g.row, 4, increasing=True),
    lambda xp, g: xp.fliplr(g.a) + xp.flipud(g.a),
    *(lambda xp, g, k=k: xp.rot90(g.a, k) for k in range(-1, 4)),
    lambda xp, g: xp.rollaxis(g.cube, 2) + 0,
    lambda xp, g: xp.compress([True, False, True], g.a, axis=0),
    lambda xp, g: xp.extract(g.a > 3, g.a),
    lambda xp, g: xp.resize(g.row, (3, 8)),
    lambda xp, g: xp.identity(4) + xp.tri(4, k=1),
    lambda xp, g: xp.full((2, 10), g.row) + xp.full(10, g.row.max()),
    lambda xp, g: xp.linspace(g.row.min(), g.row.max(), 7),
    lambda xp, g: xp.array([g.row.sum(), 2.0, g.row[1]]),
    lambda xp, g: xp.array([row * 2 for row in g.a]),
    lambda xp, g: xp.where(g.a > 2)[1],
    lambda xp, g: xp.mgrid[0:4, 0:3] + xp.mgrid[0:4, 0:3],
    lambda xp, g: xp.c_[g.row, g.row] + xp.r_[0:10, 0:10].reshape(10, 2),
    lambda xp, g: g.a[xp.ix_([0, 3], [1, 4])],
    lambda xp, g: g.a.argsort(axis=1)[:, :2] + g.a.searchsorted(3) if g.a.ndim == 1 else g.a[:1],
    lambda xp, g: xp.frombuffer(g.row.tobytes()),
    lambda xp, g: xp.frombuffer(np.arange(4.0).tobytes()) + g.row.item(2),
    lambda xp, g: xp.fromfunction(lambda i, j: i * 10 + j, (3, 4)),
    lambda xp, g: xp.asarray(f"{g.row.sum():.6f} {g.line.max():d}" == "").astype(int),
]

CHANGES = [lambda xp, g, f=f: f(xp, g.a[:3, :4].copy()) for f in IDIOMS]

NOUNS = {
    "broadcasting": BROADCASTING,
    "indexing": INDEXING,
    "reductions": REDUCTIONS,
    "shaping": SHAPING,
    "products": PRODUCTS,
    "sorting": SORTING,
    "creation": CREATION,
    "NaNs": NANS,
    "padding": PADDING,
    "statistics": STATISTICS,
    "curves": CURVES,
    "assembling": ASSEMBLING,
    "changes": CHANGES,
    "linear algebra": LINEAR_ALGEBRA,
    "Fourier transforms": FOURIER,
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
