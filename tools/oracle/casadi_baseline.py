"""Inverse dynamics of a Delta as a CasADi function and as C code: the speed that a benchmark has to beat.

    casadi_baseline.py ROBOT DIRECTORY

ROBOT is `asadi`, `d3-1200` or a frictionless file of golden/robots without its ending. Writes DIRECTORY/torque.c and
DIRECTORY/states.h (states of the golden data with their torques); casadi_baseline.cpp checks and times them:

    g++ -O3 -march=native -fno-math-errno -DLANES=4 -I DIRECTORY casadi_baseline.cpp -o DIRECTORY/time && DIRECTORY/time

The robot's numbers are constants of the code. The torque does not need the angles themselves, so there is no
trigonometric function: from Cartesian state to torque in sums, products, divisions and one square root per arm.
With the lumped masses of `high_precision.py` (2), e'·e'' = 0 and |e'| = LA the motor and platform rows of (1) are

    w_q = A q̈ + b e'·Ẍ − c g·e',   w_X = m Ẍ + Σ b (e' q̈ + e'' q̇²) − m_g g,   τ = w_q + μ (u·e'),   Σ μ u = w_X.
"""

import argparse
from collections import Counter
from pathlib import Path

import casadi as ca
import numpy as np

import high_precision as exact
from robots import load_parameters, load_toml


def reciprocal(y):
    """1/y in a disguise: CasADi rewrites x·(1/y) to x/y, and so divides once for each use."""
    return 3 / (3 * y)


def torque_function(robot):
    x, v, acc = (ca.SX.sym(name, 3) for name in "xva")
    gravity = ca.DM([float(g) for g in robot.gravity])
    inertial, gravitational = robot.moved_mass, robot.moved_mass
    arms, w_x = [], ca.SX(3, 1)
    for i in range(3):
        la, lb = robot.arm_length[i], robot.rod_length[i]
        m, rho, turn = robot.rod_mass[i], robot.rod_rho[i], robot.rod_inertia[i] / lb**2
        at_axis = robot.arm_inertia[i] + robot.rotor_inertia[i]
        at_axis += la**2 * (robot.elbow_mass[i] + m * (1 - rho) ** 2 + turn)  # A
        coupling = float(m * rho * (1 - rho) - turn)  # b
        weight = robot.elbow_mass[i] + m * (1 - rho) + robot.arm_mass[i] * robot.arm_center[i] / la  # c
        inertial += m * rho**2 + turn  # m
        gravitational += m * rho  # m_g

        c, s = float(exact.mp.cos(robot.azimuth[i])), float(exact.mp.sin(robot.azimuth[i]))
        c, s = (0.0 if abs(value) < 1e-15 else value for value in (c, s))  # a right angle is exact
        p, t, z = c * x[0] + s * x[1] - float(robot.radius[i]), c * x[1] - s * x[0], x[2]
        square = p**2 + z**2
        scale = float(la) / square
        k = (square + t**2 + float(la**2 - lb**2)) * float(1 / (2 * la))
        root = ca.sqrt(square - k**2)
        cos_q, sin_q = (p * k - z * root) * scale, (-z * k - p * root) * scale  # times LA
        e1 = ca.vertcat(-c * sin_q, -s * sin_q, -cos_q)
        e2 = ca.vertcat(-c * cos_q, -s * cos_q, sin_q)
        radial = p - cos_q
        u = ca.vertcat(c * radial - s * t, s * radial + c * t, z + sin_q)
        lever = -radial * sin_q - u[2] * cos_q  # u·e'
        per_lever = reciprocal(lever)
        qd = ca.dot(u, v) * per_lever
        slide = v - e1 * qd
        qdd = (ca.dot(u, acc - e2 * qd**2) + ca.dot(slide, slide)) * per_lever
        w_x += coupling * (e1 * qdd + e2 * qd**2)
        arms.append((u, lever, float(at_axis) * qdd + ca.dot(coupling * acc - float(weight) * gravity, e1)))
    w_x += float(inertial) * acc - float(gravitational) * gravity
    (u1, u2, u3) = (u for u, _, _ in arms)
    normals = ca.cross(u2, u3), ca.cross(u3, u1), ca.cross(u1, u2)
    per_volume = reciprocal(ca.dot(u1, normals[0]))
    tau = [w_q + lever * ca.dot(n, w_x) * per_volume for (_, lever, w_q), n in zip(arms, normals)]
    return ca.Function("torque", [x, v, acc], [ca.cse(ca.vertcat(*tau))], ["x", "v", "a"], ["tau"])


def count_operations(function):
    names = {
        getattr(ca, name): name[3:].lower()
        for name in ("OP_ADD", "OP_SUB", "OP_NEG", "OP_MUL", "OP_SQ", "OP_TWICE", "OP_DIV", "OP_INV", "OP_SQRT")
    }
    silent = (ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST)
    operations = (function.instruction_id(i) for i in range(function.n_instructions()))
    return Counter(names[operation] for operation in operations if operation not in silent)


def c_table(name, rows):
    lines = ",\n".join("  {" + ", ".join(f"{float(value):.17g}" for value in row) + "}" for row in rows)
    return f"static const double {name}[{len(rows)}][{len(rows[0])}] = {{\n{lines}\n}};\n"


def main(name, directory, golden):
    own = golden / "robots" / f"{name}.toml"
    robot = load_toml(own) if own.exists() else load_parameters(golden / f"delta-{name}-parameters.json")
    function = torque_function(robot)
    states = exact.read_rows(golden / f"delta-{name}-dynamics.csv", exact.DYNAMICS[:3])
    # Recomputed rather than read: the file may have an external force in it.
    torques = [exact.inverse(robot, exact.pose(robot, x), v, acc)[2] for x, v, acc in states]
    worst = 0.0
    for (x, v, acc), tau in zip(states, torques):
        got = function(*(ca.DM([float(c) for c in vector]) for vector in (x, v, acc))).full().ravel()
        want = np.array([float(t) for t in tau])
        worst = max(worst, np.abs(got - want).max() / np.abs(want).max())
    operations = count_operations(function)
    print(f"{name}: {operations.total()} operations {dict(operations)}, largest relative difference {worst:.1e}")

    directory.mkdir(parents=True, exist_ok=True)
    generator = ca.CodeGenerator("torque.c", {"with_header": False})
    generator.add(function)
    (directory / "torque.c").write_text(generator.dump())
    inputs = [x + v + acc for x, v, acc in states]
    (directory / "states.h").write_text(c_table("STATES", inputs) + c_table("TORQUES", torques))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--golden", type=Path, default=exact.GOLDEN)
    options = parser.parse_args()
    main(options.robot, options.directory, options.golden)
