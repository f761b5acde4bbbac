"""The Delta's torques from two general multibody libraries, with real loops. Compared with high_precision.py.

Pinocchio: a tree of 12 coordinates (arm; rod on a universal joint; translating platform) whose three rod tips are tied
to the platform by three equations each. A rod has no spin inertia, as the canonical model. The rates follow from the
loop Jacobian, the torques from RNEA and the multipliers. Forward dynamics is the library's own `constraintDynamics`.

MuJoCo: the real mechanism, 27 coordinates: each forearm is two ball-jointed rods of half the pair's mass and inertia,
with a spin inertia; the platform is free to turn. 18 loop equations. Nothing here says that the platform keeps its
attitude, or that a pair acts as one rod: that comes out.

Both use `radius` = base radius − platform radius as the base and a platform without extent, which is exact.
"""

import argparse
from pathlib import Path

import mujoco
import numpy as np
import pinocchio as pin

import high_precision as exact
from robots import load_parameters, load_toml

STATES = 40
SPACING = 0.08  # m between the rods of a pair; the torques do not depend on it
SPIN_SHARE = 0.01  # spin inertia of a real rod / its transverse inertia; likewise
LIMIT = 1e-13  # the largest difference to the exact answer that is still rounding
COLUMNS = [exact.POSITION, exact.VELOCITY, exact.ACCELERATION, exact.TAU]


def floats(values):
    return np.array([float(v) for v in values])


def arm_with_elbow(robot, i):
    """Mass, centre of mass and central inertia about the motor's direction, of an upper arm with its elbow mass."""
    arm, elbow = float(robot.arm_mass[i]), float(robot.elbow_mass[i])
    center, length = float(robot.arm_center[i]), float(robot.arm_length[i])
    mass = arm + elbow
    mean = (arm * center + elbow * length) / mass
    return mass, mean, float(robot.arm_inertia[i]) + elbow * length**2 - mass * mean**2


def rod_angles(robot, i, arm):
    """(θ, γ): the rod lies along Rz(φ) Ry(θ) Rz(γ) x̂, so relative to its arm along Ry(θ − q) Rz(γ) x̂."""
    c, s = np.cos(float(robot.azimuth[i])), np.sin(float(robot.azimuth[i]))
    ux, uy, uz = floats(arm.u) / float(robot.rod_length[i])
    return np.arctan2(-uz, c * ux + s * uy), np.arcsin(-s * ux + c * uy)


def add_arms(model, robot, base, prefix=""):
    """Adds the three arms with their rods, at `base`; returns (rod joint, place of its tip) of each."""
    rods = []
    for i in range(3):
        azimuth = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, float(robot.azimuth[i])), np.asarray(base, float))
        hip = azimuth * pin.SE3(np.eye(3), np.array([float(robot.radius[i]), 0, 0]))
        elbow = pin.SE3(np.eye(3), np.array([float(robot.arm_length[i]), 0, 0]))
        arm = model.addJoint(0, pin.JointModelRY(), hip, f"{prefix}arm{i}")
        mass, center, inertia = arm_with_elbow(robot, i)
        model.appendBodyToJoint(
            arm, pin.Inertia(mass, np.array([center, 0, 0]), np.diag([0, inertia, inertia])), pin.SE3.Identity()
        )
        cross = model.addJoint(arm, pin.JointModelRY(), elbow, f"{prefix}cross{i}")
        rod = model.addJoint(cross, pin.JointModelRZ(), pin.SE3.Identity(), f"{prefix}rod{i}")
        length, inertia = float(robot.rod_length[i]), float(robot.rod_inertia[i])
        center = np.array([float(robot.rod_rho[i]) * length, 0, 0])
        model.appendBodyToJoint(
            rod, pin.Inertia(float(robot.rod_mass[i]), center, np.diag([0, inertia, inertia])), pin.SE3.Identity()
        )
        rods.append((rod, pin.SE3(np.eye(3), np.array([length, 0, 0]))))
    return rods


