#!/usr/bin/env python3
"""Random states as CSV, to measure how fast `dalembert torque` computes long tables.

    tools/many_rows.py joints 6 1000000 > states.csv      q1..q6, qd1..qd6, qdd1..qdd6 of an arm
    tools/many_rows.py delta 1000000 > states.csv         t, x,y,z, vx,vy,vz, ax,ay,az within reach of d3-1200

All numbers have the digits that read back to the same bits. The same numbers every time.
"""

import random
import sys


def joints(count, rows):
    sizes = [0.7] * count + [1.5] * count + [5.0] * count
    yield [f"{stem}{i}" for stem in ("q", "qd", "qdd") for i in range(1, count + 1)]
    for _ in range(rows):
        yield [repr(random.uniform(-size, size)) for size in sizes]


def delta(rows):
    yield "t,x,y,z,vx,vy,vz,ax,ay,az".split(",")
    ranges = [(-0.2, 0.2)] * 2 + [(-0.95, -0.75)] + [(-1.0, 1.0)] * 3 + [(-10.0, 10.0)] * 3
    for k in range(rows):
        yield [repr(k / 1000)] + [repr(random.uniform(*span)) for span in ranges]


def main():
    random.seed(1)
    match sys.argv[1:]:
        case ["joints", count, rows]:
            lines = joints(int(count), int(rows))
        case ["delta", rows]:
            lines = delta(int(rows))
        case _:
            sys.exit(__doc__)
    for line in lines:
        sys.stdout.write(",".join(line) + "\n")


if __name__ == "__main__":
    main()
