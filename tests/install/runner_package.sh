#!/bin/sh
# runner_package.sh ARCH DEBIANARCH: the package with an architecture's one-file runner is for that architecture, has no
# dependencies, and its runner works under emulation. Ends with 77, which skips the test, where a compiler, the sources
# or the emulator is missing.
set -eu
cd "$(dirname "$0")/../.."
fail() { echo "runner_package.sh: $1" >&2; exit 1; }

command -v "qemu-$1-static" >/dev/null || { echo "there is no qemu-$1-static" >&2; exit 77; }
scripts/package_runner.sh --if-possible "$1" || exit $?
deb=$(echo "build/runners/$1"/*.deb)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
[ "$(dpkg-deb --field "$deb" Package Architecture)" = "Package: hone-runner
Architecture: $2" ] || fail "$deb is not hone-runner for $2"
[ -z "$(dpkg-deb --field "$deb" Depends)" ] || fail "$deb depends on something"
dpkg-deb --extract "$deb" "$root"
said=$("qemu-$1-static" "$root/usr/bin/hone-runner" --version)
case $said in
  "hone-runner $(dpkg-deb --field "$deb" Version)"*) ;;
  *) fail "it says: $said" ;;
esac
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error "$deb" || fail "lintian finds errors in $deb"
fi
