"""What the harness of this folder needs: CasADi's functions as C, tables for Pinocchio, models for MuJoCo.

    functions.py DIRECTORY ROBOT.toml ...

Writes DIRECTORY/ROBOT_QUANTITY.c, DIRECTORY/ARM.xml and DIRECTORY/robots.h, for the arms that are named and for the Delta `d3-1200`. The CasADi
expressions of arms are those of ../oracle/arm_operations.py, that of the Delta's torque of ../oracle/casadi_baseline.py.
"""

import re
import sys
import tomllib
from pathlib import Path

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "oracle"))
from arm_operations import angle, functions, sine_cosine, tensor, torque  # noqa: E402
from casadi_baseline import reciprocal, torque_function  # noqa: E402
from high_precision import GOLDEN, mp  # noqa: E402
from rigid_bodies import arm_with_elbow  # noqa: E402
from robots import load_parameters  # noqa: E402

QUANTITIES = ["torque", "mass", "acceleration", "torque-derivatives", "acceleration-derivatives"]
DELTA = ["torque", "acceleration"]


def acceleration_derivatives(robot):
    """−M⁻¹ ∂τ/∂(q, q̇) at the acceleration of the torques, and M⁻¹."""
    n = len(robot["link"])
    q, qd, qdd, tau = (ca.SX.sym(name, n) for name in ("q", "qd", "qdd", "tau"))
    whole, bias = torque(robot, q, qd, qdd), torque(robot, q, qd, ca.SX(n, 1))
    mass = ca.jacobian(whole, qdd)
    d, lt, order = ca.ldl(ca.cse(mass), False)
    free = ca.ldl_solve(tau - bias, d, lt, order)
    slopes = ca.substitute(ca.jacobian(whole, ca.vertcat(q, qd)), qdd, free)
    result = ca.ldl_solve(ca.horzcat(-slopes, ca.SX.eye(n)), d, lt, order)
    return ca.Function("acceleration_derivatives", [q, qd, tau], [ca.cse(ca.densify(result))])


def delta_acceleration(robot):
    """(q, q̇, τ) → q̈: the platform where three spheres meet, its velocity, and the 3 × 3 equations of its acceleration (notation of
    casadi_baseline.py)."""
    q, qd, tau = (ca.SX.sym(name, 3) for name in ("q", "qd", "tau"))
    gravity = ca.DM([float(g) for g in robot.gravity])
    arms, elbows = [], []
    inertial, gravitational = robot.moved_mass, robot.moved_mass
    for i in range(3):
        la, lb = robot.arm_length[i], robot.rod_length[i]
        m, rho, turn = robot.rod_mass[i], robot.rod_rho[i], robot.rod_inertia[i] / lb**2
        at_axis = robot.arm_inertia[i] + robot.rotor_inertia[i]
        at_axis += la**2 * (robot.elbow_mass[i] + m * (1 - rho) ** 2 + turn)
        coupling = float(m * rho * (1 - rho) - turn)
        weight = robot.elbow_mass[i] + m * (1 - rho) + robot.arm_mass[i] * robot.arm_center[i] / la
        inertial += m * rho**2 + turn
        gravitational += m * rho
        c, s = float(mp.cos(robot.azimuth[i])), float(mp.sin(robot.azimuth[i]))
        c, s = (0.0 if abs(value) < 1e-15 else value for value in (c, s))
        cos_q, sin_q = float(la) * ca.cos(q[i]), float(la) * ca.sin(q[i])
        reach = float(robot.radius[i]) + cos_q
        elbows.append(ca.vertcat(c * reach, s * reach, -sin_q))
        e1 = ca.vertcat(-c * sin_q, -s * sin_q, -cos_q)
        e2 = ca.vertcat(-c * cos_q, -s * cos_q, sin_q)
        arms.append((e1, e2, float(at_axis), coupling, float(weight)))
    b, c = elbows[1] - elbows[0], elbows[2] - elbows[0]
    n = ca.cross(b, c)
    per_square = reciprocal(ca.dot(n, n))
    center = ca.cross(ca.dot(b, b) * c - ca.dot(c, c) * b, n) * (0.5 * per_square)
    height = ca.sqrt((float(robot.rod_length[0]) ** 2 - ca.dot(center, center)) * per_square)
    x = elbows[0] + center - n * height
    u = [x - elbow for elbow in elbows]
    normals = ca.cross(u[1], u[2]), ca.cross(u[2], u[0]), ca.cross(u[0], u[1])
    levers = [ca.dot(u[i], arms[i][0]) for i in range(3)]
    per_volume = reciprocal(ca.dot(u[0], normals[0]))
    v = sum((normals[i] * (levers[i] * qd[i]) for i in range(3)), ca.SX(3, 1)) * per_volume
    matrix = ca.SX.eye(3) * float(inertial)
    right = float(gravitational) * gravity
    joints = []
    for i, (e1, e2, at_axis, coupling, weight) in enumerate(arms):
        per_lever = reciprocal(levers[i])
        along = u[i] * per_lever
        slide = v - e1 * qd[i]
        k = (ca.dot(slide, slide) - ca.dot(u[i], e2) * qd[i] ** 2) * per_lever
        matrix += ca.mtimes(along, (at_axis * along + coupling * e1).T) + coupling * ca.mtimes(e1, along.T)
        right += along * (tau[i] + weight * ca.dot(gravity, e1) - at_axis * k) - coupling * (e1 * k + e2 * qd[i] ** 2)
        joints.append((along, k))
    rows = [matrix[i, :].T for i in range(3)]
    minors = ca.cross(rows[1], rows[2]), ca.cross(rows[2], rows[0]), ca.cross(rows[0], rows[1])
    acc = sum((minors[i] * right[i] for i in range(3)), ca.SX(3, 1)) * reciprocal(ca.dot(rows[0], minors[0]))
    result = ca.vertcat(*[ca.dot(along, acc) + k for along, k in joints])
    return ca.Function("acceleration", [q, qd, tau], [ca.cse(result)])


