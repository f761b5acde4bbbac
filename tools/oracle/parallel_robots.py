"""Parallel robots, random ones and those that are built in, and what Pinocchio says about them.

Writes golden/robots/parallel-*.toml (three and six legs: arms that turn, carriages on rails, struts, and all of them mixed) and, of these
and of the files robots/*.toml of the built-in ones, golden/parallel-*-pinocchio.csv: 12 states each of the platform with a force and a moment on it:
joints and their rates, torques, mass matrix (upper triangle by rows) and holding torques.

The mechanism is the real one: a tree of arms or carriages with a rod on a ball joint each, or of cylinders on ball joints with a
piston each, and the platform, free or translating; the far ends of the legs are tied to the platform by three equations each. A
motion of the platform gives those of the tree by these equations; the inverse dynamics of the tree then has to be what motors
and constraint forces do, which is a linear system with more equations than unknowns: its residual is checked. Forward, masses and
constraints in one system (KKT) have to give the acceleration back. Nothing is shared with the library.
"""

import math
import random
import tomllib
from pathlib import Path

import numpy as np
import pinocchio as pin

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FILES = GOLDEN.parent / "robots"
BUILT_IN = ["linear-delta", "hexa", "hexaglide", "stewart"]
ROBOTS = [("a", "rotary", 3), ("b", "slider", 3), ("c", "strut", 3), ("d", "rotary", 6), ("e", "slider", 6),
          ("f", "strut", 6), ("g", "mixed", 6)]
STATES = 12
SPIN = 0.7  # inertia of a rod about its own line, as a share of that across: it must not matter


def unit(v):
    return v / np.linalg.norm(v)


def describe(kind, legs, rng):
    """A robot whose platform hangs about 0.6 m below the base, in short decimals."""
    short = lambda low, high: round(rng.uniform(low, high), 4)
    triple = lambda size: np.array([short(-size, size) for _ in range(3)])
    bar = lambda length: {"mass": short(0.1, 2), "center_of_mass": short(0.1, 0.9 * length), "inertia": short(0.001, 0.05)}

    def tensor():
        points = np.array([triple(0.1) for _ in range(4)])
        full = np.round(sum(np.dot(p, p) * np.eye(3) - np.outer(p, p) for p in points) * 0.3, 6)
        return [float(full[i, j]) for i, j in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]]

    robot = {"gravity": [short(-1, 1), short(-1, 1), short(-10, -9)], "legs": []}
    robot["home"] = np.array([0.0, 0.0, -0.6]) + np.round(triple(0.03), 3)
    for i in range(legs):
        pair = i // 2 if legs == 6 else i
        side = 0.0 if legs == 3 else (0.25 if i % 2 == 0 else -0.25)
        on = lambda r, turn: np.round(r * np.array([math.cos(2.094 * pair + turn), math.sin(2.094 * pair + turn), 0.0]), 4)
        leg = {"base": on(0.3, side) + triple(0.03), "platform": on(0.12, 4 * side) + triple(0.02)}
        leg["kind"] = ["rotary", "slider", "strut"][(i + pair) % 3] if kind == "mixed" else kind
        point = robot["home"] + leg["platform"]
        if leg["kind"] == "rotary":
            out = on(1, 0)
            leg["axis"] = np.array([-out[1], out[0], 0.0]) + triple(0.1)
            leg["zero"] = out + triple(0.1)
            axis = unit(leg["axis"])
            zero = unit(leg["zero"] - axis * axis.dot(leg["zero"]))
            leg["arm"] = {"length": short(0.15, 0.25)} | bar(0.2)
            near = leg["base"] + zero * leg["arm"]["length"]
        elif leg["kind"] == "slider":
            leg["direction"] = np.array([0.0, 0.0, -1.0]) + triple(0.5)
            near = leg["base"] + unit(leg["direction"]) * 0.1
            leg["carriage"] = {"mass": short(0.2, 2)}
        if leg["kind"] == "strut":
            leg["cylinder"], leg["piston"] = bar(0.4), bar(0.3)
        else:
            length = round(float(np.linalg.norm(point - near)) * rng.uniform(0.98, 1.02), 4)
            leg["rod"] = {"length": length} | bar(length)
        leg["motor"] = {"rotor_inertia": round(rng.uniform(0, 1e-4), 7), "gear_ratio": short(1, 30)}
        robot["legs"].append(leg)
    body = lambda: {"mass": short(0.3, 3), "center_of_mass": triple(0.05), "inertia": tensor()}
    robot["platform"], robot["payload"] = body(), body()
    if legs == 3:
        for part in ("platform", "payload"):
            robot[part] = {"mass": robot[part]["mass"]}
    return robot


