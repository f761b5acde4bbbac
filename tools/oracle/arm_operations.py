"""Operations of serial arms as CasADi's SX expressions have them, after common subexpressions are taken together.

    arm_operations.py [DIRECTORY] ROBOT.toml ...

The torque is Newton and Euler's recursion in the frames of the links, with the numbers of the robot file as constants (zeros and
ones vanish); the mass matrix, the derivatives and the accelerations are what CasADi makes of it (`jacobian`, `ldl`). Sums,
products, divisions and roots are counted, negation is free, as `dalembert derive` counts. With a DIRECTORY the functions are written there as C.
"""

import sys
import tomllib
from pathlib import Path

import casadi as ca
import numpy as np

FREE = {ca.OP_INPUT, ca.OP_OUTPUT, ca.OP_CONST, ca.OP_NEG, ca.OP_SIN, ca.OP_COS, ca.OP_ASSIGN}


def angle(value):
    """Radians; quarter turns exactly."""
    if isinstance(value, str):
        value = np.radians(float(value.removesuffix("deg")))
    return value


def sine_cosine(value):
    sine, cosine = np.sin(value), np.cos(value)
    return tuple(round(x) if abs(x - round(x)) < 1e-15 else x for x in (sine, cosine))


def rotation(sine, cosine, axis):
    if axis == "x":
        return ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, cosine, -sine), ca.horzcat(0, sine, cosine))
    return ca.vertcat(ca.horzcat(cosine, -sine, 0), ca.horzcat(sine, cosine, 0), ca.horzcat(0, 0, 1))


def tensor(entries):
    xx, yy, zz, xy, yz, xz = list(entries) + [0.0] * (6 - len(entries))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def torque(robot, q, qd, qdd):
    """Newton and Euler (Craig 2005, section 6.5; for standard rows the link frame is at the end of the row)."""
    modified = robot["convention"] == "modified-dh"
    links = robot["link"]
    z = ca.SX([0, 0, 1])
    w, wd, a = ca.SX(3, 1), ca.SX(3, 1), -ca.SX(robot.get("gravity", [0, 0, -9.81]))
    states = []
    for i, link in enumerate(links):
        revolute = link["joint"] == "revolute"
        offset = sine_cosine(angle(link.get("theta_offset", 0.0)))
        s, c = offset
        if revolute:
            s, c = ca.sin(q[i]) * offset[1] + ca.cos(q[i]) * offset[0], ca.cos(q[i]) * offset[1] - ca.sin(q[i]) * offset[0]
        d = link["d"] + (0 if revolute else q[i])
        twist = rotation(*sine_cosine(angle(link["alpha"])), "x")
        turn = rotation(s, c, "z")
        if modified:
            r = ca.mtimes(twist, turn)  # from the link to the one before
            p = ca.vertcat(link["a"], ca.mtimes(twist, ca.vertcat(0, 0, d))[1:])  # in the one before
            w0, wd0 = w, wd
            w, wd = ca.mtimes(r.T, w0), ca.mtimes(r.T, wd0)
            a = ca.mtimes(r.T, a + ca.cross(wd0, p) + ca.cross(w0, ca.cross(w0, p)))
            if revolute:
                wd = wd + ca.cross(w, z * qd[i]) + z * qdd[i]
                w = w + z * qd[i]
            else:
                a = a + 2 * ca.cross(w, z * qd[i]) + z * qdd[i]
        else:
            r = ca.mtimes(turn, twist)
            p = ca.vertcat(link["a"], ca.mtimes(twist.T, ca.vertcat(0, 0, d))[1:])  # in the link
            axis = ca.mtimes(r.T, z)
            if revolute:
                wd = wd + ca.cross(w, z * qd[i]) + z * qdd[i]
                w = w + z * qd[i]
            w, wd, a = ca.mtimes(r.T, w), ca.mtimes(r.T, wd), ca.mtimes(r.T, a)
            a = a + ca.cross(wd, p) + ca.cross(w, ca.cross(w, p))
            if not revolute:
                a = a + 2 * ca.cross(w, axis * qd[i]) + axis * qdd[i]
        states.append((r, p, w, wd, a))
    f, n = ca.SX(3, 1), ca.SX(3, 1)
    tau = [None] * len(links)
    for i in reversed(range(len(links))):
        link = links[i]
        r, p, w, wd, a = states[i]
        center = ca.SX(link["center_of_mass"])
        inertia = ca.SX(tensor(link["inertia"]))
        force = link["mass"] * (a + ca.cross(wd, center) + ca.cross(w, ca.cross(w, center)))
        moment = ca.mtimes(inertia, wd) + ca.cross(w, ca.mtimes(inertia, w))
        if i + 1 < len(links):
            r_next, p_next = states[i + 1][:2]
            f_back = ca.mtimes(r_next, f)
            n_back = ca.mtimes(r_next, n)
            if modified:
                n_back = n_back + ca.cross(p_next, f_back)
        else:
            f_back, n_back = f, n
        f, own = force + f_back, moment + ca.cross(center, force)
        if modified:
            n = own + n_back
            felt = f[2] if link["joint"] == "prismatic" else n[2]
        else:
            # About the axis of the joint, which is at the beginning of the row.
            n = own + n_back + ca.cross(p, f)
            felt = ca.mtimes(r, f if link["joint"] == "prismatic" else n)[2]
        tau[i] = felt + link.get("motor_inertia", 0.0) * qdd[i]
    return ca.vertcat(*tau)


def functions(robot):
    n = len(robot["link"])
    q, qd, qdd, tau = (ca.SX.sym(name, n) for name in ("q", "qd", "qdd", "tau"))
    still = ca.SX(n, 1)
    whole, bias = torque(robot, q, qd, qdd), torque(robot, q, qd, still)
    mass = ca.jacobian(whole, qdd)
    d, lt, order = ca.ldl(ca.cse(mass), False)
    free = ca.ldl_solve(tau - bias, d, lt, order)
    every = {
        "torque": ([q, qd, qdd], whole),
        "mass": ([q], mass),
        "gravity": ([q], torque(robot, q, still, still)),
        "bias": ([q, qd], bias),
        "acceleration": ([q, qd, tau], free),
        "torque-derivatives": ([q, qd, qdd], ca.horzcat(ca.jacobian(whole, ca.vertcat(q, qd)), mass)),
    }
    return {
        name: ca.Function(name.replace("-", "_"), inputs, [ca.cse(ca.densify(result))])
        for name, (inputs, result) in every.items()
    }


def operations(function):
    ids = [function.instruction_id(k) for k in range(function.n_instructions())]
    return sum(identity not in FREE for identity in ids)


def main(arguments):
    directory = Path(arguments.pop(0)) if not arguments[0].endswith(".toml") else None
    for path in map(Path, arguments):
        robot = tomllib.loads(path.read_text())
        for name, function in functions(robot).items():
            print(f"{robot['name']},{name},{operations(function)}")
            if directory:
                directory.mkdir(parents=True, exist_ok=True)
                function.generate(f"{robot['name']}_{name.replace('-', '_')}.c", {"with_header": False})
                Path(f"{robot['name']}_{name.replace('-', '_')}.c").rename(directory / f"{robot['name']}_{name}.c")


if __name__ == "__main__":
    main(sys.argv[1:])
