"""Lines as people write them with NumPy: the same value, shape and type from lazy arrays."""

import numpy as np
import pytest

import outhaul

LINES = """
np.sum(a,0)
np.sum([1,2,3])
np.sum(a,axis=(0,1))
np.mean(a,1)
np.std(a,0,ddof=1)
np.var(v,ddof=1)
np.max(a,0)
np.min([3,1])
np.prod(v)
np.any(a>8)
np.all(a>0,axis=1)
np.argmax(a,1)
np.argmin(v)
np.cumsum(a,0)
np.cumprod(v)
np.diff(v,2)
np.diff(a,axis=0)
np.sort(a,0)
np.sort(a,axis=None)
np.argsort(-v)
np.concatenate((v,v))
np.concatenate([a,a],1)
np.stack((v,v),1)
np.vstack((v,v))
np.hstack([v,v])
np.flip(v)
np.roll(v,2)
np.roll(a,1,axis=0)
np.roll(a,1,0)
np.repeat(v,2)
np.repeat(a,2,1)
np.tile(v,2)
np.tile(a,(2,1))
np.transpose(a)
np.transpose(a,(1,0))
np.reshape(a,(4,6))
np.reshape(a,-1)
a.reshape(4,6)
a.reshape((4,-1))
np.ravel(a)
np.squeeze(a[None])
np.expand_dims(v,0)
np.swapaxes(a,0,1)
np.moveaxis(a,0,1)
np.zeros(3)
np.zeros((2,2),int)
np.ones(3,dtype=np.int32)
np.full((2,2),7)
np.full(3,np.nan)
np.empty((0,3))
np.arange(5)
np.arange(1,10,2)
np.arange(0,1,.25)
np.arange(5,dtype=float)
np.linspace(0,1)
np.linspace(0,1,5)
np.linspace(0,10,6,endpoint=False)
np.logspace(0,2,5)
np.geomspace(1,100,3)
np.eye(3)
np.eye(3,k=1)
np.identity(2)
np.diag([1,2,3])
np.tri(3)
np.tril(a)
np.triu(a,1)
np.meshgrid(v,v)[1]
np.where(a>4,a,0)
np.where(v>3)[0]
np.nonzero(v>2)[0]
np.argwhere(a>7)
np.clip(a,2,5)
np.clip(v,None,3)
a.clip(2,5)
np.round(a/3,2)
np.around(a/3,1)
np.floor(a/2)
np.sqrt(v)
np.exp(v)
np.log(v)
np.power(v,2)
np.abs(-v)
np.maximum(v,3)
np.minimum(a,v[:4])
np.hypot(3,4)
np.dot(v,v)
np.dot(a,a.T)
a.dot(v[:4])
np.matmul(a.T,a)
np.outer(v,v)
np.inner(v,v)
np.vdot(v,v)
np.cross([1,0,0],[0,1,0])
np.kron(v[:2],v[:2])
np.einsum("ij->j",a)
np.trace(a[:4])
np.linalg.norm(a)
np.linalg.norm(v,1)
np.linalg.norm(a,axis=1)
np.linalg.det(a[:4]+np.eye(4))
np.linalg.inv(a[:4]+9*np.eye(4))
np.linalg.solve(a[:4]+9*np.eye(4),v[:4])
np.linalg.eigvalsh(a.T@a)
np.linalg.svd(a)[1]
np.linalg.svd(a,full_matrices=False)[0].shape
np.linalg.qr(a)[1].shape
np.linalg.matrix_rank(a)
np.linalg.pinv(a)
np.linalg.lstsq(a,v,rcond=None)[0]
np.linalg.cholesky(a.T@a)
np.linalg.cond(a)
np.linalg.matrix_power(a[:4],2)
np.linalg.eig(a.T@a)[0].sum()
np.fft.fft(v)
np.fft.rfft(v)
np.fft.fftfreq(6,.1)
np.fft.fftshift(v)
np.fft.ifft(np.fft.fft(v)).real
np.fft.fft2(a)
np.median(a)
np.median(a,0)
np.percentile(a,30)
np.percentile(a,[10,90],axis=0)
np.quantile(v,.3)
np.average(v,weights=v)
np.cov(a)
np.corrcoef(a)
np.histogram(v,3)[0]
np.histogram(a,bins=4,range=(0,8))[1]
np.bincount(i)
np.unique(i)
np.unique(i,return_counts=True)[1]
np.digitize(v,[2,4])
np.searchsorted(v,[2.5,9])
np.searchsorted(v,3,side="right")
np.interp([1.5,2],v,v**2)
np.gradient(v)
np.trapezoid(v)
np.convolve(v,[1,2,1],"same")
np.polyfit(v,v**2,2)
np.polyval([1,2],v)
np.roots([1,-3,2])
np.nansum([1,np.nan])
np.nanmean(a)
np.nanmax(v)
np.nanstd(a,0)
np.nanmedian(v)
np.isnan(v)
np.isclose(v,v)
np.allclose(a,a)
np.array_equal(v,v)
np.isin(i,[1,2])
np.intersect1d(i,[1,2,77])
np.union1d([1],[2])
np.setdiff1d(i,[1])
np.split(v,3)[1]
np.array_split(v,4)[0]
np.insert(v,1,5)
np.delete(v,[0])
np.append(v,1)
np.pad(v,2)
np.pad(a,((1,1),(0,0)),mode="edge")
np.take(v,[0,2])
np.take(a,[1],1)
np.choose([0,1],[[1,2],[3,4]])
np.select([v>3],[v],0)
np.count_nonzero(a>3)
np.ptp(v)
np.sign(v-3)
np.mod(v,2)
v%2
v//2
divmod(v,2)[0]
-v
~(v>2)
(v>2)&(v<5)
np.logical_and(v>2,v<5)
np.logical_not(v>2)
np.bitwise_and(i,3)
i<<1
np.real(v*1j)
np.imag(v*1j)
np.conj(v*1j)
np.angle(v*1j)
np.deg2rad(v)
np.degrees(v)
np.radians(v)
np.sinc(v)
np.heaviside(v,0)
np.lcm(i,3)
np.gcd(i,3)
np.ediff1d(v)
np.atleast_2d(v)
np.broadcast_to(v,(2,6))
np.rot90(a)
np.fliplr(a)
np.tensordot(a,a,axes=([0],[0]))
np.lexsort((i,))
np.partition(v,2)[2]
np.argpartition(v,2)[2]
np.triu_indices(3)[0]
np.unravel_index(5,(2,3))
np.ravel_multi_index(([1],[2]),(2,3))
np.indices((2,3))
np.ix_([0,1],[1])[0]
np.mgrid[:2,:3]
np.r_[1:4,0]
np.c_[v,v]
np.array([[1,2],[3,4]],dtype=float)
np.array(5)
np.array([1,2])*np.float32(2)
np.asarray([1,2])
np.float64(3)+v
np.copy(v)
np.vander(v,3)
np.blackman(5)
np.hanning(4)
np.apply_along_axis(lambda r: r.sum(),1,a)
np.vectorize(lambda x: x+1)(v)
np.fromiter(range(4),float)
np.ndim(a)
np.shape(a)
np.size(a)
np.issubdtype(a.dtype,np.floating)
np.result_type(a,1)
np.finfo(float).eps
np.iinfo(np.int32).max
np.inf
np.pi
np.newaxis is None
np.e
a.mean(0)
a.std(ddof=1)
a.sum(1,keepdims=True)
a.max()
a.argmax()
a.T.shape
a.flatten()
a.tolist()
a.astype(int)
a.astype(np.float32)
a.any()
a.all()
a.cumsum()
a.round(1)
a.nbytes
a.itemsize
a.ndim
a.size
a.dtype.name
a.trace()
a.diagonal()
a.nonzero()[0]
a.repeat(2)
a.swapaxes(0,1)
a.squeeze()
a.item(3)
a.min(axis=0)
a.prod()
a.var()
v.searchsorted(3)
a.conj()
a.real
a.imag
a.flat[3]
len(a)
list(v)
sum(v)
max(v)
sorted(v)
float(v[0])
int(v[1])
bool(v[0]>0)
a[0]
a[-1,-1]
a[:,1]
a[a>3]
a[[0,2]]
a[::2,::-1]
a[...,0]
v[np.argsort(-v)]
a[np.arange(2),[0,1]]
3 in v
np.add.reduce(v)
np.multiply.outer(v,v)
np.maximum.reduce(a,axis=0)
np.add.accumulate(v)
np.logical_or.reduce(v>3)
np.cbrt(v)
np.log1p(v)
np.expm1(v)
np.arctan2(v,2)
np.nan_to_num([np.nan,1])
np.float32(1.5)
np.int64(3)
np.isfinite(v)
np.isscalar(3)
np.iscomplexobj(v)
np.ascontiguousarray(a.T)
np.block([[a,a]])
np.column_stack((v,v))
np.dstack((v,v))
np.fix(v/2)
np.trunc(v/2)
np.rint(v/2)
np.nextafter(v,9)
np.spacing(v)
np.floor_divide(v,2)
np.float_power(v,2)
np.cumulative_sum(v)
np.permute_dims(a,(1,0))
np.matrix_transpose(a)
np.vecdot(v,v)
np.unstack(a)[0]
np.flatnonzero(v>2)
np.extract(v>3,v)
np.compress(v>3,v)
np.resize(v,3)
np.tril_indices(2)[0]
np.piecewise(v,[v<3,v>=3],[0,1])
np.sum(a,axis=0,keepdims=True)
np.mean(a,dtype=np.float32)
np.max(a,initial=99)
np.sum(a,where=a>3)
np.mean(a,where=a>3)
np.sum(a,initial=5)
np.random.RandomState(0).rand(2)
np.full_like(v,2)
np.zeros_like(v,dtype=int)
np.ones_like(a)
np.nanpercentile(v,20)
np.nancumsum(v)
np.correlate(v,v)
np.histogram2d(v,v,bins=2)[0]
np.cov(v,v)
np.count_nonzero(a,axis=0)
np.std(v)
np.add(a,1,where=a>3,out=np.zeros_like(a))
np.divide(1,a-3,out=np.zeros_like(a),where=a!=3)
np.sqrt(a,where=a[0]>2,out=np.full_like(a,-1))
np.subtract(a,1.5,out=np.zeros((6,4),int),casting="unsafe")
np.dot(a.T,a,out=np.zeros((4,4)))
np.matmul(a.T,a,np.zeros((4,4)))
a.sum(0,out=np.zeros(4))
a.sum(where=a>3)
a.mean(axis=0,where=a>3)
a.max(initial=100)
a.std(0,None,None,1)
a.var(axis=1,dtype="f4",where=a>2,ddof=1)
a.clip(2,5,out=np.zeros((6,4)))
a.any(axis=0,where=a>7)
a.reshape(3,8,order="F")
a.reshape(-1,order="F")
a.ravel("F")
a.T.ravel("K")
a.flatten("F")
a[range(2),range(2)]
np.clip(i.astype("u1"),-5,300)
np.nanvar(np.where(v>2,v,np.inf))
np.nanargmax(np.where(a>2,a,np.nan),axis=0)
np.zeros(3,"S2")
np.fft.fft(v,8)
np.fft.irfft(np.fft.rfft(a,8,0),5,0)
np.linalg.svd(a,compute_uv=False)
np.lib.stride_tricks.sliding_window_view(v,3)
np.lib.stride_tricks.sliding_window_view(a,(2,3)).max(axis=(2,3))
np.lib.stride_tricks.sliding_window_view(a,2,axis=1)[::2]
(a-5).astype("u1")+1
((v-3)*1e5).astype("u8")
np.zeros(i.max()+1)
np.full(i.max(),1.5)
np.ones((i.max(),2))
np.broadcast_to(v,i.max()-i.max()+6)
np.triu(a,i.argmax()-i.argmax()+1)
np.bincount(i,minlength=i.max()+9)
np.bincount(i[:0],minlength=2)
np.round(v/3,i.max())
[0]*i.max()
i.max()*(1,2)
""".split("\n")[1:-1]
PARTS = 4


