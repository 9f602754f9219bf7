"""Linear algebra on matrices larger than a GPU, and what it says where that cannot be. Results that
are unique are compared with NumPy's in numpy_cases.py; here are those that are not, and memory."""

import numpy as np
import pytest

import outhaul
from outhaul import linalg

TYPES = ["f4", "c16"]
CUTS = {"one": None, "rows": 16, "columns": (64, 5), "tiles": (7, 9), "high tiles": (40, 3)}


@pytest.fixture
def runtime():
    return outhaul.Runtime("host", gpus=2, memory="2 MB")


def drawn(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return values.astype(dtype)


def near(made, wanted):
    """Within some hundred times the type's epsilon of the largest number."""
    assert made.dtype == np.result_type(made.dtype, wanted.dtype) and made.shape == wanted.shape
    epsilon = np.finfo(made.dtype).eps
    np.testing.assert_allclose(made, wanted, rtol=0, atol=2000 * epsilon * abs(wanted).max())


def unitary(q):
    near(q.conj().T @ q, np.eye(q.shape[1], dtype=q.dtype))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", [(64, 64), (150, 6), (6, 150), (64, 40), (40, 64)], ids=str)
def test_qr(runtime, dtype, cut, shape):
    a = drawn(shape, dtype)
    lazy = outhaul.from_array(
        a, CUTS[cut] if shape == (64, 64) or cut != "columns" else (shape[0], 2)
    )
    k = min(shape)
    q, r, whole, all_r, r_only = outhaul.compute(
        *linalg.qr(lazy),
        *linalg.qr(lazy, mode="complete"),
        linalg.qr(lazy, mode="r"),
        runtime=runtime,
    )
    assert (q.shape, r.shape, whole.shape) == ((shape[0], k), (k, shape[1]), (shape[0],) * 2)
    for each, upper in ((q, r), (whole, all_r)):
        near(each @ upper, a)
        unitary(each)
        assert not np.tril(upper, -1).any()
    near(abs(r_only), abs(r))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("shape", [(150, 6), (6, 150), (64, 64)], ids=str)
@pytest.mark.parametrize("is_full", [False, True])
def test_svd(runtime, dtype, cut, shape, is_full):
    a = drawn(shape, dtype)
    lazy = outhaul.from_array(a, CUTS[cut] if cut != "columns" else (shape[0], 2))
    u, s, vh = outhaul.compute(*linalg.svd(lazy, full_matrices=is_full), runtime=runtime)
    k = min(shape)
    near(u[:, :k] * s @ vh[:k], a)
    near(s, np.linalg.svd(a, compute_uv=False))
    unitary(u)
    unitary(vh.conj().T)
    near(linalg.svdvals(lazy).compute(runtime), s)
    if is_full:
        assert (u.shape, vh.shape) == ((shape[0],) * 2, (shape[1],) * 2)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("cut", CUTS)
def test_what_is_cut_is_solved(runtime, dtype, cut):
    a, b = drawn((64, 64), dtype), drawn((64, 70), dtype, 1)
    lazy, right = outhaul.from_array(a, CUTS[cut]), outhaul.from_array(b, (9, 20))
    exact = np.linalg.solve(a.astype("c16"), b.astype("c16"))
    definite = a @ a.conj().T + np.eye(64, dtype=dtype)
    solved, column, inverse, factor, sign, logarithm = outhaul.compute(
        linalg.solve(lazy, right),
        linalg.solve(lazy, right[:, 3]),
        linalg.inv(lazy),
        linalg.cholesky(outhaul.from_array(definite, CUTS[cut])),
        *linalg.slogdet(lazy),
        runtime=runtime,
    )
    near(a @ solved, b)
    near(column, solved[:, 3])
    near(a @ inverse, np.eye(64, dtype=dtype))
    assert abs(solved - exact).max() < 1e5 * np.finfo(dtype).eps * abs(exact).max()
    near(factor @ factor.conj().T, definite)
    assert not np.triu(factor, 1).any()
    wanted = np.linalg.slogdet(a)
    np.testing.assert_allclose([sign, logarithm], wanted, rtol=2000 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
def test_eigenvectors(runtime, dtype):
    a = drawn((4, 12, 12), dtype)
    a = a + a.conj().mT
    values, vectors = outhaul.compute(
        *linalg.eigh(outhaul.from_array(a, (2, 5, 7))), runtime=runtime
    )
    near(values, np.linalg.eigvalsh(a))
    near(vectors * values[:, None, :] @ vectors.conj().mT, a)


def test_a_rank_that_is_not_full(runtime):
    """Columns of zeros reflect nothing; T of a panel must say so."""
    a = drawn((50, 20), "f8")
    a[:, [3, 4, 11]] = 0
    a[20:] = 0
    lazy = outhaul.from_array(a, (50, 6))
    q, r = outhaul.compute(*linalg.qr(lazy, mode="complete"), runtime=runtime)
    near(q @ r, a)
    unitary(q)
    assert linalg.matrix_rank(lazy).compute(runtime) == 17
    near(linalg.pinv(lazy).compute(runtime), np.linalg.pinv(a))
    square = outhaul.from_array(a[:20], (20, 6))
    sign, logarithm = outhaul.compute(*linalg.slogdet(square), runtime=runtime)
    assert (sign, logarithm) == (0, -np.inf)


def test_a_matrix_larger_than_a_gpu(runtime):
    """Each panel is a twentieth of it."""
    a, b = drawn((800, 800), "f8"), drawn(800, "f8", 1)
    definite = a @ a.T + 800 * np.eye(800)
    device = runtime.backend.devices[0]
    assert a.nbytes > 2 * device.capacity_bytes
    near(a @ linalg.solve(outhaul.from_array(a, 30), b).compute(runtime), b)
    factor = linalg.cholesky(outhaul.from_array(definite, (100, 100))).compute(runtime)
    near(factor @ factor.T, definite)
    assert all(peak <= device.capacity_bytes for peak in runtime.last.peak_bytes)


def test_panels_are_not_too_many():
    """However small the partitions are: subtasks grow with the square of the panels."""
    lazy = outhaul.zeros((4000, 4000), chunks=(1, 500))
    assert len(linalg.cholesky(lazy).chunks[1]) == 250


def test_a_tall_matrix_larger_than_a_gpu(runtime):
    """By rows, R's of R's: each block is read once for R, and Q is as tall."""
    a = drawn((40000, 10), "f8")
    lazy = outhaul.from_array(a, 100)
    assert a.nbytes > runtime.backend.devices[0].capacity_bytes
    q, r = outhaul.compute(*linalg.qr(lazy), runtime=runtime)
    near(q @ r, a)
    unitary(q)
    near(linalg.svdvals(lazy).compute(runtime), np.linalg.svd(a, compute_uv=False))
    assert runtime.last.moved_bytes("load") < 1.1 * a.nbytes


def test_what_must_be_whole_says_how_large_it_is(runtime):
    lazy = outhaul.from_array(drawn((500, 500), "f8"), 40)
    for wrong in (lambda: linalg.eigh(lazy)[0], lambda: linalg.svd(lazy)[0]):
        with pytest.raises(
            outhaul.GraphError,
            match=r"`rechunk` needs \d+ bytes at once .*; (eigh|svd) takes a matrix whole, and this"
            r" one, float64\[500, 500\], has 2 MB.*more memory.*made at \S*test_linalg.py:\d+",
        ):
            wrong().compute(runtime)
    with pytest.raises(outhaul.GraphError, match="smaller type; full_matrices=False makes less"):
        linalg.svd(lazy)[0].compute(runtime)
    with pytest.raises(outhaul.GraphError, match="takes a matrix whole"):
        linalg.eigvalsh(lazy).explain(runtime)


@pytest.mark.parametrize("cut", [None, 3])
def test_matrices_that_are_wrong(runtime, cut):
    zeros = outhaul.from_array(np.zeros((10, 10)), cut)
    for wrong in (linalg.inv(zeros), linalg.cholesky(zeros), linalg.solve(zeros, np.ones(10))):
        with pytest.raises(outhaul.SubtaskError) as caught:
            wrong.compute(runtime)
        assert isinstance(caught.value.__cause__, np.linalg.LinAlgError)
    with pytest.raises(ValueError, match=r"inv: \[10, 9\] is not a square matrix"):
        linalg.inv(zeros[:, :9])
    with pytest.raises(ValueError, match=r"solve: \[9\] does not fit matrices of 10 rows"):
        linalg.solve(zeros, np.ones(9))
    with pytest.raises(TypeError, match="det: float16 is not supported; astype float32"):
        linalg.det(zeros.astype("f2"))
    with pytest.raises(outhaul.GraphError, match="qr: an array with 1 axis"):
        linalg.qr(zeros[0])
    with pytest.raises(ValueError, match="matrix_norm: ord=3"):
        linalg.matrix_norm(zeros, ord=3)


def test_a_diagonal_reads_only_what_it_goes_through(runtime):
    a = drawn((120, 120), "f8")
    made = linalg.trace(outhaul.from_array(a, (10, 10)), offset=-3)
    near(made.compute(runtime), np.trace(a, offset=-3))
    assert runtime.last.moved_bytes("load") <= 2.1 * 12 * 10 * 10 * 8


def test_stacks_are_cut_and_matrices_are_not(runtime):
    a = drawn((700, 20, 20), "f8")
    assert a.nbytes > runtime.backend.devices[0].capacity_bytes
    near(linalg.inv(outhaul.from_array(a, (700, 1, 20))).compute(runtime), np.linalg.inv(a))
