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


GLOBAL_G = 9.81


def mandel_complex(xmin, xmax, ymin, ymax, w, h, maxit):
    img = np.zeros((h, w), dtype=np.uint8)
    dx = (xmax - xmin) / w
    dy = (ymax - ymin) / h
    for x in range(w):
        real = xmin + x * dx
        for y in range(h):
            imag = ymin + y * dy
            img[y, x] = mandel(real, imag, maxit)
    return img


def mandel(x, y, max_iters):
    c = complex(x, y)
    z = 0.0j
    for i in range(max_iters):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) >= 4:
            return i
    return 255


def julia(w, h, c, n):
    out = np.zeros((h, w), dtype=np.int64)
    for i in range(h):
        for j in range(w):
            z = complex(-1.5 + 3 * j / w, -1.5 + 3 * i / h)
            k = 0
            while abs(z) < 2 and k < n:
                z = z ** 2 + c
                k += 1
            out[i, j] = k
    return out


def linspace_trap(n):
    x = np.linspace(0.0, 1.0, n)
    s = 0.0
    for i in range(n - 1):
        s += 0.5 * (x[i + 1] - x[i]) * (math.sin(x[i]) + math.sin(x[i + 1]))
    return s


def cumulative(a):
    c = np.cumsum(a)
    out = np.zeros(len(a))
    for i in range(1, len(a)):
        out[i] = c[i] - c[i - 1]
    return out, c


def weights(a):
    w = np.array([0.25, 0.5, 0.25])
    out = np.zeros_like(a)
    for i in range(1, len(a) - 1):
        for k in range(3):
            out[i] += w[k] * a[i + k - 1]
    return out


def builtin_sum(a):
    out = np.zeros(a.shape[0])
    for i in range(a.shape[0]):
        out[i] = sum(a[i]) / len(a[i])
    return out


def clip_loop(a, lo, hi):
    out = np.empty_like(a)
    for i in range(len(a)):
        out[i] = min(max(a[i], lo), hi)
    b = np.clip(a, lo, hi)
    return out, b


def signs(a):
    s = 0.0
    for i in range(len(a)):
        s += np.sign(a[i]) * np.abs(a[i]) ** 0.5
    return s


def masked(a):
    s = 0.0
    for i in range(a.shape[0]):
        row = a[i]
        s += row[row > 0.5].sum()
    return s


def eye_power(a, n):
    r = np.eye(a.shape[0])
    for _ in range(n):
        r = r @ a
    return r


def power_iteration(a, n):
    v = np.ones(a.shape[0])
    for _ in range(n):
        w = a @ v
        v = w / np.linalg.norm(w)
    return v, v @ a @ v


def gcd_sum(n):
    t = 0
    for i in range(1, n):
        for j in range(i, n):
            a, b = i, j
            while b:
                a, b = b, a % b
            t += a
    return t


def fib(n):
    f = np.zeros(n, dtype=np.int64)
    f[1] = 1
    for i in range(2, n):
        f[i] = f[i - 1] + f[i - 2]
    return f


def linreg(x, y, lr, n):
    w = 0.0
    b = 0.0
    m = len(x)
    for _ in range(n):
        p = w * x + b
        e = p - y
        w -= lr * (2 / m) * np.sum(e * x)
        b -= lr * (2 / m) * np.sum(e)
    return w, b


def logistic(x, y, w, n):
    for _ in range(n):
        w -= 0.1 * np.dot(((1.0 / (1.0 + np.exp(-y * np.dot(x, w)))) - 1.0) * y, x)
    return w


def queens(n):
    cols = np.zeros(n, dtype=np.int64)
    count = 0
    row = 0
    cols[0] = -1
    while row >= 0:
        cols[row] += 1
        while cols[row] < n:
            ok = True
            for r in range(row):
                if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                    ok = False
                    break
            if ok:
                break
            cols[row] += 1
        if cols[row] < n:
            if row == n - 1:
                count += 1
            else:
                row += 1
                cols[row] = -1
        else:
            row -= 1
    return count


def lcs(a, b):
    n = len(a)
    m = len(b)
    t = np.zeros((n + 1, m + 1), dtype=np.int32)
    for i in range(n):
        for j in range(m):
            if a[i] == b[j]:
                t[i + 1, j + 1] = t[i, j] + 1
            else:
                t[i + 1, j + 1] = max(t[i, j + 1], t[i + 1, j])
    return t[n, m]


def sobel(img):
    gx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    h, w = img.shape
    out = np.zeros((h, w))
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            s = 0.0
            for a in range(3):
                for b in range(3):
                    s += gx[a, b] * img[i + a - 1, j + b - 1]
            out[i, j] = s
    return out


def bilateral(img, r, s):
    h, w = img.shape
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            t = 0.0
            n = 0.0
            for y in range(max(0, i - r), min(h, i + r + 1)):
                for x in range(max(0, j - r), min(w, j + r + 1)):
                    k = math.exp(-((y - i) ** 2 + (x - j) ** 2) / (2 * s ** 2))
                    t += k * img[y, x]
                    n += k
            out[i, j] = t / n
    return out


def lorenz(n, dt):
    xs = np.empty(n + 1)
    ys = np.empty(n + 1)
    zs = np.empty(n + 1)
    xs[0], ys[0], zs[0] = 0.0, 1.0, 1.05
    for i in range(n):
        dx, dy, dz = lorenz_step(xs[i], ys[i], zs[i])
        xs[i + 1] = xs[i] + dx * dt
        ys[i + 1] = ys[i] + dy * dt
        zs[i + 1] = zs[i] + dz * dt
    return xs, ys, zs


