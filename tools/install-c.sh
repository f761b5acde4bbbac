#!/usr/bin/env bash
# Builds the C library and puts it, its header and its pkg-config and CMake files under a folder: tools/install-c.sh PREFIX
# DALEMBERT_BUILT names a folder with libraries that are there already; then nothing is built.
set -euo pipefail
prefix=${1:?name the folder to install to, for instance /usr/local}
mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/dalembert}
prefix=$(cd "$prefix" && pwd)
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
if [[ -z ${DALEMBERT_BUILT:-} ]]; then cargo build --release -p dalembert-capi; fi
built=${DALEMBERT_BUILT:-${CARGO_TARGET_DIR:-target}/release}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
install -m 644 crates/capi/include/dalembert.h "$prefix/include/"
install -m 644 "$built/libdalembert_c.a" "$prefix/lib/"
for shared in "$built"/libdalembert_c.{so,dylib}; do
  if [[ -e $shared ]]; then install -m 755 "$shared" "$prefix/lib/"; fi
done
if [[ -e $prefix/lib/libdalembert_c.dylib ]]; then install_name_tool -id @rpath/libdalembert_c.dylib "$prefix/lib/libdalembert_c.dylib"; fi
# Two packages, because `-ldalembert_c` is the shared library wherever there is one: the static library by its path, which needs
# nothing when a program starts, and the shared one with the folder to find it in.
system="-lm -lpthread -ldl"
package() {
  cat >"$prefix/lib/pkgconfig/$1.pc" <<PC
prefix=$prefix
Name: $1
Description: Exact, explicit and fast dynamic models of robots: $2
Version: $version
Cflags: -I\${prefix}/include
Libs: $3
PC
}
package dalembert "static library" "\${prefix}/lib/libdalembert_c.a $system"
package dalembert-shared "shared library" "-L\${prefix}/lib -Wl,-rpath,\${prefix}/lib -ldalembert_c"
install -m 644 crates/capi/cmake/dalembert-config.cmake "$prefix/lib/cmake/dalembert/"
echo "installed to $prefix"
