#!/usr/bin/env python3
"""Compares what two builds of the command write on the golden states of all robots.

    tools/compare_outputs.py OLD NEW [--only TEXT] [--tolerance 1e-12]

OLD and NEW are two binaries, e.g. one built from an older commit. Every verb on rows (ik, fk, torque, accel, mass) runs with every
model that applies, from both forms of a state, with several options, as CSV and as JSON lines, and on several numbers of threads.
Outputs that are not the same bytes are compared column by column. Exit code 1 if an exit code, a text or a number differs by more
than the tolerance, which is relative to the larger of both and 0 unless it is given.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
FAMILIES = ("delta-", "parallel-", "serial-", "tree-")
KINDS = ("-dynamics", "-forward", "-mass-gravity", "-pinocchio", "-mujoco", "-elbow-in")


def robot_of(stem):
    """The robot of a golden file: in golden/robots, or built in."""
    for kind in KINDS:
        stem = stem.replace(kind, "")
    names = [stem] + [stem.removeprefix(family) for family in FAMILIES if stem.startswith(family)]
    files = [GOLDEN / "robots" / f"{name}.toml" for name in names]
    return next((str(file) for file in files if file.exists()), names[-1])


def models_of(binary, robot):
    """The models that apply."""
    done = subprocess.run([binary, "check", robot, "--json"], capture_output=True, check=True)
    return [model["name"] for model in json.loads(done.stdout)["models"] if model["applies"]]


def cases(binary):
    """Robot, states, arguments and number of threads of every run."""
    for states in sorted(GOLDEN.glob("*.csv")):
        stem = states.stem
        if stem.startswith(("jerk-limited", "motion-", "sin-cos")):
            continue
        robot = robot_of(stem)
        inside = ["--branch", "in"] if "elbow-in" in stem else []
        has = states.read_text().splitlines()[0].split(",").__contains__
        options = [[], *([f"--from={form}"] for form in ("cartesian", "joints") if has("x") and has("q1"))]
        for model in models_of(binary, robot):
            for form in options:
                if has("qdd1") or has("ax"):
                    yield robot, states, ["torque", "--model", model, *form, *inside], None
                if has("tau1") and (has("qd1") or has("vx")):
                    yield robot, states, ["accel", "--model", model, *form, *inside], None
                yield robot, states, ["mass", "--model", model, *form, *inside], None
        for arguments in (
            ["fk"], ["fk", "--assembly", "above"], ["fk", "--details"], ["ik", *inside], ["ik", "--tool"],
            ["ik", "--details", "--limits", *inside], ["mass", "--space", "cartesian"], ["torque", "--limits"],
            ["torque", "--breakdown", "--tensions", "--details", *inside], ["torque", "--json", "--skip-bad"],
            ["torque", "--columns", "tau2,q1", "--precision", "6"], ["torque", "--payload", "1"],
            ["accel", "--json", "--skip-bad"], ["mass", "--json"], ["torque", "--enforce-limits", "--skip-bad"],
        ):
            yield robot, states, arguments, None


def long_cases(folder):
    """Many rows: blocks on several threads."""
    for stem in ("delta-d3-1200-dynamics", "parallel-hexa-pinocchio", "puma560-dynamics", "serial-a-pinocchio", "tree-a-pinocchio"):
        head, *rows = (GOLDEN / f"{stem}.csv").read_text().splitlines()
        table = Path(folder) / f"{stem}-long.csv"
        table.write_text("\n".join([head, *rows * (1 + 12000 // len(rows))]) + "\n")
        for threads in (1, 2, 3):
            for arguments in (["torque"], ["accel"], ["mass"], ["torque", "--json"], ["fk", "--skip-bad"], ["torque", "--limits"]):
                yield robot_of(stem), table, arguments, threads


def run(binary, robot, states, arguments, threads):
    verb, *options = arguments
    environment = os.environ | ({"RAYON_NUM_THREADS": str(threads)} if threads else {})
    command = [binary, verb, robot, "--input", str(states), *options]
    done = subprocess.run(command, capture_output=True, check=False, env=environment)
    return done.returncode, done.stdout, done.stderr


def table(text, is_json):
    text = text.decode()
    return [json.loads(line) for line in text.splitlines()] if is_json else list(csv.DictReader(io.StringIO(text)))


def differences(before, after, is_json):
    """The largest relative difference of each column; infinite where a text, a name or the number of rows differs."""
    old, new = table(before, is_json), table(after, is_json)
    if len(old) != len(new):
        return {"rows": float("inf")}
    worst = {}
    for a, b in zip(old, new):
        if a.keys() != b.keys():
            return {"columns": float("inf")}
        for name, value in a.items():
            if value == b[name]:
                continue
            try:
                x, y = float(value), float(b[name])
                far = abs(x - y) / max(abs(x), abs(y))
            except ValueError:
                far = float("inf")
            worst[name] = max(worst.get(name, 0.0), far)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="", help="only runs whose description contains this")
    parser.add_argument("--tolerance", type=float, default=0.0)
    arguments = parser.parse_args()
    count = written = texts = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for case in [*cases(arguments.old), *long_cases(folder)]:
            robot, states, options, threads = case
            what = f"{' '.join(options)} of {Path(robot).name} with {states.name}" + (f" on {threads}" if threads else "")
            if arguments.only not in what:
                continue
            before, after = (run(binary, *case) for binary in (arguments.old, arguments.new))
            count += 1
            written += before[0] == 0
            texts += before[2] != after[2]
            if before[:2] == after[:2]:
                continue
            if before[0] != after[0]:
                different += 1
                print(f"differs: {what}: exit codes {before[0]}, {after[0]}: {after[2].decode().strip()}")
                continue
            worst = differences(before[1], after[1], "--json" in options)
            beyond = [name for name, far in worst.items() if far > arguments.tolerance] or not worst
            different += bool(beyond)
            shown = ", ".join(f"{name} {far:.1e}" for name, far in worst.items()) or "in its text"
            print(f"{'differs' if beyond else 'rounding'}: {what}: {shown}")
    print(f"{count} runs, {written} with an output, {different} different; {texts} with other messages")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
