#!/usr/bin/env python3
"""Linear models exported by the command, read and analysed by python-control.

    python3 -m venv VENV && VENV/bin/pip install control==0.10.2 scipy
    cargo build --release
    VENV/bin/python tools/oracle/linear_models.py target/release/dalembert

Writes golden/linear-models.json: for each case the command line and, as python-control finds them in the exported .mat
and .npz files, poles, transmission zeros, Hankel singular values where there are any, and the response at 1 Hz; for
some models the gain of the linear-quadratic regulator, continuous and discrete.
The test crates/cli/tests/verbs/analysis.rs compares the command with it.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import control
import numpy as np
import scipy.io
import scipy.linalg

CASES = [
    ["d3-1200", "--joints", "0"],
    ["d3-1200", "--joints", "45 deg", "--damping", "0.3"],
    ["asadi", "--joints", "0.2,0.5,0.8", "--damping", "0.1"],
    ["asadi", "--joints", "45 deg", "--damping", "0.3", "--coordinates", "cartesian", "--outputs", "position"],
    ["asadi", "--joints", "45 deg", "--damping", "0.3", "--step", "1ms"],
    ["puma560", "--joints", "0.3,-0.8,0.5,0.2,0.7,-0.4"],
]

# Q = diag(qp, qv), R = r; with a step the sum over the samples.
REGULATORS = [
    (["asadi", "--joints", "0"], [100.0, 1.0, 0.01]),
    (["asadi", "--joints", "0", "--step", "1ms"], [100.0, 1.0, 0.01]),
    (["d3-1200", "--joints", "0.2,0.5,0.8", "--damping", "0.1", "--step", "5ms"], [10.0, 0.0, 0.1]),
    (["puma560", "--joints", "0.3,-0.8,0.5,0.2,0.7,-0.4", "--step", "2ms"], [1000.0, 1.0, 0.001]),
]


def pairs(values):
    values = sorted(values, key=lambda s: (-round(s.real, 9), -abs(s.imag), -s.imag))
    return [[float(s.real), float(s.imag)] for s in values]


def main():
    command = sys.argv[1]
    cases = []
    with tempfile.TemporaryDirectory() as directory:
        for arguments in CASES:
            systems = []
            for ending in ["mat", "npz"]:
                path = Path(directory) / f"model.{ending}"
                subprocess.run([command, "linearize", *arguments, "--out", str(path), "--json"], check=True, capture_output=True)
                data = scipy.io.loadmat(path) if ending == "mat" else np.load(path)
                step = float(np.asarray(data["Ts"]).squeeze())
                matrices = [np.asarray(data[name], dtype=float) for name in "ABCD"]
                names = [np.asarray(cell).ravel()[0] for cell in np.asarray(data["states"]).ravel()]
                assert len(names) == matrices[0].shape[0] and str(names[0])[0] in "qx", names
                systems.append((control.ss(*matrices, step) if step else control.ss(*matrices), matrices))
            (system, first), (_, second) = systems
            assert all(np.array_equal(a, b) for a, b in zip(first, second)), "both files hold the same model"
            case = {"arguments": arguments, "poles": pairs(system.poles())}
            case["zeros"] = pairs(system.zeros()) if system.ninputs == system.noutputs else []
            if system.dt in (0, None) and all(s.real < -1e-9 for s in system.poles()):
                # Through Gramians by SciPy's Lyapunov solver: slycot is not needed.
                a, b, c, _ = first
                wc = scipy.linalg.solve_continuous_lyapunov(a, -b @ b.T)
                wo = scipy.linalg.solve_continuous_lyapunov(a.T, -c.T @ c)
                case["hankel"] = [float(x) for x in sorted(np.sqrt(np.abs(np.linalg.eigvals(wc @ wo).real)), reverse=True)]
            response = system(2j * np.pi if not system.dt else np.exp(2j * np.pi * system.dt))
            case["response"] = [[[float(x.real), float(x.imag)] for x in row] for row in np.atleast_2d(response)]
            cases.append(case)
        regulators = []
        for arguments, (qp, qv, r) in REGULATORS:
            path = Path(directory) / "model.npz"
            subprocess.run([command, "linearize", *arguments, "--out", str(path), "--json"], check=True, capture_output=True)
            data = np.load(path)
            a, b = data["A"], data["B"]
            n, m = b.shape
            weight = np.diag([qp] * (n // 2) + [qv] * (n // 2))
            least = control.dlqr if data["Ts"].item() else control.lqr
            gain, cost, poles = least(a, b, weight, r * np.eye(m))
            regulators.append({
                "arguments": [*arguments, "--lqr", f"{qp},{qv},{r}"],
                "gain": np.asarray(gain).tolist(),
                "poles": pairs(poles),
            })
    target = Path(__file__).resolve().parents[2] / "golden" / "linear-models.json"
    target.write_text(json.dumps({"source": f"python-control {control.__version__}", "cases": cases, "regulators": regulators}, indent=1) + "\n")


if __name__ == "__main__":
    main()
