#!/bin/sh
# build_runner.sh [--if-possible] [ARCH...]: hone-runner as one static file for x86_64, aarch64, armv7 and riscv64 (all when none is
# named), at build/runners/ARCH/hone-runner. Such a file needs none of its device. --if-possible: exit code 77, which skips a test,
# where a compiler is missing or the sources cannot be fetched.
#
# Its libraries are built from Debian's sources, without what hone does not use of them, into build/sysroot/ARCH; the hashes below are those
# of Debian's signed indexes. Compilers and libc are Debian's: g++, g++-aarch64-linux-gnu, g++-arm-linux-gnueabihf, g++-riscv64-linux-gnu.
set -eu
cd "$(dirname "$0")/.."

POOL=http://deb.debian.org/debian/pool/main
SOURCES="
0ff5a531c9ffaf0dfdc7dc78d13d1383088f454896d252934c429b2554d10559 z/zeromq3/zeromq3_4.3.4.orig.tar.gz
fbb0dcb4ffbf483d416d9af722db74ad4edd7004625ce10381e8cd3a71b6cd58 z/zeromq3/zeromq3_4.3.4-6.debian.tar.xz
d59323c6b712a1519a5daf710b68f5e7fde57040845ffec53850911f10a5d4f4 libs/libsodium/libsodium_1.0.18.orig.tar.gz
f410474e46346b06b162defa05b1be26906aeed6cf309e3d4ebe30b4d1350733 libs/libsodium/libsodium_1.0.18-1+deb12u1.debian.tar.xz
84ce1c2d0be3a9863935137969dcec6970125caac032f82474640bfc81463583 f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz"
DOWNLOADS=$PWD/build/sources
PATCHES=$PWD/scripts/patches
MOST_BYTES=2600000
ARCHITECTURES="x86_64 aarch64 armv7 riscv64"

triple_of() {
  case $1 in
    x86_64 | aarch64 | riscv64) echo "$1-linux-gnu" ;;
    armv7) echo arm-linux-gnueabihf ;;
    *) echo "build_runner.sh: $1 is not an architecture of the runner; $ARCHITECTURES are" >&2; return 1 ;;
  esac
}

# Debian's package; the host's own compiler is no cross compiler.
compiler_of() {
  case $1 in
    x86_64) echo g++ ;;
    *) echo "g++-$(triple_of "$1")" ;;
  esac
}

require_tools() {
  triple=$(triple_of "$1") || exit 2
  missing=
  for tool in "$triple-g++:$(compiler_of "$1")" autoreconf:autoconf automake:automake libtoolize:libtool curl:curl; do
    command -v "${tool%%:*}" >/dev/null || missing="$missing ${tool#*:}"
  done
  [ -z "$missing" ] && return 0
  echo "build_runner.sh: packages are missing; install them with: apt-get install --no-install-recommends$missing" >&2
  exit $cannot
}

