#!/usr/bin/env bash
# Checks the supplied reference data and writes all the others of golden/ anew.
#
#   tools/oracle/regenerate.sh [VENV]
#
# VENV: a directory for the Python environment, made if it is not there. Without it: a temporary one.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

venv=${1:-}
if [ -z "$venv" ]; then
  venv=$(mktemp -d)
  trap 'rm -rf "$venv"' EXIT
fi
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$here/requirements.txt"

export PYTHONDONTWRITEBYTECODE=1
"$venv/bin/python" "$here/high_precision.py" verify
"$venv/bin/python" "$here/high_precision.py" generate
"$venv/bin/python" "$here/rigid_bodies.py"
"$venv/bin/python" "$here/motions.py"
"$venv/bin/python" "$here/serial_arms.py"
"$venv/bin/python" "$here/trees.py"
"$venv/bin/python" "$here/light_wrist.py"
"$venv/bin/python" "$here/parallel_robots.py"
"$venv/bin/python" "$here/parallel_mujoco.py"
"$venv/bin/python" "$here/sin_cos.py"
