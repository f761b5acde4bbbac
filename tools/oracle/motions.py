"""Motions of closed loops from two general multibody libraries: what simulations are compared with.

    motions.py            writes golden/motion-{swing,slider-crank,cell}-{pinocchio,mujoco}.csv

All start at rest under constant torques, without friction, Runge-Kutta of fourth order with steps of 1 ms; two seconds,
the slider-crank one (then it turns fast), the cell half a second; a row every 20 ms. The first row is the start, `tau…` are the torques.

* `swing`: the d3-1200; the torques hold q = 45° on all arms, start at q = 45° + (0.1, −0.05, 0.03) rad.
* `slider-crank`: crank 0.1 m (1 kg, 0.002 kg m² about its middle), rod 0.3 m (0.8 kg, 0.006 kg m²), slider 2 kg on the x
  axis; in the x–z plane, crank angle `u` from x towards z, start at 1.5 rad, torque 0.1 N m.
* `cell`: two d3-1200 whose bases are 1 m apart in x carry a bar (1.5 kg; 0.002, 0.05, 0.05 kg m²) by its ends, 0.2 m apart
  along its x axis. Start level, 45° about z; the torques would hold platforms with half a bar each at the start, times 0.9.
  `x, y, z` and `qw, qx, qy, qz` are the bar's.

Pinocchio: trees whose loops are closed by `constraintDynamics`, no stabilisation. MuJoCo: the same trees, each platform in
three shares at the rods' tips (nine coordinates and six equations for a Delta, as few as can be), closed by `connect`
equalities as stiff as MuJoCo allows; MuJoCo needs a spin inertia of rods, SPIN of the transverse one.
"""

import argparse
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

import high_precision as exact
from rigid_bodies import add_arms, arm_with_elbow, floats, rod_angles
from robots import load_parameters

STEP = 1e-3
EVERY = 20  # steps per row
SPIN = 1e-9
STIFF = 'solref="0.002 1" solimp="0.9999 0.9999 0.001 0.5 2"'
CRANK, ROD = 0.1, 0.3
BASES = [np.zeros(3), np.array([1.0, 0.0, 0.0])]
BAR_MASS, BAR_INERTIA, BAR_HALF = 1.5, [0.002, 0.05, 0.05], 0.1
HEIGHT = -0.85


def robot_d3():
    return load_parameters(exact.GOLDEN / "delta-d3-1200-parameters.json")


def holding_torque(robot, x, load=0.0):
    arms = exact.pose(robot, x)
    force = [exact.mpf(load) * g for g in robot.gravity]
    return floats(exact.inverse(robot, arms, exact.ZERO, exact.ZERO, force)[2])


def platform_at(robot, q):
    """Where the platform is with these motor angles, by Newton's method on the inverse kinematics."""
    x = [exact.mpf(0), exact.mpf(0), exact.mpf(-0.8)]
    for _ in range(50):
        at = exact.mp.matrix([a.q for a in exact.pose(robot, x)])
        off = exact.mp.matrix(q) - at
        h = exact.mpf(10) ** -20
        columns = []
        for k in range(3):
            moved = list(x)
            moved[k] += h
            columns.append([(b.q - a) / h for a, b in zip(at, exact.pose(robot, moved))])
        step = exact.mp.lu_solve(exact.mp.matrix(columns).T, off)
        x = [a + b for a, b in zip(x, step)]
        if max(abs(s) for s in step) < exact.mpf(10) ** -30:
            return x
    raise SystemExit("no such pose")


def swing_start(robot):
    level = exact.mp.pi / 4
    q = [level + exact.mpf(d) for d in ("0.1", "-0.05", "0.03")]
    return platform_at(robot, q), holding_torque(robot, platform_at(robot, [level] * 3))


def arm_coordinates(robot, x):
    angles = []
    for i, arm in enumerate(exact.pose(robot, [exact.mpf(float(c)) for c in x])):
        theta, gamma = rod_angles(robot, i, arm)
        angles += [float(arm.q), theta - float(arm.q), gamma]
    return np.array(angles)


def cell_start(robot):
    """The bar's centre between the robots, its quaternion, the platforms' places in their robots' frames, torques."""
    center = np.array([0.5, 0.0, HEIGHT])
    turn = np.pi / 4
    # Ends far from the bases' middles would be out of reach: each robot leans over to its end.
    quaternion = np.array([np.cos(turn / 2), 0.0, 0.0, np.sin(turn / 2)])
    along = np.array([np.cos(turn), np.sin(turn), 0.0]) * BAR_HALF
    places = [center - along - BASES[0], center + along - BASES[1]]
    torque = np.concatenate(
        [0.9 * holding_torque(robot, [exact.mpf(float(c)) for c in x], BAR_MASS / 2) for x in places]
    )
    return center, quaternion, places, torque


