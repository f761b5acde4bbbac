#!/usr/bin/env python3
"""Fastest motions along a path with limits of speed, acceleration, jerk and torque, by direct collocation (CasADi, IPOPT).

    python3 -m venv VENV && VENV/bin/pip install casadi==3.8.2
    VENV/bin/python tools/oracle/jerk_limited.py

Writes golden/jerk-limited.csv: for each motion its path, whether the d3-1200's own limits hold (80 N m, 30 rad/s), the other
limits and the shortest time found. The path parameter u is
not the arc length (polylines are blended by the polynomial of docs/motion.md in its own parameter), the dynamics of the
Delta are Lagrange's equations in the platform's coordinates by automatic differentiation, and the unknowns are the third
derivative of u in 300 intervals and the times of the path's pieces. The test crates/dalembert/tests/motion/oracle.rs compares the planner with it.
"""

import sys
from pathlib import Path

import casadi as ca

INTERVALS = 300
# d3-1200, as in robots/d3-1200.toml: R = 0.25 m - 0.1 m, arms, rods, platform.
R, LA, LB = 0.15, 0.375, 0.9
M_PLATFORM, M_ARM, C_ARM, M_ROD, G = 0.94, 1.4, 0.122, 0.39, 9.81
I_ARM = 0.035 + M_ARM * C_ARM**2
PHI = [0.0, 2 * ca.pi / 3, 4 * ca.pi / 3]
CENTER = [0.0, 0.0, -0.9]


def polyline(points, d):
    """The pieces of a path with blends, each X(u) from u = 0 on and its last u."""
    points = [ca.DM(p) for p in points]
    legs = [(b - a) / ca.norm_2(b - a) for a, b in zip(points, points[1:])]
    lengths = [float(ca.norm_2(b - a)) for a, b in zip(points, points[1:])]
    pieces = []
    for i, (e, length) in enumerate(zip(legs, lengths)):
        before, after = (d if i > 0 else 0.0), (d if i + 1 < len(legs) else 0.0)
        u = ca.SX.sym("u")
        pieces.append((u, points[i] + (before + u) * e, length - before - after))
        if after:
            s, turn = u / (2 * d), legs[i + 1] - e
            pieces.append((u, points[i + 1] - d * e + 2 * d * (e * s + turn * (s**3 - s**4 / 2)), 2 * d))
    return pieces


def line(a, b):
    return polyline([a, b], 0.0)


def cycle(width=0.305, height=0.025, d=0.02):
    x, _, z = CENTER
    return polyline([[-width / 2, 0, z], [-width / 2, 0, z + height], [width / 2, 0, z + height], [width / 2, 0, z]], d)


def semi_ellipse(width=0.25, height=0.05):
    u = ca.SX.sym("u")
    return [(u, ca.vertcat(-width / 2 * ca.cos(u), 0, CENTER[2] + height * ca.sin(u)), ca.pi)]


def circle(radius):
    u = ca.SX.sym("u")
    return [(u, ca.vertcat(radius * ca.cos(u), radius * ca.sin(u), CENTER[2]), 2 * ca.pi)]


def angles(x):
    """Inverse kinematics, elbows out: q from the horizontal, positive downwards."""
    result = []
    for phi in PHI:
        p = ca.cos(phi) * x[0] + ca.sin(phi) * x[1] - R
        t = -ca.sin(phi) * x[0] + ca.cos(phi) * x[1]
        w = p**2 + t**2 + x[2] ** 2 + LA**2 - LB**2
        result.append(ca.atan2(-x[2], p) - ca.acos(w / (2 * LA * ca.sqrt(p**2 + x[2] ** 2))))
    return ca.vertcat(*result)


