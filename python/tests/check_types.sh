#!/bin/bash
# check_types.sh PYTHON FOLDER: runs mypy over hone and hone_runtime, as configured in pyproject.toml. FOLDER is for its
# cache, and for a virtual environment if this Python has no mypy. Exits 77 if pip's index cannot be reached.
set -euo pipefail
python=$1
mkdir -p "$2" && folder=$(realpath "$2")
cd "$(dirname "$0")/../.."
if ! "$python" -c 'import mypy, numpy' 2>/dev/null; then
  tools=$folder/tools
  if ! "$tools/bin/python" -c 'import mypy, numpy' 2>/dev/null; then
    "$python" -m venv "$tools" && "$tools/bin/pip" install -q --disable-pip-version-check mypy numpy ||
      { echo "SKIPPED: no mypy, and pip's index cannot be reached"; exit 77; }
  fi
  python=$tools/bin/python
fi
exec "$python" -m mypy --cache-dir "$folder/cache"
