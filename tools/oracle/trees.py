"""Random trees of links and what Pinocchio says about them.

Writes golden/robots/tree-*.toml (10 to 64 joints, both conventions, branches with mounts, revolute and prismatic joints, full inertia tensors,
several tools with payloads, motor inertia) and golden/tree-*-pinocchio.csv: states with torques, the torques while a wrench acts at the
main tool, mass matrix (upper triangle by rows), holding torques and the position of every tool.

The tree is built from elementary transforms, as the conventions define them; nothing is shared with the library.
"""

import random
import tomllib

import numpy as np
import pinocchio as pin

from serial_arms import GOLDEN, angle, inertia, shift, tensor, turn

# Name, joints, convention, share of links that hang on the link before, states.
TREES = [("a", 10, "modified-dh", 0.6, 8), ("b", 16, "standard-dh", 0.7, 6), ("c", 33, "modified-dh", 0.8, 4),
         ("d", 64, "standard-dh", 0.9, 2), ("e", 24, "modified-dh", 1.0, 4)]


def describe(name, joints, convention, straight, rng):
    short = lambda low, high: round(rng.uniform(low, high), 4)
    triple = lambda size: [short(-size, size) for _ in range(3)]
    degrees = lambda: rng.choice([0, 90, -90, 180, 30, short(-180, 180)])
    rpy = lambda: "[" + ", ".join(f'"{degrees()} deg"' for _ in range(3)) + "]"
    body = lambda: (f"mass = {short(0.2, 3)}", f"center_of_mass = {triple(0.1)}", f"inertia = {[float(x) for x in tensor(rng)]}")
    lines = [
        "# Made by tools/oracle/trees.py.",
        'kind = "serial"',
        f'name = "tree-{name}"',
        f'convention = "{convention}"',
        f"gravity = [{short(-3, 3)}, {short(-3, 3)}, {short(-10, -8)}]",
    ]
    tools = []
    for i in range(joints):
        prismatic = rng.random() < 0.2
        lines += [
            "",
            "[[link]]",
            f'joint = "{"prismatic" if prismatic else "revolute"}"',
            f'alpha = "{degrees()} deg"',
            f"a = {short(-0.3, 0.3)}",
            f"d = {short(-0.3, 0.3)}",
            f'theta_offset = "{degrees()} deg"',
            *body(),
            f"motor_inertia = {short(0.05, 1)}",
        ]
        if rng.random() > straight:
            lines += [f"parent = {rng.randrange(0, i + 1)}", f"mount = {{ position = {triple(0.2)}, rpy = {rpy()} }}"]
        if straight < 1.0 and rng.random() < 0.15 and i + 1 < joints:
            tools.append(f"tip{len(tools) + 1}")
            lines += [f'tool = {{ name = "{tools[-1]}", position = {triple(0.2)}, rpy = {rpy()} }}',
                      "payload = { " + ", ".join(body()) + " }"]
    lines += ["", "[tool]", f"position = {triple(0.2)}", f"rpy = {rpy()}", "", "[payload]", *body()]
    if tools:
        lines.insert(4, f'main_tool = "{tools[0]}"')
    return "\n".join(lines) + "\n"


def frame(table):
    roll, pitch, yaw = map(angle, table.get("rpy", ["0 deg"] * 3))
    rotation = (turn("z", yaw) * turn("y", pitch) * turn("x", roll)).rotation
    return pin.SE3(rotation, np.array(table.get("position", [0.0] * 3)))


def depth_first(links):
    """The links such that what hangs on one follows it at once: Pinocchio's mass matrix is wrong for joints in any other order."""
    def below(parent):
        for i, link in enumerate(links):
            if link.get("parent", i) == parent:
                yield i
                yield from below(i + 1)
    return below(0)