def torques():
    """tau(x, v, a) of the platform's motion."""
    x, v, a = ca.SX.sym("x", 3), ca.SX.sym("v", 3), ca.SX.sym("a", 3)
    q = angles(x)
    qd = ca.jacobian(q, x) @ v
    kinetic = 0.5 * M_PLATFORM * ca.sumsqr(v)
    potential = M_PLATFORM * G * x[2]
    for i, phi in enumerate(PHI):
        out = ca.vertcat(ca.cos(phi), ca.sin(phi), 0)
        elbow = out * (R + LA * ca.cos(q[i])) - ca.vertcat(0, 0, LA * ca.sin(q[i]))
        ve = ca.jacobian(elbow, x) @ v
        kinetic += 0.5 * I_ARM * qd[i] ** 2 + M_ROD / 6 * (ca.sumsqr(ve) + ca.dot(ve, v) + ca.sumsqr(v))
        potential += -M_ARM * G * C_ARM * ca.sin(q[i]) + M_ROD * G * 0.5 * (x[2] + elbow[2])
    momentum = ca.gradient(kinetic, v)
    force = (
        ca.jacobian(momentum, v) @ a + ca.jacobian(momentum, x) @ v - ca.gradient(kinetic, x) + ca.gradient(potential, x)
    )
    tau = ca.solve(ca.jacobian(q, x).T, force)
    return ca.Function("tau", [x, v, a], [tau])


TAU = torques()


def shares(u, x, limits):
    """Squares of the shares of all limits at u and its three derivatives."""
    v, w, j = ca.SX.sym("v"), ca.SX.sym("w"), ca.SX.sym("j")
    d1 = ca.jacobian(x, u)
    d2 = ca.jacobian(d1, u)
    d3 = ca.jacobian(d2, u)
    bounds = []
    if "speed" in limits:
        bounds.append(ca.sumsqr(d1 * v) / limits["speed"] ** 2)
    if "acceleration" in limits:
        bounds.append(ca.sumsqr(d2 * v**2 + d1 * w) / limits["acceleration"] ** 2)
    if "jerk" in limits:
        bounds.append(ca.sumsqr(d3 * v**3 + 3 * d2 * v * w + d1 * j) / limits["jerk"] ** 2)
    q1 = ca.jacobian(angles(x), u)
    q2 = ca.jacobian(q1, u)
    q3 = ca.jacobian(q2, u)
    if "joint_speed" in limits:
        bounds.append((q1 * v / limits["joint_speed"]) ** 2)
    if "joint_acceleration" in limits:
        bounds.append(((q2 * v**2 + q1 * w) / limits["joint_acceleration"]) ** 2)
    if "joint_jerk" in limits:
        bounds.append(((q3 * v**3 + 3 * q2 * v * w + q1 * j) / limits["joint_jerk"]) ** 2)
    if "torque" in limits:
        bounds.append((TAU(x, d1 * v, d2 * v**2 + d1 * w) / limits["torque"]) ** 2)
    return ca.Function("shares", [u, v, w, j], [ca.vertcat(*bounds)])


