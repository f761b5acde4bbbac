#!/bin/sh
# Builds and runs the comparison with CasADi and Pinocchio of docs/performance.md. It needs Rust, a C++ compiler and Python 3 on x86-64 with
# AVX2; everything else is installed into a folder of its own (the first argument, default target/peers; kept for the next run).
# Further arguments are robot files of serial arms without friction and payload.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=${1:-$root/target/peers}
[ $# -gt 0 ] && shift
if [ $# -eq 0 ]; then
    set -- "$root/robots/puma560.toml" "$root/golden/robots/ur5e.toml" "$root/golden/robots/panda.toml" "$root/golden/robots/iiwa14.toml" \
        "$root/golden/robots/stanford.toml"
fi
mkdir -p "$work"
if [ ! -x "$work/python/bin/python" ]; then
    python3 -m venv "$work/python"
    "$work/python/bin/pip" install --quiet casadi pin cmeel-eigen cmeel-boost numpy
fi
prefix=$("$work/python/bin/python" -c 'import pathlib, casadi; print(pathlib.Path(casadi.__file__).parent.parent / "cmeel.prefix")')
(cd "$root" && cargo build --release --package dalembert-capi)
library=${CARGO_TARGET_DIR:-$root/target}/release

(cd "$work" && "$work/python/bin/python" "$here/functions.py" "$work" "$@")
objects=
for robot in "$@"; do
    arm=$(basename "$robot" .toml | tr - _)
    joints=$(grep -c '^\[\[link\]\]' "$robot")
    for quantity in torque mass acceleration derivatives; do
        for lanes in 1 4; do
            object=$work/${arm}_${quantity}_$lanes.o
            c++ -std=c++17 -O3 -march=native -fno-math-errno -w -DLANES=$lanes -DJOINTS="$joints" -DFUNCTION="${arm}_$quantity" \
                -DSOURCE="\"$work/${arm}_$quantity.c\"" -c "$here/casadi.cpp" -o "$object"
            objects="$objects $object"
        done
    done
done
# The macros are those that Pinocchio's own package was built with.
# shellcheck disable=SC2086
c++ -std=c++17 -O3 -march=native -DNDEBUG -w -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12 -I "$work" -I "$root/crates/capi/include" \
    -I "$prefix/include" -I "$prefix/include/pinocchio/deprecated" -I "$prefix/include/eigen3" "$here/peers.cpp" $objects \
    "$library/libdalembert_c.a" -o "$work/peers" -L "$prefix/lib" -lpinocchio_default -Wl,-rpath,"$prefix/lib" -lmvec -lm -lpthread -ldl
"$work/peers" 1