fetch() {
  mkdir -p "$DOWNLOADS"
  echo "$SOURCES" | while read -r sha256 path; do
    [ -n "$sha256" ] || continue
    file=$DOWNLOADS/${path##*/}
    if [ ! -f "$file" ]; then
      echo "fetching $POOL/$path"
      curl -fsS --retry 3 -o "$file.part" "$POOL/$path" || exit $cannot
      mv "$file.part" "$file"
    fi
    if ! echo "$sha256  $file" | sha256sum --check --status; then
      echo "build_runner.sh: $file has another hash than it should; remove it and try again" >&2
      exit 1
    fi
  done
}

# unpack NAME: its source under ./NAME, with Debian's patches and ours.
unpack() {
  mkdir "$1"
  tar xf "$DOWNLOADS/$1"_*.orig.tar.gz -C "$1" --strip-components 1
  for changes in "$DOWNLOADS/$1"_*.debian.tar.xz; do
    [ -f "$changes" ] || continue
    tar xf "$changes" -C "$1"
    grep -v '^#' "$1/debian/patches/series" | while read -r patch; do
      patch -d "$1" -p1 -s <"$1/debian/patches/$patch"
    done
  done
  [ ! -f "$PATCHES/$1.patch" ] || patch -d "$1" -p1 -s <"$PATCHES/$1.patch"
}

# quietly NAME COMMAND...: its last lines when it fails.
quietly() {
  name=$1
  shift
  "$@" >>"$name.log" 2>&1 ||
    { tail -n 20 "$name.log" >&2; echo "build_runner.sh: $name does not build for $arch; see $PWD/$name.log" >&2; return 1; }
}

build_libsodium() {
  unpack libsodium
  (cd libsodium && autoreconf --install && ./configure --quiet --host="$triple" --prefix="$prefix" --enable-static --disable-shared \
    --disable-pie --disable-ssp CFLAGS="$FLAGS" && make -s -j"$JOBS" && make -s install)
}

# with_cmake NAME OPTION...
with_cmake() {
  source=$1
  shift
  unpack "$source"
  cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${triple%%-*}" \
    -DCMAKE_C_COMPILER="$triple-gcc" -DCMAKE_CXX_COMPILER="$triple-g++" -DCMAKE_C_FLAGS="$FLAGS" -DCMAKE_CXX_FLAGS="$FLAGS" \
    -DCMAKE_FIND_ROOT_PATH="$prefix" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@" &&
    cmake --build "$source/build" && cmake --install "$source/build"
}

# Its checks would run programs of the device's. Linux has had all of these since before 4.4.
build_libzmq() {
  set --
  for has in EVENTFD_CLOEXEC SOCK_CLOEXEC O_CLOEXEC SO_BINDTODEVICE SO_KEEPALIVE SO_PRIORITY TCP_KEEPALIVE TCP_KEEPCNT TCP_KEEPIDLE TCP_KEEPINTVL PTHREAD_SETNAME_2 PTHREAD_SET_AFFINITY \
    GETRANDOM; do
    set -- "$@" "-DZMQ_HAVE_$has=1"
  done
  PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig with_cmake zeromq3 -DWITH_LIBSODIUM=ON -DENABLE_CURVE=ON -DWITH_LIBBSD=OFF -DWITH_DOCS=OFF \
    -DWITH_PERF_TOOL=OFF -DBUILD_TESTS=OFF -DBUILD_SHARED=OFF -DENABLE_CPACK=OFF -DENABLE_PRECOMPILED=OFF "$@"
}

# It asks no locale how thousands are parted.
build_fmt() { with_cmake fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF -DCMAKE_CXX_FLAGS="$FLAGS -DFMT_STATIC_THOUSANDS_SEPARATOR=44"; }

# Done again when this script or a patch has changed.
build_sysroot() {
  stamp="$(cat "$0" "$PATCHES"/*.patch | sha256sum)"
  if [ "$(cat "$prefix/built" 2>/dev/null)" = "$stamp" ]; then return 0; fi
  echo "building the libraries of $arch"
  rm -rf "$prefix" "$prefix.work"
  mkdir -p "$prefix/include" "$prefix/share/cmake" "$prefix.work"
  # Headers alone, the same for every architecture.
  cp -r /usr/include/nlohmann "$prefix/include/"
  cp -r /usr/share/cmake/nlohmann_json "$prefix/share/cmake/"
  (
    cd "$prefix.work"
    quietly libsodium build_libsodium
    quietly zeromq build_libzmq
    quietly fmt build_fmt
  )
  rm -rf "$prefix.work"
  echo "$stamp" >"$prefix/built"
}

build_runner() {
  arch=$1
  triple=$(triple_of "$arch")
  prefix=$PWD/build/sysroot/$arch
  build_sysroot
  cmake --preset "runner-$arch" >"build/runner-$arch.log" 2>&1 && cmake --build --preset "runner-$arch" --target hone_runner_program >>"build/runner-$arch.log" 2>&1 ||
    { tail -n 30 "build/runner-$arch.log" >&2; return 1; }
  runner=build/runners/$arch/hone-runner
  mkdir -p "${runner%/*}"
  "$triple-strip" -o "$runner" "build/runner-$arch/bin/hone-runner"
  if readelf --program-headers --dynamic "$runner" | grep -E 'NEEDED|INTERP' >&2; then
    echo "build_runner.sh: $runner is not static" >&2
    return 1
  fi
  bytes=$(stat -c %s "$runner")
  echo "$runner: $bytes bytes"
  if [ "$bytes" -gt "$MOST_BYTES" ]; then
    echo "build_runner.sh: $runner is larger than $MOST_BYTES bytes" >&2
    return 1
  fi
}

FLAGS="-Os -g0 -ffunction-sections -fdata-sections"
JOBS=$(nproc)
cannot=1
if [ "${1:-}" = --if-possible ]; then
  cannot=77
  shift
fi
# shellcheck disable=SC2086  # one word per architecture
[ $# -gt 0 ] || set -- $ARCHITECTURES
for arch in "$@"; do require_tools "$arch"; done
fetch
for arch in "$@"; do build_runner "$arch"; done
