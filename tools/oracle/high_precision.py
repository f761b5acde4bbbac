"""Reference data of the exact Delta model in 50-digit arithmetic.

    high_precision.py verify      compare with the reference data supplied with the project
    high_precision.py generate    write the data of the robots in golden/robots

The model is d'Alembert's principle in the six coordinates y = (q1, q2, q3, x, y, z) with the three constraints
φ_i = (|X − e_i|² − LB_i²)/2 = 0 and multipliers μ_i:

    w_q(ÿ) = τ − τ_f + Φ_qᵀ μ,   w_X(ÿ) = f + Φ_Xᵀ μ.                                             (1)

w is the virtual work of inertia minus gravity. A forearm pair is one rod with the kinetic energy
m/2 |(1−ρ) v_C + ρ v_A|² + I/(2 L²) |v_A − v_C|², C the elbow and A the platform end, so its inertia acts at its ends:

    F_C = (1−ρ) m (a_S − g) − I/L² (a_A − a_C),   F_A = ρ m (a_S − g) + I/L² (a_A − a_C),
    a_S = (1−ρ) a_C + ρ a_A.                                                                      (2)

No other closed form than the inverse kinematics is used. Conventions: z up, q = 0 horizontal outward and positive
downward, e_i = Rz(φ_i)[R_i + LA_i cos q_i, 0, −LA_i sin q_i]; f is the force of the environment on the platform.
Inputs are the exact doubles that are printed; results are rounded once, to double.
"""

import argparse
import csv
import math
import random
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from mpmath import mp, mpf

from robots import load_parameters, load_toml

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
ZERO = [mpf(0)] * 3
OUT, IN = -1, 1  # the sign of the arccosine: elbows out (the usual working branch), elbows in


def numbered(name):
    return [f"{name}{i}" for i in (1, 2, 3)]


POSITION, VELOCITY, ACCELERATION, FORCE = ["x", "y", "z"], ["vx", "vy", "vz"], ["ax", "ay", "az"], ["fx", "fy", "fz"]
Q, QD, QDD, TAU, HOLDING = (numbered(name) for name in ("q", "qd", "qdd", "tau", "g"))
MASS = ["M11", "M12", "M13", "M22", "M23", "M33"]


def dot(a, b):
    return mp.fdot(a, b)


def combine(*terms):
    """Σ s v over (s, v), s a number and v a 3-vector."""
    return [mp.fsum(s * v[k] for s, v in terms) for k in range(3)]


# ---- kinematics


@dataclass
class Arm:
    """One arm at a pose: the rod vector u = X − e, and e' = de/dq, e'' = d²e/dq²."""

    q: mpf
    u: list
    e1: list
    e2: list


def pose(robot, x, branch=OUT):
    """Closed-form inverse kinematics; None if an arm cannot reach x."""
    arms = []
    for phi, r, la, lb in zip(robot.azimuth, robot.radius, robot.arm_length, robot.rod_length):
        c, s = mp.cos(phi), mp.sin(phi)
        p, t, z = x[0] * c + x[1] * s - r, -x[0] * s + x[1] * c, x[2]
        cosine = (p**2 + t**2 + z**2 + la**2 - lb**2) / (2 * la * mp.hypot(p, z))
        if abs(cosine) >= 1:
            return None
        q = mp.atan2(-z, p) + branch * mp.acos(cosine)
        along, down = [c, s, mpf(0)], [mpf(0), mpf(0), mpf(-1)]
        e = combine((r + la * mp.cos(q), along), (la * mp.sin(q), down))
        e1 = combine((-la * mp.sin(q), along), (la * mp.cos(q), down))
        e2 = combine((-la * mp.cos(q), along), (-la * mp.sin(q), down))
        u = combine((1, x), (-1, e))
        assert abs(dot(u, u) / lb**2 - 1) < mpf("1e-45"), "the inverse kinematics does not close the loop"
        arms.append(Arm(q, u, e1, e2))
    return arms