UNITS = {"m": 1, "mm": 1e-3, "kg": 1, "kg m^2": 1, "deg": math.pi / 180, "N": 1, "kN": 1e3, "m/s": 1, "rad/s": 1, "N m": 1,
         "N s/m": 1, "N m s/rad": 1}


def si(value):
    """Numbers of a file: with a unit, in lists and in tables."""
    if isinstance(value, dict):
        return {key: si(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [si(inner) for inner in value]
    if isinstance(value, str) and value[0] in "-.0123456789":
        number, unit = value.split(" ", 1)
        return float(number) * UNITS[unit]
    return value


def load(path):
    """A robot of a file of the library, by what its documentation says of files."""
    file = si({key: value for key, value in tomllib.loads(path.read_text()).items() if key != "source"})
    robot = {key: file.get(key, {}) for key in ("platform", "payload")}
    robot["payload"].setdefault("mass", 0.0)
    for part in ("platform", "payload"):
        robot[part].setdefault("inertia", [0.0] * 6)
        robot[part]["inertia"] = (robot[part]["inertia"] + [0.0] * 3)[:6]
    robot["gravity"], robot["home"] = file["gravity"], np.array(file["home"]["position"], dtype=float)
    tables, symmetry = file.get("leg"), file.get("symmetry", 1)
    if "arrangement" in file:
        c = file["circles"]
        on = lambda r, degrees, angle: [r * math.cos(math.radians(degrees) + angle), r * math.sin(math.radians(degrees) + angle), 0.0]
        leg = lambda at, a, to, b: {"base": on(c["base_radius"], at, a * c["base_angle"]),
                                    "platform": on(c["platform_radius"], to, b * c["platform_angle"])}
        tables, symmetry = [leg(0, 1, 60, -1), leg(120, -1, 60, 1)], 3
    robot["legs"] = []
    for turn in range(symmetry):
        about = pin.utils.rotate("z", 2 * math.pi * turn / symmetry)
        for table in tables:
            leg = {**file.get("legs", {}), **table}
            for key in {"base", "platform", "axis", "zero", "direction"} & leg.keys():
                leg[key] = about @ np.array(leg[key], dtype=float)
            if "rod" in leg:
                rod = leg["rod"]
                leg["rod"] = {"center_of_mass": rod["length"] / 2, "inertia": rod["mass"] * rod["length"] ** 2 / 12} | rod
            leg["motor"] = {"rotor_inertia": 0.0, "gear_ratio": 1.0} | leg.get("motor", {})
            robot["legs"].append(leg)
    return robot


def text(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, np.ndarray)):
        return "[" + ", ".join(repr(round(float(x), 12)) for x in value) + "]"
    return repr(value)


def toml(name, robot):
    lines = ["# Made by tools/oracle/parallel_robots.py.", 'kind = "parallel"', f'name = "parallel-{name}"',
             f"gravity = {text(robot['gravity'])}"]
    for leg in robot["legs"]:
        lines += ["", "[[leg]]"]
        for key, value in leg.items():
            if isinstance(value, dict):
                lines += [f"{key}.{inner} = {text(number)}" for inner, number in value.items()]
            else:
                lines.append(f"{key} = {text(value)}")
    for part in ("platform", "payload"):
        lines += ["", f"[{part}]"] + [f"{key} = {text(value)}" for key, value in robot[part].items()]
    lines += ["", "[home]", f"position = {text(robot['home'])}"]
    return "\n".join(lines) + "\n"


def rotation_to(z):
    """Any rotation whose third axis is z."""
    x = unit(np.cross(z, [1.0, 0.0, 0.0] if abs(z[0]) < 0.7 else [0.0, 1.0, 0.0]))
    return np.column_stack([x, np.cross(z, x), z])


def thin(bar, sign=1.0):
    """A body along z."""
    i = bar["inertia"]
    return pin.Inertia(bar["mass"], np.array([0, 0, sign * bar["center_of_mass"]]), np.diag([i, i, SPIN * i]))


class Tree:
    def __init__(self, robot):
        self.robot, self.legs = robot, robot["legs"]
        self.turns = len(self.legs) == 6
        model = pin.Model()
        model.gravity.linear = np.array(robot["gravity"])
        self.motor, self.ball, self.tip = [], [], []
        for n, leg in enumerate(self.legs):
            base = np.array(leg["base"])
            if leg["kind"] == "rotary":
                axis = unit(leg["axis"])
                zero = unit(leg["zero"] - axis * axis.dot(leg["zero"]))
                leg["frame"] = np.column_stack([zero, np.cross(axis, zero), axis])
                motor = model.addJoint(0, pin.JointModelRZ(), pin.SE3(leg["frame"], base), f"motor{n}")
                arm = leg["arm"]
                inertia = np.diag([arm["inertia"]] * 3)
                model.appendBodyToJoint(motor, pin.Inertia(arm["mass"], np.array([arm["center_of_mass"], 0, 0]), inertia), pin.SE3.Identity())
                at = pin.SE3(np.eye(3), np.array([arm["length"], 0, 0]))
            elif leg["kind"] == "slider":
                leg["frame"] = rotation_to(unit(leg["direction"]))
                motor = model.addJoint(0, pin.JointModelPZ(), pin.SE3(leg["frame"], base), f"motor{n}")
                model.appendBodyToJoint(motor, pin.Inertia(leg["carriage"]["mass"], np.zeros(3), np.zeros((3, 3))), pin.SE3.Identity())
                at = pin.SE3.Identity()
            if leg["kind"] == "strut":
                ball = model.addJoint(0, pin.JointModelSpherical(), pin.SE3(np.eye(3), base), f"ball{n}")
                model.appendBodyToJoint(ball, thin(leg["cylinder"]), pin.SE3.Identity())
                motor = model.addJoint(ball, pin.JointModelPZ(), pin.SE3.Identity(), f"motor{n}")
                model.appendBodyToJoint(motor, thin(leg["piston"], -1.0), pin.SE3.Identity())
                tip = (motor, pin.SE3.Identity())
            else:
                ball = model.addJoint(motor, pin.JointModelSpherical(), at, f"ball{n}")
                model.appendBodyToJoint(ball, thin(leg["rod"]), pin.SE3.Identity())
                tip = (ball, pin.SE3(np.eye(3), np.array([0, 0, leg["rod"]["length"]])))
            self.motor.append(motor)
            self.ball.append(ball)
            self.tip.append(model.addFrame(pin.Frame(f"tip{n}", tip[0], tip[1], pin.FrameType.OP_FRAME)))
        joint = pin.JointModelFreeFlyer() if self.turns else pin.JointModelTranslation()
        self.platform = model.addJoint(0, joint, pin.SE3.Identity(), "platform")
        for part in ("platform", "payload"):
            body = robot[part]
            xx, yy, zz, xy, yz, xz = body.get("inertia", [0.0] * 6)
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            center = np.array(body.get("center_of_mass", [0.0] * 3))
            model.appendBodyToJoint(self.platform, pin.Inertia(body["mass"], center, tensor), pin.SE3.Identity())
        self.seat = [model.addFrame(pin.Frame(f"seat{n}", self.platform, pin.SE3(np.eye(3), np.array(leg["platform"])), pin.FrameType.OP_FRAME))
                     for n, leg in enumerate(self.legs)]
        self.model, self.data = model, model.createData()
        of = lambda joint: slice(model.idx_vs[joint], model.idx_vs[joint] + model.nvs[joint])
        self.columns = [model.idx_vs[joint] for joint in self.motor]
        self.free = list(range(*of(self.platform).indices(model.nv)))
        self.rotors = np.array([leg["motor"]["rotor_inertia"] * leg["motor"]["gear_ratio"] ** 2 for leg in self.legs])
        self.viscous = np.array([leg["motor"].get("friction", {}).get("viscous", 0.0) for leg in self.legs])

    def place(self, pose):
        """Coordinates of the tree with the platform at a pose, and the motors' joints."""
        q, joints, self.rods = pin.neutral(self.model), [], []
        put = lambda joint, values: q.__setitem__(slice(self.model.idx_qs[joint], self.model.idx_qs[joint] + self.model.nqs[joint]), values)
        quaternion = lambda r: pin.Quaternion(r).coeffs()
        for leg, motor, ball in zip(self.legs, self.motor, self.ball):
            branch = -1.0 if leg.get("branch") == "in" else 1.0
            point = pose.act(np.array(leg["platform"]))
            d = point - leg["base"]
            if leg["kind"] == "rotary":
                x, y, _ = leg["frame"].T @ d
                a, length = leg["arm"]["length"], leg["rod"]["length"]
                cosine = (d @ d + a * a - length * length) / (2 * a * math.hypot(x, y))
                joint = math.atan2(y, x) - branch * math.acos(cosine)
                turned = leg["frame"] @ pin.utils.rotate("z", joint)
                near = leg["base"] + turned @ np.array([a, 0, 0])
                put(ball, quaternion(turned.T @ rotation_to(unit(point - near))))
            elif leg["kind"] == "slider":
                along = leg["frame"][:, 2] @ d
                joint = along - branch * math.sqrt(leg["rod"]["length"] ** 2 - (d @ d - along ** 2))
                near = leg["base"] + leg["frame"][:, 2] * joint
                put(ball, quaternion(leg["frame"].T @ rotation_to(unit(point - near))))
            else:
                joint, near = math.sqrt(d @ d), leg["base"]
                put(ball, quaternion(rotation_to(unit(d))))
            put(motor, [joint])
            joints.append(joint)
            self.rods.append(np.concatenate([point - near, np.cross(point - pose.translation, point - near)]))
        put(self.platform, np.concatenate([pose.translation, quaternion(pose.rotation)]) if self.turns else pose.translation)
        return q, np.array(joints)

    def side(self, pose):
        """Of the poses that the legs do not hold, on which side: a platform goes to the other only through one of these."""
        self.place(pose)
        return np.sign(np.linalg.det(np.array(self.rods)[:, : len(self.legs)]))

    def constraints(self, q):
        """Rows of the far ends' velocities less those of their seats, base axes."""
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        jac = lambda frame: pin.getFrameJacobian(self.model, self.data, frame, world)[:3]
        return np.vstack([jac(t) - jac(s) for t, s in zip(self.tip, self.seat)])

    def spins(self):
        """Rows of the rods' angular velocities about their own lines."""
        local = pin.ReferenceFrame.LOCAL
        return np.vstack([pin.getJointJacobian(self.model, self.data, ball, local)[5] for ball in self.ball])

    def solve(self, jac, known, values, right):
        """The vector with jac x = right, these components known."""
        x = np.zeros(self.model.nv)
        x[known] = values
        open_ = [i for i in range(self.model.nv) if i not in known]
        found, *_ = np.linalg.lstsq(jac[:, open_], right - jac @ x, rcond=None)
        x[open_] = found
        assert np.abs(jac @ x - right).max() < 1e-9 * max(1.0, np.abs(x).max()), "constraints"
        return x

    def motion(self, pose, twist, rate):
        """Coordinates of the tree, velocities and accelerations, of a motion of the platform."""
        q, v, a, *_ = self.moved(pose, twist, rate)
        return q, v, a

    def moved(self, pose, twist, rate):
        q, _ = self.place(pose)
        r = pose.rotation
        jac = self.constraints(q)
        rows = np.vstack([jac, self.spins()])
        for t, s in zip(self.tip, self.seat):
            gap = self.data.oMf[t].translation - self.data.oMf[s].translation
            assert np.abs(gap).max() < 1e-12, gap
        if self.turns:
            body_v, body_w = r.T @ twist[:3], r.T @ twist[3:]
            given = np.concatenate([body_v, body_w])
            given_rate = np.concatenate([r.T @ rate[:3] - np.cross(body_w, body_v), r.T @ rate[3:]])
        else:
            given, given_rate = twist[:3], rate[:3]
        v = self.solve(rows, self.free, given, np.zeros(len(rows)))
        pin.forwardKinematics(self.model, self.data, q, v, np.zeros(self.model.nv))
        pin.updateFramePlacements(self.model, self.data)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        drift = lambda frame: pin.getFrameClassicalAcceleration(self.model, self.data, frame, world).linear
        convective = np.concatenate([drift(t) - drift(s) for t, s in zip(self.tip, self.seat)])
        spinning = [self.data.a[ball].angular[2] for ball in self.ball]
        a = self.solve(rows, self.free, given_rate, -np.concatenate([convective, spinning]))
        return q, v, a, jac, rows, given_rate, convective

    def state(self, pose, twist, rate, wrench):
        r = pose.rotation
        q, v, a, jac, rows, given_rate, convective = self.moved(pose, twist, rate)
        joints = q[[self.model.idx_qs[motor] for motor in self.motor]]
        push = np.concatenate([r.T @ wrench[:3], r.T @ wrench[3:]]) if self.turns else wrench[:3]
        rigid = self.motors(jac, pin.rnea(self.model, self.data, q, v, a), push) + self.rotors * a[self.columns]
        torque = rigid + self.viscous * v[self.columns]
        held = self.motors(jac, pin.rnea(self.model, self.data, q, 0 * v, 0 * a), 0 * push)
        mass = pin.crba(self.model, self.data, q)
        mass = np.triu(mass) + np.triu(mass, 1).T
        drive = np.zeros(self.model.nv)
        drive[self.columns] = rigid
        drive[self.free] += push
        whole = mass + np.diag(np.bincount(self.columns, self.rotors, self.model.nv))
        count = len(jac)
        kkt = np.block([[whole, -jac.T], [jac, np.zeros((count, count))]])
        bias = pin.nonLinearEffects(self.model, self.data, q, v)
        found = np.linalg.solve(kkt, np.concatenate([drive - bias, -convective]))[self.free]
        assert np.abs(found - given_rate).max() < 1e-9 * np.abs(given_rate).max(), "forward"
        k = np.column_stack([self.solve(rows, self.columns, np.eye(len(joints))[i], np.zeros(len(rows))) for i in range(len(joints))])
        joint_mass = k.T @ mass @ k + np.diag(self.rotors)
        return joints, v[self.columns], a[self.columns], torque, joint_mass, held

    def motors(self, jac, needed, push):
        needed = needed.copy()
        needed[self.free] -= push
        drives = np.zeros((self.model.nv, len(self.columns)))
        drives[self.columns, range(len(self.columns))] = 1.0
        both = np.hstack([drives, jac.T])
        found, *_ = np.linalg.lstsq(both, needed, rcond=None)
        residual = np.abs(both @ found - needed).max()
        assert residual < 1e-9 * max(1.0, np.abs(needed).max()), residual
        return found[: len(self.columns)]


def main():
    for name, kind, legs in ROBOTS + [(name, None, None) for name in BUILT_IN]:
        rng = random.Random(f"parallel-{name}")
        if kind:
            robot = describe(kind, legs, rng)
            (GOLDEN / "robots" / f"parallel-{name}.toml").write_text(toml(name, robot))
        else:
            robot = load(FILES / f"{name}.toml")
            legs = len(robot["legs"])
        tree = Tree(robot)
        home = tree.side(pin.SE3(np.eye(3), robot["home"]))
        turning = legs == 6
        axes = "x y z".split()
        names = axes + (["roll", "pitch", "yaw"] if turning else [])
        names += [f"v{x}" for x in axes] + ([f"w{x}" for x in axes] if turning else [])
        names += [f"a{x}" for x in axes] + ([f"wd{x}" for x in axes] if turning else [])
        names += [f"f{x}" for x in axes] + ([f"m{x}" for x in axes] if turning else [])
        count = range(1, legs + 1)
        names += [f"{stem}{i}" for stem in ("q", "qd", "qdd", "tau") for i in count]
        names += [f"M{i}{j}" for i in count for j in count if j >= i] + [f"g{i}" for i in count]
        rows = [",".join(names)]
        while len(rows) <= STATES:
            position = robot["home"] + np.array([rng.uniform(-0.08, 0.08) for _ in range(3)])
            rpy = [rng.uniform(-0.25, 0.25) if turning else 0.0 for _ in range(3)]
            draw = lambda size: np.array([rng.uniform(-size, size) for _ in range(3)])
            part = lambda linear, angular: np.concatenate([draw(linear), draw(angular)]) if turning else draw(linear)
            twist, rate, wrench = part(2, 4), part(30, 60), part(30, 5)
            pose = pin.SE3(pin.rpy.rpyToMatrix(*rpy), position)
            try:
                q, qd, qdd, tau, mass, held = tree.state(pose, twist, rate, wrench)
                other_side = tree.side(pose) != home
            except ValueError:  # out of reach
                continue
            if other_side:
                continue
            if np.abs(qd).max() > 50 or np.abs(tau).max() > (2e4 if kind else 1e6):  # near a singular pose
                continue
            upper = [mass[i, j] for i in range(legs) for j in range(i, legs)]
            numbers = [*position, *(rpy if turning else []), *twist, *rate, *wrench, *q, *qd, *qdd, *tau, *upper, *held]
            rows.append(",".join(repr(float(x)) for x in numbers))
        (GOLDEN / f"parallel-{name}-pinocchio.csv").write_text("\n".join(rows) + "\n")
        print(f"parallel-{name}: {legs} legs, {kind or 'built in'}")


if __name__ == "__main__":
    main()
