#!/bin/sh
# package_runner.sh [--if-possible] [ARCH...]: Debian packages of the one-file runners that build_runner.sh builds, for aarch64, armv7 and
# riscv64 (all when none is named), at build/runners/ARCH/hone-runner_VERSION_DEBIANARCH.deb. --if-possible: as build_runner.sh takes it.
# x86_64 has none here: cpack's package hone-runner is for such machines.
set -eu
cd "$(dirname "$0")/.."

possible=
if [ "${1:-}" = --if-possible ]; then
  possible=$1
  shift
fi
[ $# -gt 0 ] || set -- aarch64 armv7 riscv64
for arch; do
  case $arch in
    aarch64 | armv7 | riscv64) ;;
    *) echo "package_runner.sh: $arch has no package of its runner; aarch64, armv7 and riscv64 have" >&2 && exit 2 ;;
  esac
done
# shellcheck disable=SC2086  # nothing, or one word
scripts/build_runner.sh $possible "$@"
for arch; do
  to=build/runners/$arch
  rm -f "$to"/*.deb
  cmake --build "build/runner-$arch" --target hone_sboms >/dev/null
  cpack --config "build/runner-$arch/CPackConfig.cmake" -B "$to" >"$to/cpack.log" ||
    { tail -n 20 "$to/cpack.log" >&2; exit 1; }
  rm -r "$to/_CPack_Packages" "$to/cpack.log"
  ls -l "$to"/*.deb
done