def rates(arms, v):
    """φ̇ = 0: u·(v − e' q̇) = 0."""
    return [dot(a.u, v) / dot(a.u, a.e1) for a in arms]


def curvature(arms, v, qd):
    """The part of φ̈ that has no accelerations."""
    slide = [combine((1, v), (-w, a.e1)) for a, w in zip(arms, qd)]
    return [dot(s, s) - w**2 * dot(a.u, a.e2) for s, a, w in zip(slide, arms, qd)]


def joint_accelerations(arms, v, qd, acc):
    """φ̈ = 0 solved for q̈."""
    return [(dot(a.u, acc) + k) / dot(a.u, a.e1) for a, k in zip(arms, curvature(arms, v, qd))]


def jacobian_condition(arms):
    """Condition number of J, Ẋ = J q̇, in double precision."""
    rows = np.array([[float(c / dot(a.u, a.e1)) for c in a.u] for a in arms])
    return np.linalg.cond(rows)


# ---- dynamics


def work(robot, arms, qd, qdd, acc):
    """(w_q, w_X) of (1), by (2)."""
    g = robot.gravity
    w_q, w_x = [], [robot.moved_mass * (acc[k] - g[k]) for k in range(3)]
    for i, a in enumerate(arms):
        la, lb = robot.arm_length[i], robot.rod_length[i]
        m, rho, inertia = robot.rod_mass[i], robot.rod_rho[i], robot.rod_inertia[i]
        elbow_acc = combine((qdd[i], a.e1), (qd[i] ** 2, a.e2))
        center_acc = combine((1 - rho, elbow_acc), (rho, acc), (-1, g))
        turn = combine((inertia / lb**2, acc), (-inertia / lb**2, elbow_acc))
        at_elbow = combine(
            ((1 - rho) * m, center_acc), (-1, turn), (robot.elbow_mass[i], elbow_acc), (-robot.elbow_mass[i], g)
        )
        about_axis = (robot.arm_inertia[i] + robot.rotor_inertia[i]) * qdd[i]
        weight = robot.arm_mass[i] * robot.arm_center[i] / la * dot(g, a.e1)
        w_q.append(about_axis - weight + dot(at_elbow, a.e1))
        w_x = combine((1, w_x), (rho * m, center_acc), (1, turn))
    return w_q, w_x


def inverse(robot, arms, v, acc, force=ZERO):
    """(q̇, q̈, τ) of a platform motion: μ from the platform's rows of (1), τ from the motors'."""
    qd = rates(arms, v)
    qdd = joint_accelerations(arms, v, qd, acc)
    w_q, w_x = work(robot, arms, qd, qdd, acc)
    mu = mp.lu_solve(mp.matrix([a.u for a in arms]).T, mp.matrix(combine((1, w_x), (-1, force))))
    tau = [w + m * dot(a.u, a.e1) + robot.friction.torque(w1) for w, m, a, w1 in zip(w_q, mu, arms, qd)]
    return qd, qdd, tau


def forward(robot, arms, v, tau):
    """(Ẍ, q̈) from the full system of nine equations in (q̈, Ẍ, μ): (1) and φ̈ = 0."""
    qd = rates(arms, v)
    bias = sum(work(robot, arms, qd, ZERO, ZERO), [])
    kkt, right = mp.zeros(9, 9), mp.zeros(9, 1)
    for j in range(6):
        unit = [mpf(i == j) for i in range(6)]
        column = sum(work(robot, arms, qd, unit[:3], unit[3:]), [])
        for i in range(6):
            kkt[i, j] = column[i] - bias[i]
    for i, a in enumerate(arms):
        gradient = [-dot(a.u, a.e1) if j == i else mpf(0) for j in range(3)] + a.u
        for j in range(6):
            kkt[6 + i, j] = gradient[j]
            kkt[j, 6 + i] = -gradient[j]
        right[i] = tau[i] - robot.friction.torque(qd[i]) - bias[i]
        right[3 + i] = -bias[3 + i]
        right[6 + i] = -curvature(arms, v, qd)[i]
    solution = list(mp.lu_solve(kkt, right))
    return solution[3:6], solution[:3]