def frame(link, order):
    """Rotation and origin of a row of Denavit and Hartenberg's with the joint at zero: modified x then z, standard z then x."""
    sa, ca_ = sine_cosine(angle(link["alpha"]))
    so, co = sine_cosine(angle(link.get("theta_offset", 0.0)))
    x = np.array([[1, 0, 0, link["a"]], [0, ca_, -sa, 0], [0, sa, ca_, 0], [0, 0, 0, 1.0]])
    z = np.array([[co, -so, 0, 0], [so, co, 0, 0], [0, 0, 1, link["d"]], [0, 0, 0, 1.0]])
    return x @ z if order == "xz" else z @ x


def table(robot):
    """Per joint: slides, placement in the joint before (12), pose of the body in the joint (12), mass, centre, inertia (9), armature."""
    modified = robot["convention"] == "modified-dh"
    rows, before = [], np.eye(4)
    for link in robot["link"]:
        placement = frame(link, "xz") if modified else before
        body = np.eye(4) if modified else frame(link, "zx")
        before = body
        rows.append(
            [float(link["joint"] == "prismatic"), *placement[:3].ravel(), *body[:3].ravel(), link["mass"]]
            + [*link["center_of_mass"], *tensor(link["inertia"]).ravel(), link.get("motor_inertia", 0.0)]
        )
    return rows


def numbers(values):
    return " ".join(repr(float(x)) for x in np.ravel(values))


def mjcf(robot, rows):
    """The arm for MuJoCo: a body in a body, nothing that touches. Bodies may be point masses, which MuJoCo takes with a little inertia only."""
    head = tail = ""
    for row in rows:
        pose, body = np.reshape(row[1:13], (3, 4)), np.reshape(row[13:25], (3, 4))
        center = body[:, :3] @ row[26:29] + body[:, 3]
        inertia = body[:, :3] @ np.reshape(row[29:38], (3, 3)) @ body[:, :3].T
        i = inertia
        full = numbers([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])
        axes = numbers([*pose[:, 0], *pose[:, 1]])
        kind = "slide" if row[0] else "hinge"
        head += f'<body pos="{numbers(pose[:, 3])}" xyaxes="{axes}"><joint type="{kind}" axis="0 0 1" armature="{row[38]!r}"/>'
        head += f'<inertial pos="{numbers(center)}" mass="{row[25]!r}" fullinertia="{full}"/>\n'
        tail += "</body>"
    gravity = numbers(robot.get("gravity", [0, 0, -9.81]))
    compiler = '<compiler angle="radian" balanceinertia="true" boundinertia="1e-12" boundmass="1e-12"/>'
    return f'<mujoco>{compiler}<option gravity="{gravity}"/><worldbody>{head}{tail}</worldbody></mujoco>\n'


