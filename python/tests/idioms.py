"""Changes in place as programs write them: functions of a namespace and an array of three rows of
four numbers, which change the array and return what then is there."""

import numpy as np


def two_names(xp, a):
    b = a
    b += 1
    return a


def parameter(xp, a):
    def center(x):
        x -= x.mean()

    center(a)
    return a


def slices(xp, a):
    v = a[:2]
    v[:] = 9
    return a


def rows_of_rows(xp, a):
    a[0][1] = 7
    return a


def rows(xp, a):
    for row in a:
        row *= 2
    return a


def transposed(xp, a):
    a.T[0, 1] = 5
    return a


def views_of_views(xp, a):
    v = a[1:].T[::-1]
    w = v.reshape(-1)  # a copy: these elements are not side by side
    flat = a.ravel()
    flat[3] = 100
    v[0] -= a[1:, -1]
    w += 1
    return xp.concatenate([a.ravel(), v.ravel(), w, flat])


def old_expressions(xp, a):
    before = a * 2
    a[...] = 0
    return before + a


def overlapping(xp, a):
    a[1:] = a[:-1]
    a[:, 1:] += a[:, :-1]
    return a


def numbers(xp, a):
    x = first = a[0, 0]
    x += 5
    for value in a[1]:
        value += 1
    return xp.stack([x, first, a[0, 0], a[1, 0]])


def copies(xp, a):
    kept = [a.copy(), a[[0, 1]], a[a > 2], a.flatten(), a.astype(a.dtype), xp.array(a), a + 0]
    a += 1
    return xp.concatenate([each.ravel() for each in kept])


def several_values(xp, a):
    a[a > 4] = xp.arange(int((a > 4).sum())) * 10
    a[[0, 1, 0], [1, 1, 1]] = [5, 6, 7]
    a[:, [0, 2]] = a[:, [2, 0]]
    a[[True, False, True]] *= 3
    return a


def flat(xp, a):
    a.flat[4] = 50
    a.flat[-2:] = 60
    a[0].fill(3)
    return a


def given_results(xp, a):
    np.add(a, 1, out=a)
    xp.multiply(a, a, out=a[:])
    a.T.sort()
    return a


def shown_elsewhere(xp, a):
    diagonal, wide, part = xp.diagonal(a), xp.broadcast_to(a, (2, 3, 4)), xp.split(a, 2, axis=1)[1]
    x, y = xp.meshgrid(a[0], a[1])
    x += 1
    a *= 2
    part[0] = 0
    a[0], a[1] = a[1], a[0]
    return xp.concatenate([each.ravel() for each in (a, diagonal, wide, part, x, y)])


IDIOMS = [
    shown_elsewhere,
    two_names,
    parameter,
    slices,
    rows_of_rows,
    rows,
    transposed,
    views_of_views,
    old_expressions,
    overlapping,
    numbers,
    copies,
    several_values,
    flat,
    given_results,
]