def mass_and_holding(robot, arms):
    """The joint-space mass matrix (upper triangle by rows) and the torques that hold the pose."""
    weightless = replace(robot, gravity=ZERO)
    columns = []
    for j in range(3):
        # At rest, q̈ = unit vector j: u_i·Ẍ = (u_i·e_i') q̈_i.
        right = mp.matrix([dot(a.u, a.e1) if i == j else mpf(0) for i, a in enumerate(arms)])
        acc = list(mp.lu_solve(mp.matrix([a.u for a in arms]), right))
        columns.append(inverse(weightless, arms, ZERO, acc)[2])
    for i in range(3):
        for j in range(i):
            assert abs(columns[i][j] - columns[j][i]) < mpf("1e-40"), "the mass matrix is not symmetric"
    return [columns[j][i] for i in range(3) for j in range(i, 3)], inverse(robot, arms, ZERO, ZERO)[2]


# ---- rows: a dictionary from column group to three (or six) numbers

DYNAMICS = [POSITION, VELOCITY, ACCELERATION, Q, QD, QDD, TAU]
DYNAMICS_WITH_FORCE = [POSITION, VELOCITY, ACCELERATION, FORCE, Q, QD, QDD, TAU]
MASS_GRAVITY = [POSITION, Q, MASS, HOLDING]
FORWARD = [POSITION, VELOCITY, TAU, ACCELERATION, QDD]


def dynamics_row(robot, x, v, acc, force=ZERO, branch=OUT):
    arms = pose(robot, x, branch)
    return [x, v, acc, [a.q for a in arms], *inverse(robot, arms, v, acc, force)]


def mass_gravity_row(robot, x):
    arms = pose(robot, x)
    return [x, [a.q for a in arms], *mass_and_holding(robot, arms)]


def forward_row(robot, x, v, tau):
    arms = pose(robot, x)
    acc, qdd = forward(robot, arms, v, tau)
    assert difference([inverse(robot, arms, v, acc)[2]], [tau]) < mpf("1e-40"), "forward is not the inverse of inverse"
    return [x, v, tau, acc, qdd]


def read_rows(path, groups):
    """Rows of a file as lists of groups of exact doubles."""
    with path.open(newline="") as file:
        return [[[mpf(float(row[c])) for c in group] for group in groups] for row in csv.DictReader(file)]


def write_rows(path, groups, rows):
    with path.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(sum(groups, []))
        out.writerows([f"{float(value):.16e}" for value in sum(row, [])] for row in rows)
    print(f"{path.name}: {len(rows)} rows")


def difference(row, expected):
    """The largest difference, relative to the largest component of its group (q, q̈, τ, M …) in this row."""
    return max(
        max(abs(a - b) for a, b in zip(got, want)) / max(map(abs, want)) for got, want in zip(row, expected)
    )


# ---- verify


def verify(golden):
    """Recompute every supplied file from its own inputs. A file is right if it is the correctly rounded answer, 1e-15."""
    for robot_name in ("asadi", "d3-1200"):
        robot = load_parameters(golden / f"delta-{robot_name}-parameters.json")
        for kind, groups, compute in (
            ("dynamics", DYNAMICS, lambda row: dynamics_row(robot, *row[:3])),
            ("mass-gravity", MASS_GRAVITY, lambda row: mass_gravity_row(robot, row[0])),
            ("forward", FORWARD, lambda row: forward_row(robot, *row[:3])),
        ):
            path = golden / f"delta-{robot_name}-{kind}.csv"
            rows = read_rows(path, groups)
            worst = max(difference(compute(row), row) for row in rows)
            print(f"{path.name}: {len(rows)} rows, largest relative difference {float(worst):.1e}")
            if worst > mpf("1e-15"):
                raise SystemExit(f"{path.name} disagrees")


# ---- generate


