#!/bin/bash
# debian_session.sh CPACK CONFIG: installs the packages with apt in a new Debian 12 that holds nothing else. Types the
# README's session there, runs a package from Python, and removes everything again. Then runs the same session from the
# two wheels of build/wheels, beside only numpy. Ends with 77, which skips the test, where root, mmdebstrap, Debian's
# mirror, the wheels (scripts/build_wheel.sh) or pip's index are missing. MIRROR names another mirror.
set -euo pipefail
cd "$(dirname "$0")/../.."
sources=$PWD
config=$(realpath "$2")
cannot() { echo "$1" >&2; exit 77; }
[ "$(id -u)" = 0 ] || cannot "only root makes another root"
command -v mmdebstrap >/dev/null || cannot "there is no mmdebstrap"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mmdebstrap --quiet --variant=apt bookworm "$root" "${MIRROR:-http://deb.debian.org/debian}" || cannot "Debian's mirror cannot be reached"
(cd "$work" && "$1" --config "$config" -B debs -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >/dev/null && rm -r debs/_CPack_Packages)
cp -r "$work/debs" "$root/debs"

# in_root COMMAND...: runs it with a /proc of its own; prints the command as a page shows it.
in_root() {
  echo "\$ $*"
  env -i PATH="${venv:+$venv/bin:}/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    unshare --mount --pid --fork --root="$root" --mount-proc --wd=/root bash -c "$*"
}
# The README's session with a smaller time budget, on an image of zeros.
type_session() {
  python3 - "$root/root/image.npy" <<'END'
import struct, sys
header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 224, 224), }".ljust(117) + b"\n"
open(sys.argv[1], "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(4 * 3 * 224 * 224))
END
  local typed=0 line
  while read -r line; do
    in_root "$line"
    typed=$((typed + 1))
  done < <(sed -n '/squeezenet/{s/^\$ //p}' "$sources/README.md" | sed -e 's/   #.*//' -e 's/--budget 10m/--budget 20s/')
  [ "$typed" -eq 6 ] || { echo "the README's session has $typed lines with squeezenet" >&2; exit 1; }
}
# Runs the package that the session built; $1 is the Python module.
run_from_python() {
  in_root "python3 -c 'import $1, numpy; net = $1.load(\"squeezenet.hone\"); print($1.__version__, net(numpy.load(\"image.npy\")).shape)'"
}

in_root "apt-get update -qq"
in_root "apt-get install -y -qq --no-install-recommends /debs/*.deb >/dev/null"
type_session
in_root "dpkg --verify hone hone-runner libhone-runtime0 libhone-dev libhone-graph-dev python3-hone python3-hone-runtime"
run_from_python hone_runtime
run_from_python hone
in_root "apt-get purge -y -qq '*hone*' >/dev/null"
left=$(find "$root/usr" "$root/etc" -name '*hone*' | grep -v -e /share/zoneinfo -e '[Pp]hone' || true)
[ -z "$left" ] || { echo "left after purging: $left" >&2; exit 1; }

wheels=("$sources"/build/wheels/hone*.whl)
[ "${#wheels[@]}" -eq 2 ] || cannot "the packages passed; there are no two wheels in build/wheels (scripts/build_wheel.sh)"
rm -rf "${root:?}/root" && mkdir "$root/root" "$root/wheels" && cp "${wheels[@]}" "$root/wheels"
in_root "apt-get install -y -qq --no-install-recommends python3-venv ca-certificates >/dev/null"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/" # includes this machine's proxy
in_root "python3 -m venv /root/v && PIP_CERT=/etc/ssl/certs/ca-certificates.crt /root/v/bin/pip install -q numpy" || cannot "the packages passed; pip's index cannot be reached"
venv=/root/v
in_root "pip install -q --no-index /wheels/*.whl && pip list"
type_session
run_from_python hone_runtime
run_from_python hone