def build(tree):
    """The Pinocchio model, the motors' inertias, the joints by link, and the tools: (joint, frame in it)."""
    model = pin.Model()
    model.gravity.linear = np.array(tree["gravity"])
    modified = tree["convention"] == "modified-dh"
    # Of the base and of each link: the joint, and the link's frame in the joint's.
    joints, afters, tools = {0: 0}, {0: pin.SE3.Identity()}, {}
    for i in depth_first(tree["link"]):
        link = tree["link"][i]
        along_x = turn("x", angle(link["alpha"])) * shift(link["a"], 0.0)
        along_z = turn("z", angle(link["theta_offset"])) * shift(0.0, link["d"])
        parent = link.get("parent", i)
        mounted = afters[parent] * frame(link.get("mount", {}))
        placement = mounted * (along_x * along_z if modified else along_z)
        joint = pin.JointModelRZ() if link["joint"] == "revolute" else pin.JointModelPZ()
        own, after = model.addJoint(joints[parent], joint, placement, f"joint{i + 1}"), pin.SE3.Identity() if modified else along_x
        joints[i + 1], afters[i + 1] = own, after
        model.appendBodyToJoint(own, inertia(link), after)
        if "tool" in link:
            tools[link["tool"]["name"]] = (own, after * frame(link["tool"]))
            model.appendBodyToJoint(own, inertia(link["payload"]), tools[link["tool"]["name"]][1])
    last = len(tree["link"])
    tools["tool"] = (joints[last], afters[last] * frame(tree["tool"]))
    model.appendBodyToJoint(joints[last], inertia(tree["payload"]), tools["tool"][1])
    motors = np.array([link["motor_inertia"] for link in tree["link"]])
    return model, motors, [joints[i + 1] for i in range(last)], tools


def rows(tree, states, rng):
    model, motors, joints, tools = build(tree)
    data = model.createData()
    n = model.nv
    # Its joints are in the order in which they were added; ours are in the order of the file.
    places = np.array([model.joints[joint].idx_v for joint in joints])
    main = tools[tree.get("main_tool", "tool")]
    for _ in range(states):
        ours = [np.array([rng.uniform(-size, size) for _ in range(n)]) for size in (2.0, 1.5, 5.0)]
        q, qd, qdd = (np.zeros(n) for _ in range(3))
        for mine, theirs in zip(ours, (q, qd, qdd)):
            theirs[places] = mine
        rotors = np.zeros(n)
        rotors[places] = motors
        tau = pin.rnea(model, data, q, qd, qdd) + rotors * qdd
        gravity = pin.computeGeneralizedGravity(model, data, q).copy()
        pin.crba(model, data, q)
        mass = np.triu(data.M).copy()
        mass = mass + mass.T - np.diag(np.diag(mass)) + np.diag(rotors)
        model.armature = rotors
        back = pin.aba(model, data, q, qd, tau)
        model.armature = np.zeros(n)
        assert np.abs(back - qdd).max() < 1e-8 * np.abs(qdd).max(), np.abs(back - qdd).max()
        pin.forwardKinematics(model, data, q)
        positions = {name: (data.oMi[joint] * place).translation for name, (joint, place) in tools.items()}
        # A wrench at the main tool, base frame: as forces on its joint, in the joint's frame.
        wrench = np.array([rng.uniform(-20, 20) for _ in range(6)])
        there = pin.SE3(np.eye(3), positions[tree.get("main_tool", "tool")])
        forces = [pin.Force.Zero() for _ in range(model.njoints)]
        forces[main[0]] = data.oMi[main[0]].actInv(there.act(pin.Force(wrench[:3], wrench[3:])))
        pushed = pin.rnea(model, data, q, qd, qdd, forces) + rotors * qdd
        upper = mass[np.ix_(places, places)][np.triu_indices(n)]
        yield [*ours[0], *ours[1], *ours[2], *tau[places], *wrench, *pushed[places], *upper, *gravity[places],
               *(x for name in sorted(positions) for x in positions[name])]


def main():
    for name, joints, convention, straight, states in TREES:
        rng = random.Random(f"dalembert tree {name}")
        text = describe(name, joints, convention, straight, rng)
        (GOLDEN / "robots" / f"tree-{name}.toml").write_text(text)
        tree = tomllib.loads(text)
        numbers = range(1, joints + 1)
        header = [f"{stem}{i}" for stem in ("q", "qd", "qdd", "tau") for i in numbers]
        header += ["fx", "fy", "fz", "mx", "my", "mz"] + [f"pushed{i}" for i in numbers]
        header += [f"M{i}_{j}" for i in numbers for j in numbers if i <= j] + [f"g{i}" for i in numbers]
        tools = sorted([link["tool"]["name"] for link in tree["link"] if "tool" in link] + ["tool"])
        header += [f"{tool}_{axis}" for tool in tools for axis in "xyz"]
        lines = [",".join(header)]
        lines += [",".join(f"{value:.17g}" for value in row) for row in rows(tree, states, rng)]
        (GOLDEN / f"tree-{name}-pinocchio.csv").write_text("\n".join(lines) + "\n")
        print(f"tree-{name}: {joints} joints, {convention}, tools {', '.join(tools)}")


if __name__ == "__main__":
    main()
