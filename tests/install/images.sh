#!/bin/bash
# images.sh CPACK CONFIG: the stages of docker/Dockerfile, built by buildah without a daemon. This build's cpack output
# replaces the stage `build`, which compiles, and mmdebstrap makes debian:12. Tests the content of the images. Ends with
# 77, which skips the test, where a tool or Debian's mirror is missing. MIRROR names another mirror.
set -euo pipefail
cd "$(dirname "$0")/../.."
sources=$PWD
cannot() { echo "$1" >&2; exit 77; }
[ "$(id -u)" = 0 ] || cannot "only root makes another root"
for tool in buildah mmdebstrap cc; do command -v $tool >/dev/null || cannot "there is no $tool"; done

work=$(mktemp -d)
config=$(realpath "$2")
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs
images() { buildah --root "$work/images" --runroot "$work/running" "$@"; }
trap 'images rm --all >/dev/null; rm -rf "$work"' EXIT
debs=$work/build/src/build/release
mkdir -p "$debs"
(cd "$debs" && "$1" --config "$config" -B . -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >/dev/null && rm -r _CPack_Packages)
mmdebstrap --quiet --variant=apt bookworm "$work/base.tar" "${MIRROR:-http://deb.debian.org/debian}" || cannot "Debian's mirror cannot be reached"
base=$(images from scratch)
images add -q "$base" "$work/base.tar" / >/dev/null
images commit -q "$base" docker.io/library/debian:12 >/dev/null
images tag docker.io/library/debian:12 docker.io/library/debian:12-slim
for stage in runtime runner hone; do
  images build -q --pull-never --build-context build="$work/build" --target $stage -t hone-$stage -f docker/Dockerfile "$sources" >/dev/null
done

# in_image STAGE COMMAND...: runs it in a container of its own.
in_image() {
  local container
  container=$(images from --pull-never "localhost/hone-$1")
  [ "$1" != runtime ] || images copy -q "$container" "$work/run_package" "$work/model.hone" / >/dev/null
  shift
  images run "$container" -- "$@"
}
in_image runner hone-runner --version | grep '^hone-runner '
in_image hone hone --version | grep '^hone '
bin=$(dirname "$config")/bin
"$bin/hone" build zoo:mlp --image-shape 1,14,14 --no-records -o "$work/model.hone" >/dev/null 2>&1
dpkg-deb --extract "$debs"/libhone-runtime0_*.deb "$work/installed"
dpkg-deb --extract "$debs"/libhone-dev_*.deb "$work/installed"
cc runtime/example/run_package.c -I"$work/installed/usr/include" -L"$work/installed/usr/lib" -lhone -o "$work/run_package"
in_image runtime /run_package /model.hone | grep '^output0: '
container=$(images from --pull-never localhost/hone-runtime)
bytes=$(du -sb "$(images mount "$container")" | cut -f 1)
echo "the runtime's image holds $bytes bytes"
[ "$bytes" -lt 20000000 ] || { echo "20000000 would be right" >&2; exit 1; }