# Pinocchio


class PinocchioLoops:
    """A tree with loops, its motors, and Runge-Kutta. A free-flyer's quaternion is integrated as four numbers."""

    def __init__(self, model, joints, motors):
        self.model, self.motors = model, motors
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for a, place_a, b, place_b in joints:
            loop = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, model, a, place_a, b, place_b, pin.LOCAL_WORLD_ALIGNED
            )
            self.loops.append(loop)
            self.loop_data.append(loop.createData())
        self.data = model.createData()
        pin.initConstraintDynamics(model, self.data, self.loops, self.loop_data)
        self.free = [(j.idx_q, j.idx_v) for j in model.joints if j.shortname() == "JointModelFreeFlyer"]

    def rate(self, q, v, torque):
        effort = np.zeros(self.model.nv)
        effort[self.motors] = torque
        q = q.copy()
        for at, _ in self.free:
            q[at + 3 : at + 7] /= np.linalg.norm(q[at + 3 : at + 7])
        settings = pin.ProximalSettings(1e-15, 1e-12, 50)
        acceleration = pin.constraintDynamics(
            self.model, self.data, q, v, effort, self.loops, self.loop_data, settings
        ).copy()
        dq = np.zeros(self.model.nq)
        if not self.free:
            return v, acceleration
        (at, start), = self.free
        dq[:at] = v[:start]
        placement = pin.XYZQUATToSE3(q[at : at + 7])
        dq[at : at + 3] = placement.rotation @ v[start : start + 3]  # Pinocchio: velocities in the body's frame
        x, y, z, w = q[at + 3 : at + 7]
        omega = v[start + 3 : start + 6]
        u = np.array([x, y, z])
        dq[at + 3 : at + 6] = 0.5 * (w * omega + np.cross(u, omega))
        dq[at + 6] = -0.5 * u @ omega
        return dq, acceleration

    def step(self, q, v, torque):
        h = STEP
        k1 = self.rate(q, v, torque)
        k2 = self.rate(q + h / 2 * k1[0], v + h / 2 * k1[1], torque)
        k3 = self.rate(q + h / 2 * k2[0], v + h / 2 * k2[1], torque)
        k4 = self.rate(q + h * k3[0], v + h * k3[1], torque)
        mean = [(a + 2 * (b + c) + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4)]
        return q + h * mean[0], v + h * mean[1]

    def closure(self, q):
        pin.forwardKinematics(self.model, self.data, q)
        worst = 0.0
        for loop in self.loops:
            a = (self.data.oMi[loop.joint1_id] * loop.joint1_placement).translation
            b = (self.data.oMi[loop.joint2_id] * loop.joint2_placement).translation
            worst = max(worst, np.abs(a - b).max())
        return worst

    def run(self, q, torque, steps, row):
        v, rows, worst = np.zeros(self.model.nv), [], 0.0
        for n in range(steps + 1):
            worst = max(worst, self.closure(q))
            if n % EVERY == 0:
                rows.append([n * STEP, *row(q), *torque])
            q, v = self.step(q, v, torque)
        return rows, worst


def pinocchio_platform(model, mass, base, name):
    platform = model.addJoint(0, pin.JointModelTranslation(), pin.SE3(np.eye(3), base), name)
    model.appendBodyToJoint(platform, pin.Inertia(float(mass), np.zeros(3), np.zeros((3, 3))), pin.SE3.Identity())
    return platform


def pinocchio_swing(robot):
    model = pin.Model()
    model.gravity.linear = floats(robot.gravity)
    rods = add_arms(model, robot, np.zeros(3))
    platform = pinocchio_platform(model, robot.moved_mass, np.zeros(3), "platform")
    loops = PinocchioLoops(model, [(rod, tip, platform, pin.SE3.Identity()) for rod, tip in rods], [0, 3, 6])
    x, torque = swing_start(robot)
    q = np.append(arm_coordinates(robot, x), floats(x))
    return loops.run(q, torque, 2000, lambda q: q[9:12])


