"""Forward dynamics of an arm with a light wrist (10 kg down to 10 g) in 50-digit arithmetic: golden/light-wrist-forward.csv.

Newton and Euler's recursion about the centres of mass gives M(q) column by column and the bias; q̈ solves M q̈ = τ − bias.
Inputs are the exact doubles that are printed, parameters the exact decimals of golden/robots/light-wrist.toml; results are rounded once.
"""

import random
import tomllib
from pathlib import Path

from mpmath import cos, lu_solve, matrix, mp, mpf, sin

mp.dps = 50
GOLDEN = Path(__file__).resolve().parents[2] / "golden"
ROTATIONS = {"0 deg": (0, 1), "90 deg": (1, 0), "-90 deg": (-1, 0)}  # sine and cosine of alpha


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add(*vectors):
    return [sum(components) for components in zip(*vectors)]


def turned(rows, v):
    return [sum(r * x for r, x in zip(row, v)) for row in rows]


def torques(links, q, qd, qdd, gravity):
    w, wd, a, passed = [mpf(0)] * 3, [mpf(0)] * 3, [mpf(0), mpf(0), gravity], []
    for link, angle, rate, change in zip(links, q, qd, qdd):
        (sa, ca), s, c = ROTATIONS[link["alpha"]], sin(angle), cos(angle)
        up = [[c, -s, 0], [s * ca, c * ca, -sa], [s * sa, c * sa, ca]]
        down = [list(column) for column in zip(*up)]
        p = [link["a"], -link["d"] * sa, link["d"] * ca]
        a = turned(down, add(a, cross(wd, p), cross(w, cross(w, p))))
        w, turn = turned(down, w), [0, 0, rate]
        wd = add(turned(down, wd), cross(w, turn), [0, 0, change])
        w = add(w, turn)
        center, inertia = link["center_of_mass"], link["inertia"]
        force = [link["mass"] * x for x in add(a, cross(wd, center), cross(w, cross(w, center)))]
        spin = [i * x for i, x in zip(inertia, w)]
        moment = add([i * x for i, x in zip(inertia, wd)], cross(w, spin), cross(center, force))
        passed.append((up, p, force, moment))
    force, moment, result = [mpf(0)] * 3, [mpf(0)] * 3, []
    for up, p, own_force, own_moment in reversed(passed):
        force, moment = add(own_force, force), add(own_moment, moment)
        result.append(moment[2])
        force = turned(up, force)
        moment = add(turned(up, moment), cross(p, force))
    return result[::-1]


def accelerations(links, q, qd, tau, gravity):
    n = len(q)
    still = [mpf(0)] * n
    bias = torques(links, q, qd, still, gravity)
    mass = matrix(n, n)
    for j in range(n):
        column = torques(links, q, still, [mpf(int(k == j)) for k in range(n)], mpf(0))
        for i in range(n):
            mass[i, j] = column[i]
    return list(lu_solve(mass, matrix([t - b for t, b in zip(tau, bias)])))


def main():
    text = (GOLDEN / "robots/light-wrist.toml").read_text()
    links = tomllib.loads(text, parse_float=mpf)["link"]
    gravity, dice = mpf("9.81"), random.Random(3)
    with (GOLDEN / "light-wrist-forward.csv").open("w") as file:
        print(",".join(f"{stem}{i}" for stem in ("q", "qd", "tau", "qdd") for i in range(1, 7)), file=file)
        for _ in range(12):
            q, qd, wanted = ([dice.uniform(-size, size) for _ in links] for size in (3, 2, 10))
            exact = [[mpf(x) for x in values] for values in (q, qd, wanted)]
            tau = [float(x) for x in torques(links, *exact, gravity)]
            qdd = accelerations(links, *exact[:2], [mpf(x) for x in tau], gravity)
            print(",".join(repr(float(x)) for x in q + qd + tau + qdd), file=file)


main()
