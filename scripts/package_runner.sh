#!/bin/sh
# package_runner.sh [--if-possible] [ARCH...]: makes Debian packages of build_runner.sh's one-file runners for aarch64,
# armv7 and riscv64 (all if none is named). They are at build/runners/ARCH/hone-runner_VERSION_DEBIANARCH.deb.
# --if-possible: see build_runner.sh. There is none for x86_64, whose package hone-runner is made by cpack.
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
