"""Functions of arrays at their awkward ends: views of what is stored to, arrays that change places, shapes that do not fit, dtypes that meet, errors in the middle of a loop."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def shift_up(a):
    for _ in range(2):
        a[1:] = a[:-1]
    return a


def shift_down(a):
    for _ in range(2):
        a[:-1] = a[1:]
    return a


def reverse_self(a):
    for _ in range(1):
        a[:] = a[::-1]
    return a


def add_reversed(a):
    for _ in range(3):
        a += a[::-1]
    return a


def alias_name(a):
    b = a
    for i in range(len(a)):
        b[i] += a[i - 1]
    return a, b


def view_outlives(a):
    row = a[0]
    for i in range(a.shape[1]):
        row[i] = i
        a[1, i] = row[i] + row[-1]
    return row, a


def neg_steps(a, k):
    s = 0.0
    for i in range(3):
        s += np.sum(a[::-2]) + a[-1:-4:-1].sum()
        b = a[k::-1]
        s += b[0] if len(b) else -1.0
    return s


def zero_size(n):
    a = np.zeros(n)
    t = 0.0
    for i in range(3):
        t += a[:0].sum() + a.sum()
    return t, a[:0], a


def overflow_u8(a):
    for i in range(len(a)):
        a[i:] += 7
    return a


def mix(a, k):
    out = np.zeros(len(a), dtype=np.int32)
    for i in range(len(a)):
        out[i] = a[i] * k + 1
    return out


def div_zero(a, z):
    for i in range(len(a)):
        a[i] = i
        if i == 2:
            a[i] = 1 / z
    return a


def index_err(a, n):
    for i in range(n):
        a[i][0] = i
    return a


def row_err(a, n):
    s = 0.0
    for i in range(n):
        a[0, 0] = i
        s += a[i].sum()
    return s


def bcast_err(a, b):
    a[0] = 5
    for _ in range(2):
        a[1:] = b
    return a


def swap(a, b, n):
    for _ in range(n):
        a, b = b, a
        a[0] += 1
    return a, b


def swap_three(a, b, c, n):
    for i in range(n):
        a, b, c = b, c, a
        a[:] = b + c * i
    return a, b, c


def rebind(a, n):
    b = np.zeros(len(a))
    for i in range(n):
        b = b + a
        a = a * 0.5
    return a, b


def keep_old(a, n):
    old = a
    for i in range(n):
        new = np.zeros(len(a))
        new[:] = old * 2
        old = new
    return old, a


def cond_new(a, flag):
    for i in range(3):
        if flag:
            b = np.ones(3)
        else:
            b = np.zeros(3)
        b[i] += a[i]
    return b


def returns_view(a, k):
    for i in range(k):
        a[i] *= 2
    return a[1:k], a[::2]


def newaxis(a, b):
    out = np.zeros((len(a), len(b)))
    for _ in range(2):
        out += a[:, None] * b[None, :]
    return out


def three_d(a):
    n, m, k = a.shape
    s = 0.0
    for i in range(n):
        a[i, :, 0] = i
        a[i, 1] += a[i, 0]
        for j in range(m):
            s += a[i, j].max() - a[i, j, -1]
    return s


def masks(a):
    c = 0
    for i in range(a.shape[0]):
        m = a[i] > 0.5
        c += np.sum(m) + m.any() + np.count_nonzero(~m & (a[i] < 0.2))
    return c


def empties(n):
    for i in range(2):
        a = np.empty((n, 2))
        a[:] = i
    return a


def promo32(a):
    s = np.float32(0)
    b = np.zeros_like(a)
    for i in range(len(a)):
        b[i:] = a[i:] * 2 + 0.5
        s += b[i] / 3
    return s, b


def weak_int_overflow(a):
    for i in range(2):
        a[:] = a + 300
    return a


def fill_overflow(a):
    for i in range(2):
        a[:] = 300
    return a


def minmax(a):
    r = 0.0
    for i in range(a.shape[0]):
        r += a[i].min() * a[i].max() + np.argmax(a[i]) - np.argmin(a[i])
    return r


def empty_max(a):
    for i in range(2):
        s = a[:0].max()
    return s


def std(a):
    r = 0.0
    for i in range(a.shape[0]):
        r += a[i].std() + np.var(a[i]) + np.mean(a[i])
    return r


def intmean(a):
    r = 0.0
    for i in range(a.shape[0]):
        r += a[i].mean() + np.sum(a[i]) + a[i].prod()
    return r


def axis_sums(a):
    n, m = a.shape
    t = np.zeros(m)
    u = np.zeros(n)
    for i in range(3):
        t += a.sum(axis=0)
        u += np.sum(a, axis=1) + a.max(axis=1)
    return t, u, a.mean(axis=0)


def wheres(a):
    for i in range(2):
        a[:] = np.where(a > 0.5, a - 0.25, a * 2)
        a[1:] = np.maximum(a[1:], a[:-1])
    return a


def for_rows(a):
    t = 0.0
    for row in a:
        row += 1
        for x in row:
            t += x
    return t


def zips(a, b):
    s = 0.0
    for x, y in zip(a[1:], b[:-1]):
        s += x * y
    for i, (x, y) in enumerate(a2(a, b)):
        s += i
    return s


def a2(a, b):
    return ((1, 2), (3, 4))


def nested_tuple(a):
    s = 0
    for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        for i in range(len(a)):
            s += a[(i + dx) % len(a)] * dy
    return s


def inner_fn_store(a):
    for i in range(len(a)):
        bump(a, i)
    return a


def bump(v, i, by=2.0):
    v[i] += by
    v[i:] *= by


def early(a, x):
    for i in range(len(a)):
        if a[i] == x:
            return i
    return -1


def late_store(a, b):
    for i in range(len(a)):
        a[i] = bad(b, a, i) + a[i]
    return a


def bad(b, a, i):
    a[i] = 7.0
    return b[i] * 2


def lazy_then_store(a):
    for i in range(2):
        x = a * 2 + poke(a)
    return x, a


def poke(a):
    a[0] += 1
    return a


def strided(a, k):
    for i in range(1, k):
        a[i::i] += 1
    return a


def const_slice(a):
    s = 0.0
    for i in range(2):
        s += a[2:4].sum() + a[-3:].sum() + a[:-3].sum() + a[5:2].sum() + a[-100:100].sum()
    return s


def dyn_slice(a, i, j):
    s = 0.0
    for _ in range(2):
        s += a[i:j].sum() + len(a[i:j]) + len(a[j:i:-1])
    return s


def bool_store(a, f):
    for i in range(len(f)):
        f[i] = a[i] > 0.5
    f[:3] = True
    return f, f.sum()


def one_for_many(a):
    for i in range(2):
        a[1:] = a[:1]
    return a


def library_calls(a, x):
    s = 0.0
    for i in range(a.shape[0]):
        s += np.sum(np.exp(a[i]) * np.sin(a[i])) + np.log(a[i, 0]) + np.tanh(x) + np.arctan2(a[i, 0], x) + np.cbrt(a[i,1])
        s += np.linalg.norm(a[i]) + math.erf(x) + math.erfc(a[i, 0])
    return s


def products(a, b, v):
    c = np.zeros((a.shape[0], b.shape[1]))
    for i in range(2):
        c += a @ b
        w = np.dot(a, v)
        c[0] += w[0] + np.dot(v, v) + (v @ b)[0] + a[0].dot(a[1])
    return c, w


def int_products(a, b):
    t = 0
    for i in range(2):
        t += (a @ b)[0, 0]
    return t


_RANDOM = np.random.default_rng(3)
CASES: list[tuple[Any, tuple[Any, ...]]] = []


def _some(*shape: int) -> Any:
    return _RANDOM.random(shape)


def add(function: Any, *calls: tuple[Any, ...]) -> None:
    CASES.extend((function, args) for args in calls)


for n in (0, 1, 2, 5, 40):
    add(shift_up, (_some(n),))
    add(shift_down, (_some(n),))
    add(reverse_self, (_some(n),))
    add(add_reversed, (_some(n),))
    add(alias_name, (_some(n),))
add(view_outlives, (_some(3, 5),))
for n in (0, 1, 3, 9):
    for k in (0, 2, -1, -20, 20):
        add(neg_steps, (_some(n), k))
add(zero_size, (0,), (1,), (5,), (-1,))
add(overflow_u8, (_RANDOM.integers(0, 255, 30).astype('u1'),), (_RANDOM.integers(-100, 100, 30).astype('i1'),))
add(mix, (_RANDOM.integers(0, 2**31-1, 5).astype('i4'), 3), (np.arange(5.0), 3), (_RANDOM.integers(0, 255, 5).astype('u1'), 3), (_RANDOM.integers(0, 255, 5).astype('u1'), 300))
add(div_zero, (_some(5), 0), (_some(5), 0.0), (_some(5), np.float64(0)), (_some(2), 0), (_some(5), 2))
add(index_err, (_some(3, 2), 5), (_some(3, 2), 3))
add(row_err, (_some(3, 2), 5), (_some(3, 2), 3))
add(bcast_err, (_some(5), _some(3)), (_some(5), _some(4)), (_some(5), _some(1)))
for n in (0, 1, 2, 5):
    add(swap, (_some(3), _some(3), n), (_some(3), _some(4), n))
    add(swap_three, (_some(3), _some(3), _some(3), n))
    add(rebind, (_some(4), n))
    add(keep_old, (_some(4), n))
add(swap, (np.asfortranarray(_some(3, 3))[0], _some(3), 3))
add(cond_new, (_some(3), True), (_some(3), False))
add(returns_view, (_some(6), 3), (_some(6), 0), (_some(6), 1))
add(newaxis, (_some(3), _some(4)), (_some(0), _some(4)))
add(three_d, (_some(3, 4, 5),), (np.asfortranarray(_some(3, 4, 5)),), (_some(0, 2, 2),))
add(masks, (_some(4, 6),))
add(empties, (3,), (0,))
add(promo32, (_some(5).astype('f4'),), (_some(5),))
add(weak_int_overflow, (np.arange(3, dtype='u1'),), (np.arange(3, dtype='i2'),))
add(fill_overflow, (np.arange(3, dtype='u1'),), (np.arange(3, dtype='i8'),))
nan = _some(4, 5)
nan[1, 2] = np.nan
zeros = np.array([[0.0, -0.0, 0.0], [1, 2, 3]])
add(minmax, (_some(4, 5),), (nan,), (zeros,), (_RANDOM.integers(-5, 5, (4, 5)),))
add(empty_max, (_some(3),))
add(std, (_some(4, 200),), (_some(3, 1),), (nan,), (_some(4, 9).astype('f4'),))
add(intmean, (_RANDOM.integers(-50, 50, (4, 9)),), (_RANDOM.integers(0, 50, (4, 9)).astype('i4'),), (_RANDOM.integers(0, 50, (4, 9)).astype('u1'),))
add(axis_sums, (_some(7, 300),), (_some(1, 1),), (_some(300, 7),), (_some(5, 6).astype('f4'),), (np.asfortranarray(_some(5, 6)),), (_some(5, 12)[:, ::2],))
add(wheres, (_some(9),), (_some(0),), (_some(9).astype('f4'),))
add(for_rows, (_some(3, 4),), (_some(0, 4),))
add(zips, (_some(5), _some(6)))
add(nested_tuple, (_RANDOM.integers(0, 9, 7),))
add(inner_fn_store, (_some(4),))
add(early, (np.arange(5.0), 3), (np.arange(5.0), 9))
add(late_store, (_some(4), _some(4)))
add(lazy_then_store, (_some(4),))
add(strided, (np.zeros(20, dtype='i8'), 6))
add(const_slice, (_some(10),), (_some(3),), (_some(0),))
for i in (-20, -3, 0, 2, 20):
    for j in (-20, -2, 0, 4, 20):
        add(dyn_slice, (_some(7), i, j))
add(bool_store, (_some(5), np.zeros(5, dtype=bool)))
add(one_for_many, (_some(5),), (_some(2),), (_some(1),), (_some(0),))
add(library_calls, (_some(4, 7), 0.3), (_some(4, 7).astype('f4'), 0.3), (_some(4, 30), 2), (_some(4, 7)-.5, -1.0))
for n, m, k in ((3, 4, 5), (20, 30, 25), (1, 1, 1), (100, 100, 100)):
    add(products, (_some(n, m), _some(m, k), _some(m)))
add(products, (np.asfortranarray(_some(3, 4)), _some(4, 5), _some(4)), (_some(3, 4), _some(5, 6), _some(4)), (_some(3, 8)[:, ::2], _some(4, 5), _some(8)[::2]))
add(int_products, (_RANDOM.integers(0, 9, (3, 4)), _RANDOM.integers(0, 9, (4, 5))), (_RANDOM.integers(0, 9, (3, 4)).astype('i2'), _RANDOM.integers(0, 9, (4, 5)).astype('i2')))



def mask_read(a, t):
    s = 0.0
    for i in range(2):
        b = a[a > t]
        s += b.sum() + len(b)
    return s, b


for n in (0, 1, 5, 40):
    for t in (-1.0, 0.5, 2.0):
        add(mask_read, (_some(n), t))


def mask_store(a, m):
    for i in range(2):
        a[a < 0.3] = 0
        a[m] = -1.5
        a[(a > 0.5) & ~m] += 1
    return a


for n in (0, 1, 9):
    add(mask_store, (_some(n), _RANDOM.random(n)<.5))


add(mask_store, (_some(3), _RANDOM.random(4)<.5), (_RANDOM.integers(0, 5, 4), _RANDOM.random(4)<.5))


def mask_2d(a):
    for i in range(2):
        a[a < 0.5] = i
    return a


add(mask_2d, (_some(3, 4),))


def gather(a, i):
    for k in range(2):
        b = a[i] * 2
    return b


add(gather, (_some(5), np.array([0, 4, -1, 2])), (_some(5), np.array([0, 7])), (_some(5), np.array([], dtype='i8')), (_some(5), np.array([1, 2], dtype='i4')), (_some(5), np.array([1.5])))


def cum(a):
    for k in range(2):
        b = np.cumsum(a)
    return b


add(cum, (_some(9),), (_some(0),), (_RANDOM.integers(-5, 5, 9).astype('i4'),), (_RANDOM.random(6)<.5,), (_some(9).astype('f4'),), (np.array([-0.0, 0.0]),), (_some(3, 3),))


def lin(a, b, n):
    for k in range(2):
        c = np.linspace(a, b, n)
    return c


add(lin, (0.0, 1.0, 7), (1, 5, 3), (0.1, 0.1, 4), (0.0, 1.0, 1), (0.0, 1.0, 0), (-1.0, 1e300, 9), (0.0, 1.0, np.int64(4)))


def eyes(n):
    for k in range(2):
        c = np.eye(n) * 2
    return c


add(eyes, (3,), (0,), (-1,))


def arrays_of(x, y):
    s = 0.0
    for k in range(3):
        a = np.array([x, y, 1.0])
        b = np.array([[1, 2], [3, k]])
        s += a[k] + b[1, 1]
    return s, a, b


add(arrays_of, (1.5, 2), (1, 2), (np.float64(2), 3), (np.float32(2), 3))


def clips(a, lo, hi):
    for k in range(2):
        b = np.clip(a, lo, hi)
    return b


add(clips, (_some(9), .2, .6), (_some(9).astype('f4'), .2, .6), (_RANDOM.integers(-9, 9, 9), -2, 5), (_RANDOM.integers(-9, 9, 9), -2, 5.5), (_RANDOM.integers(0, 9, 9).astype('u1'), 2, 500), (np.array([np.nan, 1, -0.0]), 0.0, 1.0))


def sgn(a):
    t = 0.0
    for x in a:
        t += np.sign(x) + np.square(x)
    return t, np.sign(a)


add(sgn, (_some(5)-.5,), (np.array([np.nan, -0.0, 0.0, np.inf]),), (_RANDOM.integers(-5, 5, 6),), (_RANDOM.integers(-5, 5, 6).astype('i1'),))


def sums(a):
    t = 0.0
    for i in range(a.shape[0]):
        t += sum(a[i])
    return t


add(sums, (_some(3, 4),), (_some(3, 0),), (_RANDOM.integers(0, 100, (3, 4)).astype('i1'),), (_RANDOM.integers(0, 2**62, (3, 4)),))


def strs(a, mode):
    s = 0.0
    for x in a:
        if mode == "sum":
            s += x
        elif mode != "none":
            s -= x
    return s


add(strs, (_some(3), "sum"), (_some(3), "x"), (_some(3), "none"), (_some(3), None), (_some(3), 3))


def cplx(a, c):
    z = 0j
    w = 1.5
    for x in a:
        z = z * z + c - x
        w = w * (z.real - z.imag)
        if z == 0:
            w += 1
        if abs(z) > 3:
            z = -z * 0.1
    return z, w, abs(z)


add(cplx, (_some(5), 0.3+0.1j), (_some(0), 1j), (_some(5), 1), (_some(5), 2.5), (np.array([1e200, 1e200, 1.0]), 1j), (np.array([np.inf]), 1j), (np.array([-0.0]), complex(-0.0, -0.0)))


def cplx_py(n, c):
    z = 0j
    for k in range(n):
        z = z * z + c
        if z.real * z.real + z.imag * z.imag > 4:
            break
    return k, z


add(cplx_py, (20, 0.3+0.5j), (20, -1.0), (20, 1), (20, 2+2j), (0, 1j))


def recur(a, lo, hi):
    if lo >= hi:
        return 0
    s = 0
    for i in range(lo, hi):
        s += a[i]
    return s + recur(a, lo + 1, hi)


add(recur, (_RANDOM.integers(0, 9, 6), 0, 6))