def fastest(path, limits):
    """One phase for each piece of the path, each with its own time; u and its derivatives go on from phase to phase."""
    n = max(INTERVALS // len(path), 40)
    length = sum(end for _, _, end in path)
    symbols, equal, inside, guess, low = [], [], [], [], []
    before, start, slow = ca.DM([0, 0]), 0.0, 3.0

    def shape(y):
        return y**3 * (10 - 15 * y + 6 * y**2)

    def reached(part):
        a, b = 0.0, 1.0
        for _ in range(60):
            a, b = ((a + b) / 2, b) if shape((a + b) / 2) < part else (a, (a + b) / 2)
        return (a + b) / 2

    for u, x, end in path:
        share = shares(u, x, limits)
        state, jerk, time = ca.SX.sym("s", 3, n + 1), ca.SX.sym("j", n), ca.SX.sym("T")
        h = time / n
        for k in range(n):
            s, r, b, c = state[0, k], state[1, k], state[2, k], jerk[k]
            for part in (0.0, 0.5, 1.0):
                t = part * h
                now = [s + r * t + b * t**2 / 2 + c * t**3 / 6, r + b * t + c * t**2 / 2, b + c * t]
                inside.append(share(*now, c))
            equal.append(ca.vertcat(*now) - state[:, k + 1])
        equal.append(ca.vertcat(state[0, 0], state[0, n] - end))
        equal.append(state[1:, 0] - before)
        before = state[1:, n]
        symbols += [ca.vec(state), jerk, time]
        # A slow 3-4-5 polynomial.
        y0, y1 = reached(start / length), reached((start + end) / length)
        ys = [y0 + (y1 - y0) * k / n for k in range(n + 1)]
        for y in ys:
            guess += [
                length * shape(y) - start,
                length * 30 * (y * (1 - y)) ** 2 / slow,
                length * 60 * y * (1 - y) * (1 - 2 * y) / slow**2,
            ]
            low += [-ca.inf, 0.0, -ca.inf]
        guess += [length * 60 * (1 - 6 * y + 6 * y**2) / slow**3 for y in ys[:-1]] + [(y1 - y0) * slow]
        low += [-ca.inf] * n + [1e-4]
        start += end
    equal.append(before)
    unknown, g = ca.vertcat(*symbols), ca.vertcat(*equal, *inside)
    count = ca.vertcat(*equal).numel()
    objective = sum(symbols[2::3])
    options = {"print_level": 0, "max_iter": 3000, "tol": 1e-7, "mu_strategy": "adaptive"}
    solver = ca.nlpsol("solver", "ipopt", {"x": unknown, "f": objective, "g": g}, {"print_time": False, "ipopt": options})
    rest = g.numel() - count
    found = solver(x0=guess, lbg=[0.0] * count + [-ca.inf] * rest, ubg=[0.0] * count + [1.0] * rest, lbx=low)
    return float(found["f"]), solver.stats()["return_status"]


ZIGZAG = [[-0.2, -0.1, -0.9], [0.0, 0.1, -0.85], [0.1, -0.1, -0.95], [0.25, 0.05, -0.9]]
ROBOT = {"torque": 80.0, "joint_speed": 30.0}
MOTIONS = [
    ("line", {}, line([-0.15, 0, -0.9], [0.15, 0, -0.9]), {"speed": 2.0, "acceleration": 40.0, "jerk": 3000.0}),
    ("cycle", {}, cycle(), {"speed": 2.0, "acceleration": 50.0, "jerk": 5000.0}),
    ("cycle", {}, cycle(), {"jerk": 20000.0, "acceleration": 1000.0}),
    ("zigzag", {}, polyline(ZIGZAG, 0.04), {"acceleration": 30.0, "jerk": 2000.0}),
    ("semi-ellipse", {}, semi_ellipse(), {"acceleration": 60.0, "jerk": 5000.0}),
    ("circle", {}, circle(0.1), {"acceleration": 20.0, "jerk": 1000.0}),
    ("cycle", ROBOT, cycle(), {"jerk": 10000.0}),
    ("semi-ellipse", ROBOT, semi_ellipse(), {"jerk": 20000.0}),
    ("line", ROBOT, line([-0.15, 0, -0.9], [0.15, 0, -0.9]), {"joint_acceleration": 300.0, "joint_jerk": 20000.0}),
    ("zigzag", ROBOT, polyline(ZIGZAG, 0.04), {"speed": 3.0, "acceleration": 100.0, "jerk": 6000.0, "joint_jerk": 8000.0}),
]


LIMITS = ["speed", "acceleration", "jerk", "joint_acceleration", "joint_jerk"]


def main():
    rows = [",".join(["path", "robot", *LIMITS, "time"])]
    for name, robot, path, limits in MOTIONS:
        time, status = fastest(path, {**limits, **robot})
        print(f"{name:14} {time:.6f} s  {status}  {limits} {robot}", flush=True)
        if status not in ("Solve_Succeeded", "Solved_To_Acceptable_Level"):
            sys.exit(f"{name}: {status}")
        numbers = [str(limits.get(key, "inf")) for key in LIMITS]
        rows.append(",".join([name, str(int(bool(robot))), *numbers, repr(time)]))
    out = Path(__file__).resolve().parents[2] / "golden" / "jerk-limited.csv"
    out.write_text("\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
