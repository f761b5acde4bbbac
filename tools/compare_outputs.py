#!/usr/bin/env python3
"""Compares what two builds of the command write, byte by byte, on the golden states of all robots.

    tools/compare_outputs.py OLD NEW

OLD and NEW are two binaries, e.g. one built from an older commit. Every verb on rows (ik, fk, torque, accel, mass) runs with every
model and option that applies, as CSV and as JSON lines. Exit code 1 if an output or an exit code differs.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "golden"

DELTA_MODELS = [
    "exact", "asadi", "bortoff", "codourey", "codourey-simplified", "falezza-complete", "falezza-complete-printed",
    "falezza-simplified", "falezza-simplified-printed",
]
SERIAL_MODELS = ["newton-euler", "exact", "explicit", "explicit-a3", "abbreviated", "derived"]


def robot_of(stem):
    """The robot of a golden file: built in, or in golden/robots."""
    name = stem.removeprefix("delta-").split("-dynamics")[0].split("-forward")[0].split("-mass-gravity")[0]
    name = name.removesuffix("-pinocchio").removesuffix("-mujoco").removesuffix("-elbow-in")
    file = GOLDEN / "robots" / f"{name}.toml"
    return str(file) if file.exists() else name


def cases():
    """Robot, states and arguments of every run."""
    for states in sorted(GOLDEN.glob("*.csv")):
        stem = states.stem
        if stem.startswith(("motion-", "sin-cos")):
            continue
        robot = robot_of(stem)
        delta = stem.startswith("delta-")
        inside = ["--branch", "in"] if "elbow-in" in stem else []
        models = DELTA_MODELS if delta else SERIAL_MODELS
        header = states.read_text().splitlines()[0].split(",")
        has = header.__contains__
        for model in models:
            if has("qdd1") or has("ax"):
                yield robot, states, ["torque", "--model", model, *inside]
            if has("tau1") and has("qd1"):
                yield robot, states, ["accel", "--model", model]
            yield robot, states, ["mass", "--model", model]
        yield robot, states, ["fk"]
        yield robot, states, ["ik"]
        if delta:
            yield robot, states, ["ik", "--details", "--limits", *inside]
            yield robot, states, ["ik", "--tool"]
            yield robot, states, ["mass", "--space", "cartesian"]
            yield robot, states, ["torque", "--from", "joints", "--limits"]
            yield robot, states, ["torque", "--breakdown", "--tensions", "--details", *inside]
            yield robot, states, ["fk", "--assembly", "above"]
        else:
            yield robot, states, ["torque", "--limits"]
        yield robot, states, ["torque", "--json", "--skip-bad"]


def run(binary, robot, states, arguments):
    verb, *options = arguments
    done = subprocess.run([binary, verb, robot, "--input", str(states), *options], capture_output=True, check=False)
    return done.returncode, done.stdout


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    old, new = sys.argv[1:]
    count = written = different = 0
    for robot, states, arguments in cases():
        before, after = (run(binary, robot, states, arguments) for binary in (old, new))
        count += 1
        written += before[0] == 0
        if before != after:
            different += 1
            print(f"differs: {' '.join(arguments)} of {Path(robot).name} with {states.name} (exit codes {before[0]}, {after[0]})")
    print(f"{count} runs, {written} with an output, {different} different")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
