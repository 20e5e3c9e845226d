#!/bin/bash
# versions.sh [PYTHON...]: runs the tests of this folder against the two wheels of build/wheels with each Python. The
# default is every release from 3.9 on that is on PATH or among pyenv's. Each gets a virtual environment with both
# wheels, numpy, onnx, onnxscript, pytest, tqdm and pandas. HONE_TORCH_INDEX adds torch: it names an index of torch's
# CPU wheels, since the others are gigabytes. Prints a line for each Python, and what was skipped. Exits 77 if there are
# no two wheels (scripts/build_wheel.sh), no Python, or no index.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
wheels=("$here"/../../build/wheels/hone-*.whl "$here"/../../build/wheels/hone_runtime-*.whl)
cannot() { echo "SKIPPED: $1"; exit 77; }
for wheel in "${wheels[@]}"; do
  [ -f "$wheel" ] || cannot "there are no two wheels in build/wheels; scripts/build_wheel.sh makes them"
done

# python_release PYTHON: its release, as "3.13", if it has the modules that make virtual environments.
python_release() { "$1" -c 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
if [ $# -eq 0 ]; then
  declare -A found=()
  for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 $(compgen -c python3. | sort -u) python3; do
    release=$(python_release "$python") && [ "${release#3.}" -ge 9 ] && found[$release]=$python
  done
  mapfile -t releases < <(printf '%s\n' "${!found[@]}" | sort -V)
  for release in "${releases[@]}"; do [ -z "$release" ] || set -- "$@" "${found[$release]}"; done
fi
[ $# -gt 0 ] || cannot "no Python from 3.9 on makes virtual environments"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
for python; do
  "$python" -m venv v
  v/bin/pip install -q --disable-pip-version-check numpy onnx onnxscript pytest tqdm pandas || cannot "pip's index cannot be reached"
  [ -z "${HONE_TORCH_INDEX:-}" ] || v/bin/pip install -q --disable-pip-version-check --index-url "$HONE_TORCH_INDEX" torch
  v/bin/pip install -q --disable-pip-version-check --no-index "${wheels[@]}"
  v/bin/python -c 'import sys, numpy, onnx; print("Python %d.%d.%d" % sys.version_info[:3], "numpy", numpy.__version__, "onnx", onnx.__version__)'
  env -u HONE_LIBRARY -u HONE_PROGRAM -u PYTHONPATH HONE_HAS_EXTENSION=1 \
    v/bin/python -B -m pytest -q -rs -p no:cacheprovider "$here"/test_{docs,program,session}.py || failed=1
  rm -rf v
done
exit $failed
