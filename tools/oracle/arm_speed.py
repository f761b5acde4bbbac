"""Nanoseconds per call of C functions of serial arms: CasADi's and those of `dalembert derive --emit c`.

    arm_speed.py CASADI OURS

CASADI has what `arm_operations.py` wrote, OURS has ROBOT_TARGET.c with its header, one program each
(`dalembert derive ROBOT --of TARGET --emit c -o OURS/ROBOT_TARGET.c`). Both are compiled with `gcc -O2` and called through a pointer for 64
states in turn; the least of many rounds counts. Both must give the same numbers to 1e-9 of the largest.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

MAIN = r"""
#include <math.h>
#include <stdio.h>
#include <time.h>
%(declarations)s
static double in[64][3][8], out[2][64][200];
static void ours(int k) { %(ours)s; }
static void theirs(int k) {
  static double w[100000]; static long long iw[1];
  const double *arg[3] = {in[k][0], in[k][1], in[k][2]}; double *res[1] = {out[1][k]};
  %(theirs)s(arg, res, iw, w, 0);
}
static double least(void (*volatile f)(int)) {
  double best = 1e9;
  for (int round = 0; round < 3000; ++round) {
    struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a);
    for (int k = 0; k < 64; ++k) f(k);
    clock_gettime(CLOCK_MONOTONIC, &b);
    double ns = ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 64; if (ns < best) best = ns;
  }
  return best;
}
int main(void) {
  for (int k = 0; k < 64; ++k) for (int r = 0; r < 3; ++r) for (int i = 0; i < 8; ++i) in[k][r][i] = sin(1 + k * 1.7 + r * 2.3 + i * 0.9) * (r + 1);
  double a = least(ours), b = least(theirs), most = 0, apart = 0;
  for (int k = 0; k < 64; ++k) for (int i = 0; i < %(size)d; ++i) {
    double x = out[0][k][i], y = out[1][k][%(place)s]; most = fmax(most, fabs(x)); apart = fmax(apart, fabs(x - y));
  }
  printf("%%.0f,%%.0f,%%.1e\n", a, b, apart / most);
  return 0;
}
"""


def main(casadi, ours):
    for header in sorted(ours.glob("*.h")):
        source = header.with_suffix(".c")
        robot, target = header.stem.split("_", 1)
        theirs = casadi / f"{robot}_{target}.c"
        if not theirs.exists():
            continue
        call = re.search(r"^(void|int) (\w+)\(([^;]*)\);", header.read_text(), re.M)
        rows = re.findall(r"(const )?double (\w+)\[(\d+)\]", call[3])
        inputs = [k for k, row in enumerate(rows) if row[0]]
        sizes = [int(row[2]) for row in rows if not row[0]]
        starts = [sum(sizes[:k]) for k in range(len(sizes))]
        arguments = [f"in[k][{k}]" for k in inputs] + [f"out[0][k] + {start}" for start in starts]
        n, size = int(rows[0][2]), sum(sizes)
        # CasADi's matrices are column by column.
        place = f"(i %% {n * n} %% {n}) * {n} + i %% {n * n} / {n} + i / {n * n} * {n * n}" if size > n else "i"
        symbol = target.replace("-", "_")
        with tempfile.TemporaryDirectory() as directory:
            main = Path(directory) / "main.c"
            declarations = f'#include "{header.resolve()}"\nint {symbol}(const double **, double **, long long *, double *, int);'
            values = dict(declarations=declarations, ours=f"{call[2]}({', '.join(arguments)})", theirs=symbol, size=size)
            main.write_text(MAIN % dict(values, place=place.replace("%%", "%")))
            binary = Path(directory) / "time"
            subprocess.run(["gcc", "-O2", main, source, theirs, "-o", binary, "-lm"], check=True)
            answer = subprocess.run([binary], check=True, capture_output=True, text=True).stdout.strip()
        print(f"{robot},{target},{answer}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