def pinocchio_slider_crank():
    model = pin.Model()
    # About −y, so that the angle goes from x towards z.
    turn = pin.JointModelRevoluteUnaligned(np.array([0.0, -1.0, 0.0]))
    at = lambda x: pin.SE3(np.eye(3), np.array([x, 0.0, 0.0]))
    body = lambda mass, x, inertia: pin.Inertia(mass, np.array([x, 0.0, 0.0]), np.diag([0, inertia, inertia]))
    crank = model.addJoint(0, turn, at(0.0), "crank")
    model.appendBodyToJoint(crank, body(1.0, CRANK / 2, 0.002), pin.SE3.Identity())
    rod = model.addJoint(crank, turn, at(CRANK), "rod")
    model.appendBodyToJoint(rod, body(0.8, ROD / 2, 0.006), pin.SE3.Identity())
    slider = model.addJoint(0, pin.JointModelPX(), at(0.0), "slider")
    model.appendBodyToJoint(slider, pin.Inertia(2.0, np.zeros(3), np.zeros((3, 3))), pin.SE3.Identity())
    loops = PinocchioLoops(model, [(rod, at(ROD), slider, at(0.0))], [0])
    return loops.run(slider_crank_start(), np.array([0.1]), 1000, lambda q: [q[0], q[2]])


def slider_crank_start():
    u = 1.5
    angle = np.arcsin(-CRANK * np.sin(u) / ROD)
    return np.array([u, angle - u, CRANK * np.cos(u) + ROD * np.cos(angle)])


def pinocchio_cell(robot):
    model = pin.Model()
    model.gravity.linear = floats(robot.gravity)
    joints, ends = [], []
    center, quaternion, places, torque = cell_start(robot)
    q = []
    for number, base in enumerate(BASES):
        rods = add_arms(model, robot, base, f"robot{number}")
        platform = pinocchio_platform(model, robot.moved_mass, base, f"platform{number}")
        joints += [(rod, tip, platform, pin.SE3.Identity()) for rod, tip in rods]
        ends.append(platform)
        q += [*arm_coordinates(robot, places[number]), *places[number]]
    bar = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "bar")
    model.appendBodyToJoint(bar, pin.Inertia(BAR_MASS, np.zeros(3), np.diag(BAR_INERTIA)), pin.SE3.Identity())
    for platform, x in zip(ends, (-BAR_HALF, BAR_HALF)):
        joints.append((platform, pin.SE3.Identity(), bar, pin.SE3(np.eye(3), np.array([x, 0.0, 0.0]))))
    q += [*center, *quaternion[1:], quaternion[0]]
    loops = PinocchioLoops(model, joints, [0, 3, 6, 12, 15, 18])
    return loops.run(np.array(q), torque, 500, lambda q: [*q[24:27], q[30], *q[27:30]])


# MuJoCo


def mujoco_arms(robot, base, share, prefix=""):
    """Three arms at `base`; a rod has `share` kg of platform at its tip."""
    text = ""
    for i in range(3):
        phi, radius = float(robot.azimuth[i]), float(robot.radius[i])
        mass, center, inertia = arm_with_elbow(robot, i)
        length, m, rho = float(robot.rod_length[i]), float(robot.rod_mass[i]), float(robot.rod_rho[i])
        both = m + share
        mean = (m * rho * length + share * length) / both
        turn = float(robot.rod_inertia[i]) + m * (mean - rho * length) ** 2 + share * (length - mean) ** 2
        text += f"""
    <body pos="{base[0] + radius * np.cos(phi)!s} {base[1] + radius * np.sin(phi)!s} {base[2]!s}"
          quat="{np.cos(phi / 2)!s} 0 0 {np.sin(phi / 2)!s}">
      <joint type="hinge" axis="0 1 0" armature="{float(robot.rotor_inertia[i])!r}"/>
      <inertial pos="{center!r} 0 0" mass="{mass!r}" diaginertia="{inertia!r} {inertia!r} {inertia!r}"/>
      <body name="{prefix}rod{i}" pos="{float(robot.arm_length[i])!r} 0 0">
        <joint type="hinge" axis="0 1 0"/>
        <joint type="hinge" axis="0 0 1"/>
        <inertial pos="{mean!r} 0 0" mass="{both!r}" diaginertia="{SPIN * turn!r} {turn!r} {turn!r}"/>
        <site name="{prefix}tip{i}" pos="{length!r} 0 0"/>
      </body>
    </body>"""
    ties = "".join(f'\n    <connect site1="{prefix}tip0" site2="{prefix}tip{i}" {STIFF}/>' for i in (1, 2))
    return text, ties


def mujoco_model(bodies, ties, gravity="0 0 -9.81"):
    return mujoco.MjModel.from_xml_string(f"""<mujoco>
  <compiler angle="radian"/>
  <option timestep="{STEP}" integrator="RK4" gravity="{gravity}" solver="Newton" iterations="100" tolerance="1e-14"
          jacobian="dense">
    <flag contact="disable"/>
  </option>
  <worldbody>{bodies}
  </worldbody>
  <equality>{ties}
  </equality>
</mujoco>""")


