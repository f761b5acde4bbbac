#!/bin/sh
# Emitted C on an emulated Cortex-M: instructions of one call of the torque, and whether it gives what it gives on this computer.
# It needs arm-none-eabi-gcc with newlib and qemu-system-arm (Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm).
#   run.sh DALEMBERT DIRECTORY ROBOT...      DALEMBERT: the command; ROBOT: serial arms, by name or file
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dalembert=$1
work=$2
shift 2
mkdir -p "$work"
printf '| robot | operations | processor | numbers | instructions per call | bytes of code | off by, relative to the largest torque |\n| --- | --- | --- | --- | --- | --- | --- |\n'
for robot in "$@"; do
    name=$(basename "$robot" .toml | tr -- -. __)
    for numbers in double float; do
        [ $numbers = float ] && option="--float f32" || option=
        # shellcheck disable=SC2086
        "$dalembert" derive "$robot" --of torque --target cortex-m4f --emit c $option -o "$work/$name.c" 2>"$work/log"
        function=$(sed -n 's/^void \([a-z0-9_]*\)(.*/\1/p' "$work/$name.h" | head -n 1)
        joints=$(sed -n 's/^void [a-z0-9_]*(const [a-z]* q\[\([0-9]*\)\].*/\1/p' "$work/$name.h" | head -n 1)
        operations=$(sed -n 's/^.*: \([0-9]*\) operations.*/\1/p' "$work/log" | head -n 1)
        [ $numbers = float ] && kind=-DWITH_FLOAT || kind=
        flags="-DHEADER=\"$name.h\" -DFUNCTION=$function -DJOINTS=$joints $kind -I $work -O2"
        # On this computer always with double: what is compared is the program and its numbers.
        if [ $numbers = double ]; then
            # shellcheck disable=SC2086
            cc -DON_HOST $flags "$here/main.c" "$work/$name.c" -lm -o "$work/host"
            "$work/host" >"$work/expected"
        fi
        for board in "mps2-an386 cortex-m4 fpv4-sp-d16" "mps2-an500 cortex-m7 fpv5-d16"; do
            # shellcheck disable=SC2086
            set -- $board "$@"
            machine=$1 processor=$2 unit=$3
            shift 3
            # shellcheck disable=SC2086
            arm-none-eabi-gcc -mcpu=$processor -mthumb -mfloat-abi=hard -mfpu=$unit $flags -ffp-contract=fast --specs=rdimon.specs -nostartfiles \
                -T "$here/board.ld" "$here/start.c" "$here/main.c" "$work/$name.c" -lm -o "$work/program.elf"
            arm-none-eabi-gcc -mcpu=$processor -mthumb -mfloat-abi=hard -mfpu=$unit $kind -O2 -ffp-contract=fast -c "$work/$name.c" -o "$work/object.o"
            bytes=$(arm-none-eabi-size "$work/object.o" | awk 'NR == 2 { print $1 }')
            qemu-system-arm -M "$machine" -nographic -semihosting -icount shift=0 -kernel "$work/program.elf" >"$work/found" </dev/null
            instructions=$(sed -n 's/^instructions //p' "$work/found")
            off=$(grep -v instructions "$work/found" | paste - "$work/expected" |
                awk '{ d = $1 - $2; d = d < 0 ? -d : d; s = $2 < 0 ? -$2 : $2; if (d > most) most = d; if (s > size) size = s } END { printf "%.0e", most / size }')
            echo "| $name | $operations | $processor | $numbers | $instructions | $bytes | $off |"
        done
    done
done

# The formulas of dalembert-core themselves, where Rust has its core library for this processor (`rustup target add thumbv7em-none-eabihf`) or can build it: a
# compiler with its library's sources beside it (Debian: rustc-web rust-web-src, or `rustup component add rust-src`) and the sources of what that library needs.
# Built with it, a Cortex-M7 has doubles in its unit; the ready-made library has those of a Cortex-M4F, in software.
target=thumbv7em-none-eabihf
builds=
if [ -d "$(rustc --print target-libdir --target $target)" ]; then
    builds=ready
else
    for compiler in rustc /usr/bin/rustc; do
        if "$compiler" --version >/dev/null 2>&1 && [ -f "$("$compiler" --print sysroot)/lib/rustlib/src/rust/library/core/Cargo.toml" ]; then
            builds=$compiler
            break
        fi
    done
fi
if [ -z "$builds" ]; then
    echo "dalembert-core was not run: Rust has no core library for $target here, and no sources of it" >&2
    exit 0
fi
core() {
    cargo build --release --quiet --manifest-path "$here/core/Cargo.toml" --target-dir "$work/core$1" ${2:+--target $2}
}
core -host ""
for board in "mps2-an386 cortex-m4 fpv4-sp-d16" "mps2-an500 cortex-m7 fpv5-d16"; do
    # shellcheck disable=SC2086
    set -- $board
    machine=$1 processor=$2 unit=$3
    if [ "$builds" = ready ]; then
        core "-$processor" $target
    else
        [ $processor = cortex-m7 ] && double=+fp64 || double=-fp64
        RUSTC=$builds RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD=core RUSTFLAGS="-C target-cpu=$processor -C target-feature=$double" core "-$processor" $target
    fi
    for robot in "d3_1200 3" "puma560 6"; do
        name=core_${robot% *} joints=${robot#* }
        for numbers in double float; do
            [ $numbers = float ] && kind=-DWITH_FLOAT function=${name}_float || kind='' function=$name
            flags="-DHEADER=\"core.h\" -DJOINTS=$joints -I $here/core -O2"
            # shellcheck disable=SC2086
            cc -DON_HOST -DFUNCTION=$name $flags "$here/main.c" "$work/core-host/release/libcortex_core.a" -lm -o "$work/host"
            "$work/host" >"$work/expected"
            # shellcheck disable=SC2086
            arm-none-eabi-gcc -mcpu=$processor -mthumb -mfloat-abi=hard -mfpu=$unit -DFUNCTION=$function $kind $flags --specs=rdimon.specs -nostartfiles \
                -T "$here/board.ld" "$here/start.c" "$here/main.c" "$work/core-$processor/$target/release/libcortex_core.a" -lm -o "$work/program.elf"
            qemu-system-arm -M "$machine" -nographic -semihosting -icount shift=0 -kernel "$work/program.elf" >"$work/found" </dev/null
            instructions=$(sed -n 's/^instructions //p' "$work/found")
            off=$(grep -v instructions "$work/found" | paste - "$work/expected" |
                awk '{ d = $1 - $2; d = d < 0 ? -d : d; s = $2 < 0 ? -$2 : $2; if (d > most) most = d; if (s > size) size = s } END { printf "%.0e", most / size }')
            echo "| $name | | $processor | $numbers | $instructions | | $off |"
        done
    done
done