class PinocchioDelta:
    """Coordinates: per arm (q, θ − q, γ), then the platform's position."""

    def __init__(self, robot):
        self.robot, self.model = robot, pin.Model()
        self.model.gravity.linear = floats(robot.gravity)
        rods = add_arms(self.model, robot, np.zeros(3))
        self.tips = [
            self.model.addFrame(pin.Frame(f"tip{i}", rod, tip, pin.FrameType.OP_FRAME))
            for i, (rod, tip) in enumerate(rods)
        ]
        platform = self.model.addJoint(0, pin.JointModelTranslation(), pin.SE3.Identity(), "platform")
        self.model.appendBodyToJoint(
            platform, pin.Inertia(float(robot.moved_mass), np.zeros(3), np.zeros((3, 3))), pin.SE3.Identity()
        )
        self.model.armature = np.array([x for i in range(3) for x in (float(robot.rotor_inertia[i]), 0, 0)] + [0] * 3)
        self.loops, self.loop_data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        for rod, tip in rods:
            loop = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_3D, self.model, rod, tip, platform, pin.SE3.Identity(), pin.LOCAL_WORLD_ALIGNED
            )
            self.loops.append(loop)
            self.loop_data.append(loop.createData())
        self.data = self.model.createData()
        pin.initConstraintDynamics(self.model, self.data, self.loops, self.loop_data)

    def state(self, arms, x, v):
        """(q, v, J) on the loops: J v = 0 with the platform's velocity given."""
        q = np.zeros(12)
        for i, arm in enumerate(arms):
            theta, gamma = rod_angles(self.robot, i, arm)
            q[3 * i : 3 * i + 3] = float(arm.q), theta - float(arm.q), gamma
        q[9:] = x
        pin.computeJointJacobians(self.model, self.data, q)
        pin.updateFramePlacements(self.model, self.data)
        jacobian = np.zeros((9, 12))
        for i, tip in enumerate(self.tips):
            rows = pin.getFrameJacobian(self.model, self.data, tip, pin.LOCAL_WORLD_ALIGNED)[:3]
            jacobian[3 * i : 3 * i + 3] = rows
            jacobian[3 * i : 3 * i + 3, 9:] -= np.eye(3)
        return q, np.append(-np.linalg.solve(jacobian[:, :9], jacobian[:, 9:] @ v), v), jacobian

    def torque(self, arms, x, v, acc):
        q, qd, jacobian = self.state(arms, x, v)
        pin.forwardKinematics(self.model, self.data, q, qd, np.zeros(12))
        drift = np.concatenate([
            pin.getFrameClassicalAcceleration(self.model, self.data, tip, pin.LOCAL_WORLD_ALIGNED).linear
            for tip in self.tips
        ])
        joints = -np.linalg.solve(jacobian[:, :9], jacobian[:, 9:] @ acc + drift)
        tree = pin.rnea(self.model, self.data, q, qd, np.append(joints, acc))
        motors = np.eye(12)[:, [0, 3, 6]]
        return np.linalg.solve(np.hstack([motors, jacobian.T]), tree)[:3]

    def acceleration(self, arms, x, v, tau):
        q, qd, _ = self.state(arms, x, v)
        effort = np.zeros(12)
        effort[[0, 3, 6]] = tau
        settings = pin.ProximalSettings(1e-14, 0.0, 10)
        return pin.constraintDynamics(
            self.model, self.data, q, qd, effort, self.loops, self.loop_data, settings
        )[9:]