@dataclass(frozen=True)
class Region:
    """Where states are drawn: a disc of this radius between two heights, and the largest magnitudes."""

    radius: float
    heights: tuple
    speed: float
    acceleration: float
    torque: float
    force: float = 0.0
    decades: float = 0.0  # 0: speeds uniform up to the largest; else spread evenly over so many decades below it


REGIONS = {
    "generic": Region(0.40, (-1.00, -0.65), 5.0, 100.0, 60.0, 50.0),
    "uniform": Region(0.35, (-0.95, -0.60), 5.0, 100.0, 40.0),
    "mini": Region(0.07, (-0.23, -0.14), 1.5, 40.0, 0.3),
    "heavy": Region(0.60, (-1.60, -1.05), 4.0, 60.0, 400.0, 200.0),
    "friction": Region(0.45, (-1.05, -0.70), 5.0, 100.0, 40.0, decades=4.0),
}
MAX_CONDITION = 10.0


class Sampler:
    """Reproducible random states inside a region, at poses where cond J < 10."""

    def __init__(self, seed, robot, region, branch=OUT):
        self.random, self.robot, self.region, self.branch = random.Random(seed), robot, region, branch

    def position(self):
        while True:
            r, angle = self.region.radius * math.sqrt(self.random.random()), 2 * math.pi * self.random.random()
            x = [mpf(c) for c in (r * math.cos(angle), r * math.sin(angle), self.random.uniform(*self.region.heights))]
            arms = pose(self.robot, x, self.branch)
            if arms and jacobian_condition(arms) < MAX_CONDITION:
                return x

    def vector(self, length):
        direction = [self.random.gauss(0, 1) for _ in range(3)]
        norm = math.hypot(*direction)
        return [mpf(length * d / norm) for d in direction]

    def up_to(self, largest):
        return self.vector(largest * self.random.random())

    def velocity(self):
        if self.region.decades:
            return self.vector(self.region.speed * 10 ** -self.random.uniform(0, self.region.decades))
        return self.up_to(self.region.speed)

    def torques(self):
        return [mpf(self.random.uniform(-self.region.torque, self.region.torque)) for _ in range(3)]


def dynamics_rows(draw, count):
    """Dynamics rows; if the region has forces, one stands between the accelerations and q."""
    rows = []
    for _ in range(count):
        x, v, acc = draw.position(), draw.velocity(), draw.up_to(draw.region.acceleration)
        force = draw.up_to(draw.region.force) if draw.region.force else ZERO
        row = dynamics_row(draw.robot, x, v, acc, force, draw.branch)
        rows.append(row[:3] + [force] + row[3:] if draw.region.force else row)
    return rows


def generate(golden):
    for name, region in REGIONS.items():
        robot = load_toml(golden / "robots" / f"{name}.toml")
        draw = Sampler(f"dalembert {name}", robot, region)
        columns = DYNAMICS_WITH_FORCE if region.force else DYNAMICS
        write_rows(golden / f"delta-{name}-dynamics.csv", columns, dynamics_rows(draw, 20 if name == "friction" else 60))
        if name != "friction":  # it does not change the mass matrix, nor the torque at rest
            rows = [mass_gravity_row(robot, draw.position()) for _ in range(30)]
            write_rows(golden / f"delta-{name}-mass-gravity.csv", MASS_GRAVITY, rows)
        rows = [forward_row(robot, draw.position(), draw.velocity(), draw.torques()) for _ in range(20)]
        write_rows(golden / f"delta-{name}-forward.csv", FORWARD, rows)
    generic = load_toml(golden / "robots" / "generic.toml")
    inward = Sampler("dalembert generic elbow-in", generic, REGIONS["generic"], IN)
    write_rows(golden / "delta-generic-elbow-in-dynamics.csv", DYNAMICS_WITH_FORCE, dynamics_rows(inward, 20))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["verify", "generate"])
    parser.add_argument("--golden", type=Path, default=GOLDEN)
    options = parser.parse_args()
    {"verify": verify, "generate": generate}[options.action](options.golden)
