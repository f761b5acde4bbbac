"""Random serial arms and what Pinocchio says about them.

Writes golden/robots/serial-*.toml (2 to 8 joints, both conventions, revolute and prismatic joints, full inertia tensors,
tool, payload, motor inertia) and golden/serial-*-pinocchio.csv: 20 states each with torques, accelerations by forward
dynamics of those torques, mass matrix (upper triangle by rows), holding torques and the tool's position.

The chain is built from elementary transforms, as the conventions define them; nothing is shared with the library.
"""

import math
import random
import tomllib
from pathlib import Path

import numpy as np
import pinocchio as pin

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
ARMS = [("a", 2, "modified-dh"), ("b", 3, "standard-dh"), ("c", 4, "modified-dh"), ("d", 5, "standard-dh"),
        ("e", 6, "modified-dh"), ("f", 7, "standard-dh"), ("g", 7, "modified-dh"), ("h", 8, "standard-dh")]
STATES = 20


def tensor(rng):
    """xx, yy, zz, xy, yz, xz of a body that can exist, as short decimals."""
    while True:
        points = np.array([[rng.uniform(-0.2, 0.2) for _ in range(3)] for _ in range(5)])
        points -= points.mean(axis=0)
        full = sum(np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in points) * rng.uniform(0.1, 2.0)
        full = np.round(full, 5)
        if np.linalg.eigvalsh(full).min() > 1e-3:
            return [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[1, 2], full[0, 2]]


def describe(name, joints, convention, rng):
    short = lambda low, high: round(rng.uniform(low, high), 4)
    triple = lambda size: [short(-size, size) for _ in range(3)]
    degrees = lambda: rng.choice([0, 90, -90, 180, 30, short(-180, 180)])
    lines = [
        "# Made by tools/oracle/serial_arms.py.",
        'kind = "serial"',
        f'name = "serial-{name}"',
        f'convention = "{convention}"',
        f"gravity = [{short(-3, 3)}, {short(-3, 3)}, {short(-10, -8)}]",
    ]
    for _ in range(joints):
        prismatic = rng.random() < 0.3
        lines += [
            "",
            "[[link]]",
            f'joint = "{"prismatic" if prismatic else "revolute"}"',
            f'alpha = "{degrees()} deg"',
            f"a = {short(-0.5, 0.5)}",
            f"d = {short(-0.5, 0.5)}",
            f'theta_offset = "{degrees()} deg"',
            f"mass = {short(0.5, 10)}",
            f"center_of_mass = {triple(0.3)}",
            f"inertia = {tensor(rng)}",
            f"motor_inertia = {short(0, 2)}",
        ]
    lines += ["", "[tool]", f"position = {triple(0.3)}", f"rpy = {[f'{degrees()} deg' for _ in range(3)]}".replace("'", '"')]
    lines += ["", "[payload]", f"mass = {short(0.5, 5)}", f"center_of_mass = {triple(0.2)}", f"inertia = {tensor(rng)}"]
    return "\n".join(lines).replace("np.float64(", "").replace(")", "") + "\n"


def angle(text):
    return math.radians(float(text.split()[0]))


def turn(axis, radians):
    c, s = math.cos(radians), math.sin(radians)
    i, j = [(1, 2), (2, 0), (0, 1)]["xyz".index(axis)]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return pin.SE3(matrix, np.zeros(3))


def shift(x, z):
    return pin.SE3(np.eye(3), np.array([x, 0.0, z]))


def inertia(table):
    xx, yy, zz, xy, yz, xz = table["inertia"]
    full = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return pin.Inertia(table["mass"], np.array(table["center_of_mass"]), full)


def build(arm):
    """The Pinocchio model, the motors' inertias, and the tool in the last joint's frame."""
    model = pin.Model()
    model.gravity.linear = np.array(arm["gravity"])
    modified = arm["convention"] == "modified-dh"
    parent, before, after = 0, pin.SE3.Identity(), pin.SE3.Identity()
    for i, link in enumerate(arm["link"]):
        along_x = turn("x", angle(link["alpha"])) * shift(link["a"], 0.0)
        along_z = turn("z", angle(link["theta_offset"])) * shift(0.0, link["d"])
        joint = pin.JointModelRZ() if link["joint"] == "revolute" else pin.JointModelPZ()
        # The joint's motion stands between what is before it and what is after it; along_z commutes with it.
        placement = before * (along_x * along_z if modified else along_z)
        after = pin.SE3.Identity() if modified else along_x
        parent = model.addJoint(parent, joint, placement, f"joint{i + 1}")
        model.appendBodyToJoint(parent, inertia(link), after)
        before = after
    roll, pitch, yaw = map(angle, arm["tool"]["rpy"])
    tool = turn("z", yaw) * turn("y", pitch) * turn("x", roll)
    tool = after * pin.SE3(tool.rotation, np.array(arm["tool"]["position"]))
    model.appendBodyToJoint(parent, inertia(arm["payload"]), tool)
    return model, np.array([link["motor_inertia"] for link in arm["link"]]), tool


def rows(arm, rng):
    model, motors, tool = build(arm)
    data = model.createData()
    n = model.nv
    for _ in range(STATES):
        q, qd, qdd = (np.array([rng.uniform(-size, size) for _ in range(n)]) for size in (3.0, 3.0, 10.0))
        model.armature = np.zeros(n)
        tau = pin.rnea(model, data, q, qd, qdd) + motors * qdd
        gravity = pin.computeGeneralizedGravity(model, data, q).copy()
        mass = np.triu(pin.crba(model, data, q)).copy() + np.diag(motors)
        model.armature = motors
        # Its own forward dynamics returns the acceleration.
        back = pin.aba(model, data, q, qd, tau)
        assert np.abs(back - qdd).max() < 1e-10 * np.abs(qdd).max(), np.abs(back - qdd).max()
        pin.forwardKinematics(model, data, q)
        position = (data.oMi[n] * tool).translation
        yield [*q, *qd, *qdd, *tau, *mass[np.triu_indices(n)], *gravity, *position]


def main():
    for name, joints, convention in ARMS:
        rng = random.Random(f"dalembert serial {name}")
        text = describe(name, joints, convention, rng)
        (GOLDEN / "robots" / f"serial-{name}.toml").write_text(text)
        numbers = range(1, joints + 1)
        header = [f"{stem}{i}" for stem in ("q", "qd", "qdd", "tau") for i in numbers]
        header += [f"M{i}{j}" for i in numbers for j in numbers if i <= j] + [f"g{i}" for i in numbers] + ["x", "y", "z"]
        lines = [",".join(header)]
        lines += [",".join(f"{value:.17g}" for value in row) for row in rows(tomllib.loads(text), rng)]
        (GOLDEN / f"serial-{name}-pinocchio.csv").write_text("\n".join(lines) + "\n")
        print(f"serial-{name}: {joints} joints, {convention}")


if __name__ == "__main__":
    main()
