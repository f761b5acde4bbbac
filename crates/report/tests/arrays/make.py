"""Writes the files of this folder: the same small log in MATLAB's and NumPy's formats (Python with numpy and scipy).

t = 0.01 k, q = k + 0.1 (joint), tau = -k - 0.1 (joint) for samples k = 0 … 19 and joints 1 … 3.
"""

import os

import numpy as np
import scipy.io

here = os.path.dirname(os.path.abspath(__file__))
n = 20
k = np.arange(n)
t = 0.01 * k
q = k[:, None] + 0.1 * np.arange(1, 4)[None, :]
tau = -q


def name(file):
    return os.path.join(here, file)


# Plain arrays; rows beside each other in one of them; a scalar, a text, a cell and something complex beside them.
plain = {"t": t, "q": q, "tau": tau.T, "rate": 100.0, "comment": "a log", "parts": np.array(["a", 1.0], dtype=object), "z": q * 1j}
scipy.io.savemat(name("plain.mat"), plain, do_compression=False)
scipy.io.savemat(name("packed.mat"), plain, do_compression=True)
# Nested structures; kinds of numbers that MATLAB stores small; single and integers.
nested = {
    "log": {
        "time": t.astype(np.float32),
        "motor": {"q": (1000 * q).astype(np.int16), "current": tau},
        "joint": {"q": q, "tau": tau},
    }
}
scipy.io.savemat(name("nested.mat"), nested, do_compression=True)

np.savez(name("plain.npz"), t=t, q=q, tau=tau, names=np.array(["a", "b"]), rate=np.array(100.0))
np.savez_compressed(name("packed.npz"), t=t, q=np.asfortranarray(q), tau=tau.T)
np.save(name("matrix.npy"), np.column_stack([t, q, tau]).astype(">f4"))
records = np.zeros(n, dtype=[("t", "<f8"), ("mode", "<U4"), ("q", "<f8", (3,)), ("tau", "<f4", (3,))])
records["t"], records["q"], records["tau"], records["mode"] = t, q, tau, "auto"
np.save(name("records.npy"), records)