class MujocoDelta:
    """Positions: per arm q and two quaternions, then the platform's position and quaternion."""

    def __init__(self, robot):
        self.robot = robot
        self.model = mujoco.MjModel.from_xml_string(self.mjcf(robot))
        self.data = mujoco.MjData(self.model)
        name = lambda kind, text: mujoco.mj_name2id(self.model, kind, text)
        pairs = [(i, k) for i in range(3) for k in "ab"]
        self.tips = [name(mujoco.mjtObj.mjOBJ_SITE, f"tip{i}{k}") for i, k in pairs]
        self.ends = [name(mujoco.mjtObj.mjOBJ_SITE, f"end{i}{k}") for i, k in pairs]
        self.rods = [name(mujoco.mjtObj.mjOBJ_BODY, f"rod{i}{k}") for i, k in pairs]
        self.platform = name(mujoco.mjtObj.mjOBJ_BODY, "platform")

    @staticmethod
    def mjcf(robot):
        arms, ends = "", ""
        for i in range(3):
            phi, radius = float(robot.azimuth[i]), float(robot.radius[i])
            rz = f"{np.cos(phi / 2)!s} 0 0 {np.sin(phi / 2)!s}"
            mass, center, inertia = arm_with_elbow(robot, i)
            length, half_mass = float(robot.rod_length[i]), float(robot.rod_mass[i]) / 2
            half_inertia = float(robot.rod_inertia[i]) / 2
            rods = ""
            for k, side in (("a", -SPACING / 2), ("b", SPACING / 2)):
                rods += f"""
      <body name="rod{i}{k}" pos="{float(robot.arm_length[i])!r} {side!r} 0">
        <joint type="ball"/>
        <inertial pos="{float(robot.rod_rho[i]) * length!r} 0 0" mass="{half_mass!r}"
                  diaginertia="{SPIN_SHARE * half_inertia!r} {half_inertia!r} {half_inertia!r}"/>
        <site name="tip{i}{k}" pos="{length!r} 0 0"/>
      </body>"""
                ends += f"""
      <site name="end{i}{k}" pos="{-np.sin(phi) * side!s} {np.cos(phi) * side!s} 0"/>"""
            arms += f"""
    <body name="arm{i}" pos="{radius * np.cos(phi)!s} {radius * np.sin(phi)!s} 0" quat="{rz}">
      <joint type="hinge" axis="0 1 0" armature="{float(robot.rotor_inertia[i])!r}"/>
      <inertial pos="{center!r} 0 0" mass="{mass!r}" diaginertia="{inertia!r} {inertia!r} {inertia!r}"/>{rods}
    </body>"""
        gravity = " ".join(repr(float(g)) for g in robot.gravity)
        return f"""<mujoco>
  <compiler angle="radian"/>
  <option gravity="{gravity}"/>
  <worldbody>{arms}
    <body name="platform">
      <freejoint/>
      <inertial pos="0 0 0" mass="{float(robot.moved_mass)!r}" diaginertia="0.01 0.01 0.01"/>{ends}
    </body>
  </worldbody>
</mujoco>"""

    def jacobians(self, of_site, of_body):
        """18 loop rows, 6 rows of the rods' spin about themselves, 3 rows of the platform's position."""
        rows = []
        point, turn, other = (np.zeros((3, self.model.nv)) for _ in range(3))
        for tip, end in zip(self.tips, self.ends):
            of_site(tip, point)
            of_site(end, other)
            rows.append(point - other)
        for rod in self.rods:
            of_body(rod, point, turn)
            rows.append(self.data.xmat[rod].reshape(3, 3)[:, :1].T @ turn)
        of_body(self.platform, point, turn)
        return np.vstack([*rows, point])

    def torque(self, arms, x, v, acc):
        """(τ, relative residual of the 27 equations in 21 unknowns, angular velocity of the platform).

        The rods do not spin about themselves: on frictionless balls zero spin stays zero.
        """
        model, data = self.model, self.data
        for i, arm in enumerate(arms):
            theta, gamma = rod_angles(self.robot, i, arm)
            quat, about_y, about_z = np.zeros(4), np.zeros(4), np.zeros(4)
            mujoco.mju_axisAngle2Quat(about_y, np.array([0.0, 1, 0]), theta - float(arm.q))
            mujoco.mju_axisAngle2Quat(about_z, np.array([0.0, 0, 1]), gamma)
            mujoco.mju_mulQuat(quat, about_y, about_z)
            data.qpos[9 * i : 9 * i + 9] = float(arm.q), *quat, *quat
        data.qpos[27:] = *x, 1, 0, 0, 0
        data.qvel[:] = 0
        mujoco.mj_forward(model, data)
        jacobian = self.jacobians(
            lambda site, out: mujoco.mj_jacSite(model, data, out, None, site),
            lambda body, out, turn: mujoco.mj_jacBody(model, data, out, turn, body),
        )
        data.qvel[:] = np.linalg.solve(jacobian, np.append(np.zeros(24), v))
        mujoco.mj_forward(model, data)
        change = self.jacobians(
            lambda site, out: mujoco.mj_jacDot(
                model, data, out, None, data.site_xpos[site], model.site_bodyid[site]
            ),
            lambda body, out, turn: mujoco.mj_jacDot(model, data, out, turn, data.xpos[body], body),
        )
        data.qacc[:] = np.linalg.solve(jacobian, np.append(np.zeros(24), acc) - change @ data.qvel)
        spin = np.abs(data.qvel[24:]).max()
        mujoco.mj_inverse(model, data)
        tree = data.qfrc_inverse.copy()
        motors = np.eye(model.nv)[:, [0, 7, 14]]
        unknowns = np.hstack([motors, jacobian[:18].T])
        solution = np.linalg.lstsq(unknowns, tree)[0]
        return solution[:3], np.abs(unknowns @ solution - tree).max() / np.abs(tree).max(), spin


def relative(got, want):
    return np.abs(got - want).max() / np.abs(want).max()


def main(golden):
    for name in ("asadi", "d3-1200", "generic"):
        own = golden / "robots" / f"{name}.toml"
        robot = load_toml(own) if own.exists() else load_parameters(golden / f"delta-{name}-parameters.json")
        tree, mechanism = PinocchioDelta(robot), MujocoDelta(robot)
        states = exact.read_rows(golden / f"delta-{name}-dynamics.csv", COLUMNS[:3])[:STATES]
        rows, errors = {"pinocchio": [], "mujoco": []}, []
        for x, v, acc in states:
            arms = exact.pose(robot, x)
            tau = floats(exact.inverse(robot, arms, v, acc)[2])
            numbers = floats(x), floats(v), floats(acc)
            by_tree = tree.torque(arms, *numbers)
            back = tree.acceleration(arms, *numbers[:2], tau)
            by_mechanism, residual, spin = mechanism.torque(arms, *numbers)
            rows["pinocchio"].append([x, v, acc, list(by_tree)])
            rows["mujoco"].append([x, v, acc, list(by_mechanism)])
            errors.append([
                relative(by_tree, tau), relative(back, numbers[2]), relative(by_mechanism, tau), residual, spin
            ])
        for library, table in rows.items():
            exact.write_rows(golden / f"delta-{name}-{library}.csv", COLUMNS, table)
        worst = np.max(errors, axis=0)
        print(f"  largest over {STATES} states: Pinocchio torque {worst[0]:.1e}, its constraintDynamics {worst[1]:.1e};")
        print(f"  MuJoCo torque {worst[2]:.1e}, residual of its 27 equations {worst[3]:.1e}, platform turns {worst[4]:.0e} rad/s")
        if worst.max() > LIMIT:
            raise SystemExit(f"{name}: a library disagrees")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--golden", type=Path, default=exact.GOLDEN)
    main(parser.parse_args().golden)