def given(xp, cut):
    """A matrix, a vector and integers, as NumPy's arrays or lazy ones."""
    random = np.random.default_rng(0)
    arrays = random.integers(1, 9, (6, 4)) * 1.0, np.arange(1.0, 7), random.integers(0, 9, 20)
    return [each if xp is np else outhaul.from_array(each, cut) for each in arrays]


def arrays_of(value):
    """A value as an array; a list may have lazy arrays."""
    if isinstance(value, (list, tuple)):
        return np.asarray([np.asarray(each) for each in value])
    return np.asarray(value)


@pytest.mark.parametrize("part", range(PARTS))
def test_lines(part):
    for line in LINES[part::PARTS]:
        results = []
        for xp in (np, outhaul):
            with outhaul.Runtime("host", gpus=2, memory="8 MB"), np.errstate(all="ignore"):
                a, v, i = given(xp, 4)
                results.append(arrays_of(eval(line, {"np": xp, "a": a, "v": v, "i": i})))
        wanted, made = results
        assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype), line
        if wanted.dtype.kind in "fciub":
            np.testing.assert_allclose(made, wanted, rtol=1e-6, atol=1e-8, err_msg=line)


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
def test_no_index_among_no_numbers(runtime, name):
    a = outhaul.from_array(np.array([[1.0, np.nan], [np.nan, np.nan]]), 1)
    with runtime, pytest.raises(outhaul.SubtaskError) as caught:
        getattr(outhaul, name)(a, axis=1).compute()
    assert isinstance(caught.value.__cause__, ValueError)


def test_a_mask_needs_a_place_for_the_result():
    a = outhaul.from_array(np.arange(4.0), 2)
    for f in (outhaul.sqrt, np.sqrt):
        with pytest.raises(TypeError, match="out=np.zeros_like"):
            f(a, where=a > 1)


@pytest.mark.parametrize("window", [5, -1, (2, 2)])
def test_windows_that_do_not_fit(window):
    a = np.arange(4.0)
    for xp in (np, outhaul):
        with pytest.raises(ValueError):
            xp.lib.stride_tricks.sliding_window_view(xp.asarray(a), window)


def test_windows_follow_the_array_and_are_only_read(runtime):
    a = outhaul.from_array(np.arange(4.0), 2)
    windows = np.lib.stride_tricks.sliding_window_view(a, 2)
    a[1] = 9
    np.testing.assert_array_equal(windows.compute(runtime), [[0, 9], [9, 2], [2, 3]])
    with pytest.raises(ValueError, match="read-only"):
        windows[0] = 1
