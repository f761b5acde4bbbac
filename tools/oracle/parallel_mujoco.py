"""Parallel robots with six legs, and what MuJoCo says about them.

Reads golden/robots/parallel-{d…g}.toml and the built-in robots, builds each as a real mechanism (six arms or carriages with a rod on a ball joint,
or six cylinders with a piston, and a free platform; `connect` constraints tie the legs' far ends to it), and writes golden/parallel-*-mujoco.csv. Six states each:

- torques of a motion (tau1 …): inverse dynamics of the tree by MuJoCo, which motors and constraint forces, by MuJoCo's Jacobians, have to make
  up; the residual is checked. Coordinates, velocities and accelerations of the tree are those of parallel_robots.py.
- accelerations from rest at the same pose, under the same torques and the same wrench (sax … swdz), by MuJoCo's own solver with its
  `connect` constraints. These are soft: a force softens them by R = (1 − d)/d of their inverse inertia, with d at most 0.9999. What is
  written is the limit for R to zero, extrapolated from four values of d by a polynomial; from rest, since MuJoCo leaves J̇ q̇ out of its
  constraints.
"""

import csv
import xml.etree.ElementTree as xml

import mujoco
import numpy as np
import pinocchio as pin
from parallel_robots import BUILT_IN, FILES, GOLDEN, SPIN, Tree, load

ROBOTS = [("d", True), ("e", True), ("f", True), ("g", True)] + [(name, False) for name in BUILT_IN if name != "linear-delta"]
STATES = 6
IMPEDANCES = [0.9999, 0.9998, 0.9996, 0.9992]

numbers = lambda v: " ".join(repr(float(x)) for x in np.ravel(v))


def wxyz(rotation):
    x, y, z, w = pin.Quaternion(rotation).coeffs()
    return numbers([w, x, y, z])


def inertial(body, bar, sign=1.0):
    i = bar["inertia"]
    xml.SubElement(body, "inertial", pos=numbers([0, 0, sign * bar["center_of_mass"]]), mass=repr(bar["mass"]),
                   diaginertia=numbers([i, i, SPIN * i]))


def mjcf(robot, impedance):
    root = xml.Element("mujoco")
    xml.SubElement(root, "compiler", angle="radian")
    option = xml.SubElement(root, "option", gravity=numbers(robot["gravity"]), solver="Newton", tolerance="0", iterations="50", cone="elliptic")
    xml.SubElement(option, "flag", contact="disable")
    world, equality = xml.SubElement(root, "worldbody"), xml.SubElement(root, "equality")
    for n, leg in enumerate(robot["legs"]):
        rotor = repr(leg["motor"]["rotor_inertia"] * leg["motor"]["gear_ratio"] ** 2)
        base = numbers(leg["base"])
        if leg["kind"] == "strut":
            cylinder = xml.SubElement(world, "body", name=f"cylinder{n}", pos=base)
            xml.SubElement(cylinder, "joint", name=f"ball{n}", type="ball")
            inertial(cylinder, leg["cylinder"])
            rod = xml.SubElement(cylinder, "body", name=f"rod{n}")
            xml.SubElement(rod, "joint", name=f"motor{n}", type="slide", axis="0 0 1", armature=rotor)
            inertial(rod, leg["piston"], -1.0)
            end = [0, 0, 0]
        else:
            driven = xml.SubElement(world, "body", name=f"driven{n}", pos=base, quat=wxyz(leg["frame"]))
            if leg["kind"] == "rotary":
                xml.SubElement(driven, "joint", name=f"motor{n}", type="hinge", axis="0 0 1", armature=rotor)
                arm = leg["arm"]
                xml.SubElement(driven, "inertial", pos=numbers([arm["center_of_mass"], 0, 0]), mass=repr(arm["mass"]),
                               diaginertia=numbers([arm["inertia"]] * 3))
                at = [arm["length"], 0, 0]
            else:
                xml.SubElement(driven, "joint", name=f"motor{n}", type="slide", axis="0 0 1", armature=rotor)
                # It does not turn: any inertia will do.
                xml.SubElement(driven, "inertial", pos="0 0 0", mass=repr(leg["carriage"]["mass"]), diaginertia="1 1 1")
                at = [0, 0, 0]
            rod = xml.SubElement(driven, "body", name=f"rod{n}", pos=numbers(at))
            xml.SubElement(rod, "joint", name=f"ball{n}", type="ball")
            inertial(rod, leg["rod"])
            end = [0, 0, leg["rod"]["length"]]
        xml.SubElement(rod, "site", name=f"tip{n}", pos=numbers(end))
        xml.SubElement(equality, "connect", site1=f"tip{n}", site2=f"seat{n}", solref="0.01 1",
                       solimp=f"{impedance} {impedance} 0.001 0.5 2")
    platform = xml.SubElement(world, "body", name="platform")
    xml.SubElement(platform, "freejoint", name="platform")
    for part in ("platform", "payload"):
        body = robot[part]
        if body["mass"] == 0:
            continue
        place = platform if part == "platform" else xml.SubElement(platform, "body", name=part)
        xx, yy, zz, xy, yz, xz = (list(body["inertia"]) + [0.0] * 3)[:6]
        xml.SubElement(place, "inertial", pos=numbers(body.get("center_of_mass", [0, 0, 0])), mass=repr(body["mass"]),
                       fullinertia=numbers([xx, yy, zz, xy, xz, yz]))
    for n, leg in enumerate(robot["legs"]):
        xml.SubElement(platform, "site", name=f"seat{n}", pos=numbers(leg["platform"]))
    return xml.tostring(root, encoding="unicode")


