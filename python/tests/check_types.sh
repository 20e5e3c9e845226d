#!/bin/bash
# check_types.sh PYTHON FOLDER: mypy, as pyproject.toml has it, over hone and hone_runtime. FOLDER is for its cache, and for a virtual environment when
# this Python has no mypy. Ends with 77 where pip's index cannot be reached.
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
