#!/bin/sh
# Builds and runs the comparison with CasADi, Pinocchio and MuJoCo of docs/performance.md. It needs Rust, a C++ compiler and Python 3 on x86-64
# with AVX2; everything else is installed into a folder of its own (the first argument, default target/peers; kept for the next run).
# Further arguments are robot files of serial arms without friction and payload. The table is printed and stored as table.md in that folder.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$root/target/peers}
[ $# -gt 0 ] && shift
if [ $# -eq 0 ]; then
    set -- "$root/robots/puma560.toml" "$root/golden/robots/ur5e.toml" "$root/golden/robots/panda.toml" "$root/golden/robots/iiwa14.toml" \
        "$root/golden/robots/stanford.toml" "$root/golden/robots/scara.toml"
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)
python=$work/python/bin/python
if [ ! -x "$python" ]; then
    python3 -m venv "$work/python"
    "$work/python/bin/pip" install --quiet casadi pin cmeel-eigen cmeel-boost numpy mujoco mpmath
fi
packages=$("$python" -c 'import pathlib, casadi; print(pathlib.Path(casadi.__file__).parent.parent)')
prefix=$packages/cmeel.prefix
mujoco=$packages/mujoco
(cd "$root" && cargo build --release --package dalembert-capi)
library=${CARGO_TARGET_DIR:-$root/target}/release

"$python" "$here/functions.py" "$work" "$@"
if c++ -march=native -dM -E -x c++ /dev/null | grep -q __AVX512F__; then eight=8; else eight=4; fi
objects=
# function SOURCE JOINTS: CasADi's code for one state, for one with its sines given, for four and for eight.
function() {
    for name in 1 given 4 8; do
        lanes=$name given= source=$1
        [ "$name" = given ] && lanes=1 given=-DGIVEN source=$1_given
        # Where there are no registers of eight the column has four again.
        [ "$name" = 8 ] && lanes=$eight
        object=$work/$1_$name.o
        objects="$objects $object"
        newest=$(ls -t "$object" "$work/$source.c" "$here/casadi.cpp" 2>/dev/null | head -n 1)
        [ "$newest" = "$object" ] && continue
        # shellcheck disable=SC2086
        c++ -std=c++17 -O3 -march=native -fno-math-errno -w -DLANES=$lanes $given -DNAME=$name -DJOINTS="$2" -DFUNCTION="$1" \
            -DCASADI_CODEGEN_PREFIX -DCODEGEN_PREFIX="$1_${name}_" \
            -DSOURCE="\"$work/$source.c\"" -c "$here/casadi.cpp" -o "$object"
    done
}
for robot in "$@"; do
    for quantity in torque mass acceleration torque_derivatives acceleration_derivatives; do
        function "$(basename "$robot" .toml | tr - _)_$quantity" "$(grep -c '^\[\[link\]\]' "$robot")"
    done
done
function delta_torque 3
function delta_acceleration 3
# The macros are those that Pinocchio's own package was built with.
# shellcheck disable=SC2086
c++ -std=c++17 -O3 -march=native -DNDEBUG -w -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -I "$work" -I "$root/crates/capi/include" \
    -I "$prefix/include" -I "$prefix/include/pinocchio/deprecated" -I "$prefix/include/eigen3" -I "$mujoco/include" "$here/peers.cpp" $objects \
    "$library/libdalembert_c.a" -o "$work/peers" -L "$prefix/lib" -lpinocchio_default -Wl,-rpath,"$prefix/lib" "$mujoco"/libmujoco.so.* \
    -Wl,-rpath,"$mujoco" -lmvec -lm -lpthread -ldl
{
    sed -n 's/^model name[^:]*: */Machine: /p' /proc/cpuinfo | head -n 1
    c++ --version | head -n 1
    "$python" -c 'import casadi, pinocchio, mujoco; print("CasADi", casadi.__version__, "Pinocchio", pinocchio.__version__, "MuJoCo", mujoco.__version__)'
    echo
} > "$work/table.md"
"$work/peers" 1 | tee -a "$work/table.md"
