"""What the harness of this folder needs of an arm: CasADi's functions as C, and a table for Pinocchio.

    functions.py DIRECTORY ROBOT.toml ...

Writes DIRECTORY/ARM_QUANTITY.c and DIRECTORY/arms.h. The CasADi expressions are those of ../oracle/arm_operations.py.
"""

import sys
import tomllib
from pathlib import Path

import casadi as ca
import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "oracle"))
from arm_operations import angle, functions, sine_cosine, tensor  # noqa: E402

QUANTITIES = {"torque": "torque", "mass": "mass", "acceleration": "acceleration", "torque-derivatives": "derivatives"}


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


def main(directory, *paths):
    directory = Path(directory)
    header = ["struct Arm { const char *name, *file; int joints; double gravity[3]; double rows[8][39]; };", ""]
    arms = []
    for path in map(Path, paths):
        robot = tomllib.loads(path.read_text())
        name = path.stem.replace("-", "_")
        for quantity, function in functions(robot).items():
            if quantity in QUANTITIES:
                stem = f"{name}_{QUANTITIES[quantity]}"
                inputs = function.sx_in()
                ca.Function(stem, inputs, function.call(inputs)).generate(f"{stem}.c", {"with_header": False})
                Path(f"{stem}.c").rename(directory / f"{stem}.c")
        rows = ", ".join("{" + ", ".join(repr(float(x)) for x in row) + "}" for row in table(robot))
        gravity = ", ".join(repr(float(x)) for x in robot.get("gravity", [0, 0, -9.81]))
        arms.append(f'  {{"{name}", "{path.resolve()}", {len(robot["link"])}, {{{gravity}}}, {{{rows}}}}},')
        for quantity in QUANTITIES.values():
            header += [f'extern "C" void {name}_{quantity}_1(const void *, void *);']
            header += [f'extern "C" void {name}_{quantity}_4(const void *, void *);']
    call = "typedef void (*Call)(const void *, void *);"
    calls = [
        "  {" + ", ".join(f"{{{a}_{q}_1, {a}_{q}_4}}" for q in QUANTITIES.values()) + "},"
        for a in (Path(path).stem.replace("-", "_") for path in paths)
    ]
    header += ["", "static const Arm ARMS[] = {", *arms, "};", "", call, "static const Call CASADI[][4][2] = {", *calls, "};", ""]
    (directory / "arms.h").write_text("\n".join(header))


if __name__ == "__main__":
    main(*sys.argv[1:])