class Machine:
    def __init__(self, robot, impedance=IMPEDANCES[0]):
        self.model = mujoco.MjModel.from_xml_string(mjcf(robot, impedance))
        self.data = mujoco.MjData(self.model)
        self.legs = range(len(robot["legs"]))
        joint = lambda name: mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_JOINT, name)
        self.at = {name: (self.model.jnt_qposadr[joint(name)], self.model.jnt_dofadr[joint(name)])
                   for name in ["platform"] + [f"{kind}{n}" for kind in ("motor", "ball") for n in self.legs]}
        self.columns = [self.at[f"motor{n}"][1] for n in self.legs]

    def put(self, tree, q, v, a):
        """Coordinates of the tree in MuJoCo's order: quaternions with the real part first, a free body's linear part in the base frame."""
        places, model = self.at, tree.model
        for n in self.legs:
            for kind, joint in (("motor", tree.motor[n]), ("ball", tree.ball[n])):
                (to_q, to_v), iq, iv, nv = places[f"{kind}{n}"], model.idx_qs[joint], model.idx_vs[joint], model.nvs[joint]
                values = q[iq: iq + model.nqs[joint]]
                self.data.qpos[to_q: to_q + len(values)] = np.roll(values, 1) if kind == "ball" else values
                self.data.qvel[to_v: to_v + nv], self.data.qacc[to_v: to_v + nv] = v[iv: iv + nv], a[iv: iv + nv]
        (to_q, to_v), iq, iv = places["platform"], model.idx_qs[tree.platform], model.idx_vs[tree.platform]
        r = pin.Quaternion(np.array(q[iq + 3: iq + 7])).toRotationMatrix()
        self.data.qpos[to_q: to_q + 3], self.data.qpos[to_q + 3: to_q + 7] = q[iq: iq + 3], np.roll(q[iq + 3: iq + 7], 1)
        velocity, spin = v[iv: iv + 3], v[iv + 3: iv + 6]
        self.data.qvel[to_v: to_v + 6] = np.concatenate([r @ velocity, spin])
        self.data.qacc[to_v: to_v + 6] = np.concatenate([r @ (a[iv: iv + 3] + np.cross(spin, velocity)), a[iv + 3: iv + 6]])
        self.free = slice(to_v, to_v + 6)
        return r

    def torques(self, push):
        """Of the motors, for the accelerations that were put."""
        self.model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_EQUALITY
        mujoco.mj_inverse(self.model, self.data)
        needed = self.data.qfrc_inverse.copy()
        needed[self.free] -= push
        rows = []
        site = lambda name: mujoco.mj_name2id(self.model, mujoco.mjtObj.mjOBJ_SITE, name)
        for n in self.legs:
            tip, seat = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
            mujoco.mj_jacSite(self.model, self.data, tip, None, site(f"tip{n}"))
            mujoco.mj_jacSite(self.model, self.data, seat, None, site(f"seat{n}"))
            rows.append(tip - seat)
        drives = np.zeros((self.model.nv, len(self.columns)))
        drives[self.columns, range(len(self.columns))] = 1.0
        both = np.hstack([drives, np.vstack(rows).T])
        found, *_ = np.linalg.lstsq(both, needed, rcond=None)
        residual = np.abs(both @ found - needed).max()
        assert residual < 1e-8 * np.abs(needed).max(), residual
        return found[: len(self.columns)]

    def acceleration(self, torque, push):
        """Of the platform from rest, by the solver with its constraints."""
        self.data.qfrc_applied[:] = 0
        self.data.qfrc_applied[self.columns] = torque
        self.data.qfrc_applied[self.free] += push
        mujoco.mj_forward(self.model, self.data)
        return self.data.qacc[self.free].copy()


def limit(softness, values):
    """At zero of the polynomial through values at these places."""
    total = 0.0
    for i, x in enumerate(softness):
        weight = np.prod([y / (y - x) for k, y in enumerate(softness) if k != i])
        total = total + weight * values[i]
    return total


def main():
    for name, random in ROBOTS:
        robot = load(GOLDEN / "robots" / f"parallel-{name}.toml" if random else FILES / f"{name}.toml")
        tree = Tree(robot)
        hard, soft = Machine(robot), [Machine(robot, d) for d in IMPEDANCES]
        with open(GOLDEN / f"parallel-{name}-pinocchio.csv") as file:
            states = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)][:STATES]
        given = "x y z roll pitch yaw vx vy vz wx wy wz ax ay az wdx wdy wdz fx fy fz mx my mz".split()
        rows = [",".join(given + [f"tau{i}" for i in range(1, 7)] + "sax say saz swdx swdy swdz".split())]
        for state in states:
            vector = lambda keys: np.array([state[key] for key in keys.split()])
            pose = pin.SE3(pin.rpy.rpyToMatrix(*vector("roll pitch yaw")), vector("x y z"))
            q, v, a = tree.motion(pose, vector("vx vy vz wx wy wz"), vector("ax ay az wdx wdy wdz"))
            r = hard.put(tree, q, v, a)
            push = np.concatenate([vector("fx fy fz"), r.T @ vector("mx my mz")])
            rigid = hard.torques(push)
            torque = rigid + tree.viscous * v[tree.columns]
            found = []
            for machine in soft:
                machine.put(tree, q, 0 * v, 0 * a)
                found.append(machine.acceleration(torque, push))
            still = limit([(1 - d) / d for d in IMPEDANCES], found)
            still[3:] = r @ still[3:]
            rows.append(",".join(repr(float(x)) for x in [*(state[key] for key in given), *torque, *still]))
        (GOLDEN / f"parallel-{name}-mujoco.csv").write_text("\n".join(rows) + "\n")
        print(f"parallel-{name}")


if __name__ == "__main__":
    main()