def with_sines_given(code):
    """The code of a function whose sines and cosines of its first argument are computed before, all at once (arrays `sines`, `cosines`)."""
    held, lines = {}, []
    for line in code.splitlines():
        read = re.fullmatch(r"\s*(\w+)=arg\[0\]\s*\?\s*arg\[0\]\[(\d+)\]\s*:\s*0;", line)
        function = re.fullmatch(r"(\s*)(\w+)=(sin|cos)\((\w+)\);", line)
        written = re.match(r"\s*(\w+)=", line)
        if function and function[4] in held:
            name = {"sin": "sines", "cos": "cosines"}[function[3]]
            line = f"{function[1]}{function[2]}={name}[{held[function[4]]}];"
        elif function:
            raise SystemExit(f"a sine of something else than a joint: {line}")
        if written:
            held.pop(written[1], None)
        if read:
            held[read[1]] = int(read[2])
        lines.append(line)
    return "\n".join(lines) + "\n"


def generate(directory, stem, function):
    inputs = function.sx_in()
    generator = ca.CodeGenerator(f"{stem}.c", {"with_header": False})
    generator.add(ca.Function(stem, inputs, function.call(inputs)))
    code = generator.dump()
    (directory / f"{stem}.c").write_text(code)
    (directory / f"{stem}_given.c").write_text(with_sines_given(code))


def delta_table(robot):
    """Per arm: azimuth, radius, arm's length, mass, centre, inertia, rotor; rod's length, mass, centre, inertia."""
    rows = []
    for i in range(3):
        mass, center, inertia = arm_with_elbow(robot, i)
        rod = [robot.rod_length[i], robot.rod_mass[i], robot.rod_rho[i] * robot.rod_length[i], robot.rod_inertia[i]]
        arm = [robot.azimuth[i], robot.radius[i], robot.arm_length[i], mass, center, inertia, robot.rotor_inertia[i]]
        rows.append("{" + ", ".join(repr(float(x)) for x in arm + rod) + "}")
    return ", ".join(rows)


def main(directory, *paths):
    directory = Path(directory)
    header = ["struct Arm { const char *name, *file, *mjcf; int joints; double gravity[3]; double rows[8][39]; };"]
    header += ["typedef void (*Call)(const void *, void *);", ""]
    arms, calls = [], []
    lanes = ["1", "given", "4", "8"]
    declared = lambda stem: [f'extern "C" void {stem}_{l}(const void *, void *);' for l in lanes]
    listed = lambda stem: "{" + ", ".join(f"{stem}_{l}" for l in lanes) + "}"
    for path in map(Path, paths):
        robot = tomllib.loads(path.read_text())
        name = path.stem.replace("-", "_")
        every = {**functions(robot), "acceleration-derivatives": acceleration_derivatives(robot)}
        stems = [f"{name}_{quantity.replace('-', '_')}" for quantity in QUANTITIES]
        for quantity, stem in zip(QUANTITIES, stems):
            generate(directory, stem, every[quantity])
            header += declared(stem)
        rows = table(robot)
        (directory / f"{name}.xml").write_text(mjcf(robot, rows))
        text = ", ".join("{" + ", ".join(repr(float(x)) for x in row) + "}" for row in rows)
        gravity = ", ".join(repr(float(x)) for x in robot.get("gravity", [0, 0, -9.81]))
        places = f'"{name}", "{path.resolve()}", "{directory.resolve() / name}.xml"'
        arms.append(f"  {{{places}, {len(rows)}, {{{gravity}}}, {{{text}}}}},")
        calls.append("  {" + ", ".join(listed(stem) for stem in stems) + "},")
    delta = load_parameters(GOLDEN / "delta-d3-1200-parameters.json")
    for quantity, function in zip(DELTA, (torque_function(delta), delta_acceleration(delta))):
        generate(directory, f"delta_{quantity}", function)
        header += declared(f"delta_{quantity}")
    gravity = ", ".join(repr(float(x)) for x in delta.gravity)
    header += ["", "static const Arm ARMS[] = {", *arms, "};", "", "static const Call CASADI[][5][4] = {", *calls, "};", ""]
    header += ["static const Call CASADI_DELTA[2][4] = {" + ", ".join(listed(f"delta_{q}") for q in DELTA) + "};"]
    header += [f"static const double DELTA[3][11] = {{{delta_table(delta)}}};"]
    header += [f"static const double DELTA_MASS = {float(delta.moved_mass)!r}, DELTA_GRAVITY[3] = {{{gravity}}};", ""]
    (directory / "robots.h").write_text("\n".join(header))


if __name__ == "__main__":
    main(*sys.argv[1:])