def lorenz_step(x, y, z, s=10, r=28, b=2.667):
    return s * (y - x), r * x - y - x * z, x * y - b * z


def dtw(a, b):
    n, m = len(a), len(b)
    d = np.full((n + 1, m + 1), np.inf)
    d[0, 0] = 0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            c = abs(a[i - 1] - b[j - 1])
            d[i, j] = c + min(d[i - 1, j], d[i, j - 1], d[i - 1, j - 1])
    return d[n, m]


def ising(s, seed, n):
    h, w = s.shape
    r = seed
    e = 0
    for k in range(n):
        r = (r * 1664525 + 1013904223) % 4294967296
        i = r % h
        j = (r // h) % w
        nb = s[(i + 1) % h, j] + s[i - 1, j] + s[i, (j + 1) % w] + s[i, j - 1]
        d = 2 * s[i, j] * nb
        if d <= 0 or (r / 4294967296) < math.exp(-d * 0.4):
            s[i, j] *= -1
            e += d
    return e, s


def crc(data):
    table = np.zeros(256, dtype=np.uint32)
    for i in range(256):
        c = np.uint32(i)
        for _ in range(8):
            if c & np.uint32(1):
                c = np.uint32(0xEDB88320) ^ (c >> np.uint32(1))
            else:
                c = c >> np.uint32(1)
        table[i] = c
    crc = np.uint32(0xFFFFFFFF)
    for b in data:
        crc = table[(crc ^ b) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


def perlin(n):
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            amp = 1.0
            f = 1.0
            for o in range(4):
                out[i, j] += amp * math.cos(i * f * 0.1) * math.sin(j * f * 0.1)
                amp *= 0.5
                f *= 2
    return (out - out.min()) / (out.max() - out.min())


def normalise_rows(a):
    for i in range(a.shape[0]):
        a[i] = (a[i] - np.mean(a[i])) / np.std(a[i])
    return a


def outer_update(a, u, v):
    for i in range(3):
        a += np.outer(u, v)
    return a


def two_loops_same_temp(a):
    t = np.zeros(3)
    for i in range(3):
        t = t + a[i]
    for i in range(3):
        t = t * a[i]
    return t


def row_swap(a, i, j):
    for k in range(1):
        tmp = a[i].copy()
        a[i] = a[j]
        a[j] = tmp
    return a


def while_true(a):
    i = 0
    while True:
        if i >= len(a) or a[i] > 0.8:
            break
        i += 1
    return i


def nested_break(a):
    found = -1
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0.95:
                found = i * 100 + j
                break
        if found >= 0:
            break
    return found


def bits(n):
    c = 0
    for i in range(n):
        x = i
        while x:
            x &= x - 1
            c += 1
    return c


def fftlike(x):
    n = len(x)
    re = np.zeros(n)
    im = np.zeros(n)
    for k in range(n):
        for t in range(n):
            ang = -2 * math.pi * t * k / n
            re[k] += x[t] * math.cos(ang)
            im[k] += x[t] * math.sin(ang)
    return np.sqrt(re ** 2 + im ** 2)


def pendulum(n, dt):
    th = 1.0
    om = 0.0
    for _ in range(n):
        om -= GLOBAL_G * math.sin(th) * dt
        th += om * dt
    return th, om


def string_arg(a, mode="sum"):
    s = 0.0
    for x in a:
        if mode == "sum":
            s += x
        else:
            s *= x
    return s


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
    (mandel_complex, (-2.0, 1.0, -1.0, 1.0, 12, 9, 20)),
    (julia, (8, 9, -0.4+0.6j, 20)),
    (linspace_trap, (20,)),
    (cumulative, (_RANDOM.random(9),)),
    (weights, (_RANDOM.random(9),)),
    (builtin_sum, (_RANDOM.random((4, 5)),)),
    (clip_loop, (_RANDOM.random(9), .2, .7)),
    (signs, (_RANDOM.random(9)-.5,)),
    (masked, (_RANDOM.random((3, 6)),)),
    (eye_power, (_RANDOM.random((4, 4)), 3)),
    (power_iteration, (_definite(5), 6)),
    (gcd_sum, (20,)),
    (fib, (30,)),
    (linreg, (_RANDOM.random(20), _RANDOM.random(20), .1, 9)),
    (logistic, (_RANDOM.random((9, 4)), np.sign(_RANDOM.random(9)-.5), _RANDOM.random(4), 5)),
    (queens, (5,)),
    (lcs, (_RANDOM.integers(0, 4, 9), _RANDOM.integers(0, 4, 12))),
    (sobel, (_RANDOM.random((8, 9)),)),
    (bilateral, (_RANDOM.random((7, 8)), 2, 1.5)),
    (lorenz, (20, .01)),
    (dtw, (_RANDOM.random(9), _RANDOM.random(7))),
    (ising, (np.where(_RANDOM.random((5, 6))<.5, 1, -1), 5, 60)),
    (crc, (_RANDOM.integers(0, 255, 30).astype('u1'),)),
    (perlin, (9,)),
    (normalise_rows, (_RANDOM.random((4, 6)),)),
    (outer_update, (_RANDOM.random((3, 4)), _RANDOM.random(3), _RANDOM.random(4))),
    (two_loops_same_temp, (_RANDOM.random((3, 3)),)),
    (row_swap, (_RANDOM.random((3, 4)), 0, 2)),
    (while_true, (_RANDOM.random(20),)),
    (nested_break, (_RANDOM.random((9, 9)),)),
    (bits, (200,)),
    (fftlike, (_RANDOM.random(12),)),
    (pendulum, (50, .01)),
    (string_arg, (_RANDOM.random(5),)),
]