class MujocoLoops:
    def __init__(self, model, motors):
        self.model, self.data, self.motors = model, mujoco.MjData(model), motors

    def closure(self):
        return np.abs(self.data.efc_pos[: self.data.ne]).max()

    def run(self, q, torque, steps, row):
        self.data.qpos[:] = q
        self.data.qfrc_applied[self.motors] = torque
        rows, worst = [], 0.0
        for n in range(steps + 1):
            mujoco.mj_forward(self.model, self.data)
            worst = max(worst, self.closure())
            if n % EVERY == 0:
                rows.append([n * STEP, *row(self.data), *torque])
            mujoco.mj_step(self.model, self.data)
        return rows, worst


def mujoco_delta(robot):
    bodies, ties = mujoco_arms(robot, np.zeros(3), float(robot.moved_mass) / 3)
    return MujocoLoops(mujoco_model(bodies, ties), [0, 3, 6])


def mujoco_swing(robot):
    loops = mujoco_delta(robot)
    x, torque = swing_start(robot)
    return loops.run(arm_coordinates(robot, x), torque, 2000, lambda data: data.site("tip0").xpos)


def mujoco_slider_crank():
    bodies = f"""
    <body name="crank">
      <joint type="hinge" axis="0 -1 0"/>
      <inertial pos="{CRANK / 2} 0 0" mass="1" diaginertia="0.002 0.002 0.002"/>
      <body name="rod" pos="{CRANK} 0 0">
        <joint type="hinge" axis="0 -1 0"/>
        <inertial pos="{ROD / 2} 0 0" mass="0.8" diaginertia="0.006 0.006 0.006"/>
        <site name="pin" pos="{ROD} 0 0"/>
      </body>
    </body>
    <body name="slider">
      <joint type="slide" axis="1 0 0"/>
      <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
      <site name="piston" pos="0 0 0"/>
    </body>"""
    loops = MujocoLoops(mujoco_model(bodies, f'\n    <connect site1="pin" site2="piston" {STIFF}/>'), [0])
    return loops.run(slider_crank_start(), np.array([0.1]), 1000, lambda data: [data.qpos[0], data.qpos[2]])


def mujoco_cell(robot):
    center, quaternion, places, torque = cell_start(robot)
    bodies, ties, q = "", "", []
    for number, base in enumerate(BASES):
        arms, tips = mujoco_arms(robot, base, float(robot.moved_mass) / 3, f"r{number}")
        bodies += arms
        ties += tips
        ties += f'\n    <connect site1="r{number}tip0" site2="end{number}" {STIFF}/>'
        q += [*arm_coordinates(robot, places[number])]
    bodies += f"""
    <body name="bar">
      <freejoint/>
      <inertial pos="0 0 0" mass="{BAR_MASS}" diaginertia="{" ".join(map(str, BAR_INERTIA))}"/>
      <site name="end0" pos="{-BAR_HALF} 0 0"/>
      <site name="end1" pos="{BAR_HALF} 0 0"/>
    </body>"""
    loops = MujocoLoops(mujoco_model(bodies, ties), [0, 3, 6, 9, 12, 15])
    return loops.run([*q, *center, *quaternion], torque, 500, lambda data: data.qpos[18:25])


def main(golden):
    robot = robot_d3()
    torques = lambda n: [f"tau{i + 1}" for i in range(n)]
    motions = [
        ("swing", ["x", "y", "z", *torques(3)], pinocchio_swing, mujoco_swing, [robot]),
        ("slider-crank", ["u", "x", *torques(1)], pinocchio_slider_crank, mujoco_slider_crank, []),
        ("cell", ["x", "y", "z", "qw", "qx", "qy", "qz", *torques(6)], pinocchio_cell, mujoco_cell, [robot]),
    ]
    for name, columns, *libraries, arguments in motions:
        tables = []
        for library, simulate in zip(("pinocchio", "mujoco"), libraries):
            rows, closure = simulate(*arguments)
            path = golden / f"motion-{name}-{library}.csv"
            path.write_text("\n".join([",".join(["t", *columns]), *(",".join(f"{x:.17g}" for x in r) for r in rows)]) + "\n")
            print(f"  {path.name}: {len(rows)} rows, loops open by at most {closure:.1e} m")
            tables.append(np.array(rows))
        print(f"  apart {np.abs(tables[0] - tables[1]).max():.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--golden", type=Path, default=exact.GOLDEN)
    main(parser.parse_args().golden)
