"""Programs of loops over arrays as people write them: slices, rows, arrays that are made, functions that are called. All of each is compiled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def nbody(pos, vel, mass, dt, steps):
    n = len(mass)
    for _ in range(steps):
        for i in range(n):
            for j in range(i + 1, n):
                d = pos[i] - pos[j]
                r2 = d[0]**2 + d[1]**2 + d[2]**2 + 0.01
                mag = dt / (r2 * math.sqrt(r2))
                vel[i] -= d * (mass[j] * mag)
                vel[j] += d * (mass[i] * mag)
        for i in range(n):
            pos[i] += dt * vel[i]
    return pos


def kmeans(x, c, iters):
    n, d = x.shape
    k = c.shape[0]
    labels = np.zeros(n, dtype=np.int64)
    for it in range(iters):
        for i in range(n):
            best = np.inf
            for j in range(k):
                dist = 0.0
                for m in range(d):
                    diff = x[i, m] - c[j, m]
                    dist += diff * diff
                if dist < best:
                    best = dist
                    labels[i] = j
        counts = np.zeros(k)
        sums = np.zeros((k, d))
        for i in range(n):
            counts[labels[i]] += 1
            sums[labels[i]] += x[i]
        for j in range(k):
            if counts[j] > 0:
                c[j] = sums[j] / counts[j]
    return labels, c


def mandel_point(cr, ci, maxit=50):
    zr = zi = 0.0
    for k in range(maxit):
        zr2 = zr * zr
        zi2 = zi * zi
        if zr2 + zi2 > 4.0:
            return k
        zi = 2 * zr * zi + ci
        zr = zr2 - zi2 + cr
    return maxit


def mandelbrot(h, w):
    out = np.empty((h, w), dtype=np.int32)
    for i in range(h):
        for j in range(w):
            out[i, j] = mandel_point(-2 + 3 * j / w, -1 + 2 * i / h, maxit=30)
    return out


def lu(a):
    a = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            a[i, k] /= a[k, k]
            a[i, k+1:] -= a[i, k] * a[k, k+1:]
    return a


def cholesky(a):
    n = a.shape[0]
    low = np.zeros_like(a)
    for i in range(n):
        for j in range(i + 1):
            s = np.sum(low[i, :j] * low[j, :j])
            if i == j:
                low[i, j] = math.sqrt(a[i, i] - s)
            else:
                low[i, j] = (a[i, j] - s) / low[j, j]
    return low


def life(grid, steps):
    n, m = grid.shape
    for _ in range(steps):
        new = np.zeros((n, m), dtype=np.uint8)
        for i in range(n):
            for j in range(m):
                s = 0
                for di in (-1, 0, 1):
                    for dj in (-1, 0, 1):
                        if di != 0 or dj != 0:
                            s += grid[(i + di) % n, (j + dj) % m]
                if s == 3 or (s == 2 and grid[i, j] == 1):
                    new[i, j] = 1
        grid = new
    return grid


def edit(a, b):
    n, m = len(a), len(b)
    prev = np.arange(m + 1)
    for i in range(1, n + 1):
        cur = np.zeros(m + 1, dtype=np.int64)
        cur[0] = i
        for j in range(1, m + 1):
            cost = 0 if a[i-1] == b[j-1] else 1
            cur[j] = min(prev[j] + 1, cur[j-1] + 1, prev[j-1] + cost)
        prev = cur
    return prev[m]


def conv2d(img, k):
    h, w = img.shape
    kh, kw = k.shape
    out = np.zeros((h - kh + 1, w - kw + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = np.sum(img[i:i+kh, j:j+kw] * k)
    return out


def floyd(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


def floyd_rows(d):
    n = len(d)
    for k in range(n):
        for i in range(n):
            d[i] = np.minimum(d[i], d[i, k] + d[k])
    return d


def matmul(a, b):
    m, n = a.shape
    n2, p = b.shape
    assert n == n2
    c = np.zeros((m, p))
    for i in range(m):
        for j in range(p):
            s = 0.0
            for k in range(n):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def pairwise(x):
    n, d = x.shape
    out = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            diff = x[i] - x[j]
            out[i, j] = np.sqrt(np.sum(diff * diff))
    return out


def moving_average(a, w):
    n = len(a)
    out = np.empty(n - w + 1)
    s = a[:w].sum()
    out[0] = s / w
    for i in range(w, n):
        s += a[i] - a[i - w]
        out[i - w + 1] = s / w
    return out


def moving_mean(a, w):
    out = np.full(len(a), np.nan)
    for i in range(w - 1, len(a)):
        out[i] = np.mean(a[i-w+1:i+1])
    return out


def heat(u, alpha, steps):
    for _ in range(steps):
        u[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def heat2d(u, steps):
    new = u.copy()
    for t in range(steps):
        new[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        u, new = new, u
    return u


def histogram(a, bins, lo, hi):
    h = np.zeros(bins, dtype=np.int64)
    for x in a:
        if lo <= x < hi:
            h[int((x - lo) / (hi - lo) * bins)] += 1
    return h


def sieve(n):
    flags = np.ones(n + 1, dtype=np.bool_)
    flags[:2] = False
    i = 2
    while i * i <= n:
        if flags[i]:
            flags[i*i::i] = False
        i += 1
    out = np.empty(n, dtype=np.int64)
    c = 0
    for i in range(n + 1):
        if flags[i]:
            out[c] = i
            c += 1
    return out[:c]


def lcg_walk(n, seed):
    pos = np.zeros((n, 2))
    x = y = 0.0
    s = seed
    for i in range(n):
        s = (1103515245 * s + 12345) & 0x7fffffff
        step = s % 4
        if step == 0:
            x += 1
        elif step == 1:
            x -= 1
        elif step == 2:
            y += 1
        else:
            y -= 1
        pos[i, 0] = x
        pos[i, 1] = y
    return pos


def cdf(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(s, k, t, r, v):
    out = np.empty(len(s))
    for i in range(len(s)):
        d1 = (math.log(s[i] / k[i]) + (r + 0.5 * v * v) * t[i]) / (v * math.sqrt(t[i]))
        d2 = d1 - v * math.sqrt(t[i])
        out[i] = s[i] * cdf(d1) - k[i] * math.exp(-r * t[i]) * cdf(d2)
    return out


def knapsack(w, v, cap):
    dp = np.zeros(cap + 1, dtype=np.int64)
    for i in range(len(w)):
        for c in range(cap, w[i] - 1, -1):
            dp[c] = max(dp[c], dp[c - w[i]] + v[i])
    return dp[cap]


def eval_a(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(v, u):
    for i in range(len(u)):
        s = 0.0
        for j in range(len(u)):
            s += eval_a(i, j) * u[j]
        v[i] = s


def spectral(n):
    u = np.ones(n)
    v = np.zeros(n)
    for _ in range(3):
        times(v, u)
        times(u, v)
    return math.sqrt((u * v).sum() / (v * v).sum())


def jacobi(a, b, x, tol, most):
    n = len(b)
    for it in range(most):
        xn = np.zeros_like(x)
        for i in range(n):
            s = 0.0
            for j in range(n):
                if j != i:
                    s += a[i, j] * x[j]
            xn[i] = (b[i] - s) / a[i, i]
        err = np.max(np.abs(xn - x))
        x = xn
        if err < tol:
            break
    else:
        it = -1
    return x, it


def monte_pi(n, seed):
    inside = 0
    state = seed
    for _ in range(n):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2147483648
        x = state / 2147483648
        state = (state * 1103515245 + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y <= 1.0:
            inside += 1
    return 4.0 * inside / n


def gauss(a, b):
    n = len(b)
    for k in range(n):
        p = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[p, k]):
                p = i
        if p != k:
            for j in range(n):
                a[k, j], a[p, j] = a[p, j], a[k, j]
            b[k], b[p] = b[p], b[k]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - np.sum(a[i, i+1:] * x[i+1:])) / a[i, i]
    return x


def lis(a):
    n = len(a)
    best = np.ones(n, dtype=np.int64)
    for i in range(n):
        for j in range(i):
            if a[j] < a[i] and best[j] + 1 > best[i]:
                best[i] = best[j] + 1
    return best.max()


def bubble(a):
    a = a.copy()
    n = len(a)
    for i in range(n):
        swapped = False
        for j in range(n - i - 1):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
                swapped = True
        if not swapped:
            break
    return a


def softmax_rows(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        e = np.exp(x[i] - x[i].max())
        out[i] = e / e.sum()
    return out


def gram(x):
    n, d = x.shape
    q = np.zeros((n, d))
    for j in range(d):
        v = x[:, j].copy()
        for k in range(j):
            v -= np.sum(q[:, k] * x[:, j]) * q[:, k]
        q[:, j] = v / np.sqrt(np.sum(v * v))
    return q


def wave(u, u_prev, c, steps):
    for _ in range(steps):
        u_next = np.zeros_like(u)
        u_next[1:-1] = 2 * u[1:-1] - u_prev[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u_prev = u
        u = u_next
    return u


def ewma(a, alpha):
    out = np.empty_like(a)
    out[0] = a[0]
    for i, x in enumerate(a[1:], 1):
        out[i] = alpha * x + (1 - alpha) * out[i - 1]
    return out


def collatz(n):
    longest = 0
    where = 0
    for i in range(1, n):
        x, c = i, 0
        while x != 1:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            c += 1
        if c > longest:
            longest, where = c, i
    return where, longest


def dots(a, b):
    out = np.zeros(len(a))
    for i in range(len(a)):
        out[i] = np.dot(a[i], b[i])
    return out


def primes(n):
    c = 0
    for i in range(2, n):
        for j in range(2, int(i ** 0.5) + 1):
            if i % j == 0:
                break
        else:
            c += 1
    return c


def clipped(a, lo, hi):
    s = 0
    for x in a:
        if x < lo:
            x = lo
        elif x > hi:
            x = hi
        s += x
    return s


def rk4(y0, h, n):
    y = y0.copy()
    out = np.zeros((n, 2))
    for i in range(n):
        out[i] = y
        k1 = deriv(y)
        k2 = deriv(y + h / 2 * k1)
        k3 = deriv(y + h / 2 * k2)
        k4 = deriv(y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return out


def deriv(y):
    d = np.empty(2)
    d[0] = y[1]
    d[1] = -y[0]
    return d


_RANDOM = np.random.default_rng(7)


def _definite(size: int) -> Any:
    """A matrix that is symmetric and positive definite."""
    made = _RANDOM.random((size, size))
    return made @ made.T + size * np.eye(size)


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (nbody, (_RANDOM.random((5, 3)), _RANDOM.random((5, 3)), _RANDOM.random(5), 0.01, 5)),
    (kmeans, (_RANDOM.random((60, 4)), _RANDOM.random((3, 4)), 5)),
    (mandelbrot, (12, 15)),
    (lu, (_definite(12),)),
    (cholesky, (_definite(12),)),
    (life, ((_RANDOM.random((12, 13))<0.4).astype(np.uint8), 5)),
    (edit, (_RANDOM.integers(0, 4, 20), _RANDOM.integers(0, 4, 25))),
    (conv2d, (_RANDOM.random((14, 15)), _RANDOM.random((3, 3)))),
    (floyd, (_RANDOM.random((12, 12)),)),
    (floyd_rows, (_RANDOM.random((12, 12)),)),
    (matmul, (_RANDOM.random((7, 8)), _RANDOM.random((8, 9)))),
    (pairwise, (_RANDOM.random((10, 3)),)),
    (moving_average, (_RANDOM.random(50), 5)),
    (moving_mean, (_RANDOM.random(50), 5)),
    (heat, (_RANDOM.random(40), 0.1, 10)),
    (heat2d, (_RANDOM.random((12, 14)), 7)),
    (histogram, (_RANDOM.random(200), 10, 0.1, 0.9)),
    (sieve, (200,)),
    (lcg_walk, (100, 42)),
    (black_scholes, (_RANDOM.random(30)+1, _RANDOM.random(30)+1, _RANDOM.random(30)+.1, 0.02, 0.3)),
    (knapsack, (_RANDOM.integers(1, 10, 12), _RANDOM.integers(1, 50, 12), 40)),
    (spectral, (20,)),
    (jacobi, (_definite(8), _RANDOM.random(8), np.zeros(8), 1e-9, 100)),
    (monte_pi, (200, 1)),
    (gauss, (_definite(9), _RANDOM.random(9))),
    (lis, (_RANDOM.integers(0, 50, 40),)),
    (bubble, (_RANDOM.random(30),)),
    (softmax_rows, (_RANDOM.random((6, 8)),)),
    (gram, (_RANDOM.random((8, 5)),)),
    (wave, (_RANDOM.random(30), _RANDOM.random(30), 0.2, 8)),
    (ewma, (_RANDOM.random(30), 0.3)),
    (collatz, (300,)),
    (dots, (_RANDOM.random((6, 9)), _RANDOM.random((6, 9)))),
    (primes, (300,)),
    (clipped, (_RANDOM.integers(-100, 100, 100).astype(np.int32), -20, 30)),
    (rk4, (np.array([1.0, 0.0]), 0.1, 20)),
]
