#!/usr/bin/env bash
# Builds the C library and puts it, its header and its pkg-config and CMake files under a folder: tools/install-c.sh PREFIX
set -euo pipefail
prefix=${1:?tell the folder to install to, for instance /usr/local}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release -p dalembert-capi
target=${CARGO_TARGET_DIR:-target}/release
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/dalembert}
prefix=$(cd "$prefix" && pwd)
install -m 644 crates/capi/include/dalembert.h "$prefix/include/"
install -m 644 "$target/libdalembert_c.a" "$prefix/lib/"
for shared in "$target"/libdalembert_c.{so,dylib}; do
  if [[ -e $shared ]]; then install -m 755 "$shared" "$prefix/lib/"; fi
done
cat >"$prefix/lib/pkgconfig/dalembert.pc" <<PC
prefix=$prefix
Name: dalembert
Description: Exact, explicit and fast dynamic models of robots
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -ldalembert_c
Libs.private: -lm -lpthread -ldl
PC
install -m 644 crates/capi/cmake/dalembert-config.cmake "$prefix/lib/cmake/dalembert/"
echo "installed to $prefix"
