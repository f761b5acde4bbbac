"""Time per simulated second and loop closure of the swinging Delta: MuJoCo's and this library's, in one run.

    closed_loop_speed.py            needs cargo

MuJoCo: nine coordinates and six equations (`motions.py`), Runge-Kutta of fourth order, 1 ms, its C loop (`mj_step` with
`nstep`), the mean of REPEATS runs of two seconds. The library: the rows `rk4, 1 ms` of its example `formulations`, which
times the same motion with the same step. Both on one core, time of the processor.
"""

import subprocess
import time
from pathlib import Path

import mujoco

import motions

REPEATS = 10
SECONDS = 2
ROOT = Path(__file__).resolve().parents[2]


def mujoco_row():
    robot = motions.robot_d3()
    loops = motions.mujoco_delta(robot)
    x, torque = motions.swing_start(robot)
    start = motions.arm_coordinates(robot, x)
    spent = 0.0
    for _ in range(REPEATS):
        mujoco.mj_resetData(loops.model, loops.data)
        loops.data.qpos[:] = start
        loops.data.qfrc_applied[loops.motors] = torque
        clock = time.thread_time()
        mujoco.mj_step(loops.model, loops.data, nstep=round(SECONDS / motions.STEP))
        spent += time.thread_time() - clock
    _, closure = motions.mujoco_swing(robot)
    return 1e3 * spent / (REPEATS * SECONDS), closure


def own_rows():
    command = ["cargo", "run", "--quiet", "--release", "--package", "dalembert", "--example", "formulations"]
    printed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for line in printed.splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 5 and cells[2] == "rk4, 1 ms":
            yield cells[1], float(cells[5].split()[0]), float(cells[4].split()[0])


def main():
    reference, closure = mujoco_row()
    print(f"d3-1200, swing, Runge-Kutta 4, 1 ms; MuJoCo {mujoco.__version__}\n")
    print("| | ms per simulated second | against MuJoCo | loops open by |\n| --- | --- | --- | --- |")
    print(f"| MuJoCo, nine coordinates | {reference:.2f} | 1 | {closure:.1e} m |")
    for name, milliseconds, drift in own_rows():
        print(f"| {name} | {milliseconds:.2f} | {reference / milliseconds:.1f} × faster | {drift:.1e} m |")


if __name__ == "__main__":
    main()
