#!/usr/bin/env bash
# Installs missing packages, builds the release preset and runs every test. Ends with ctest's own summary.
#   scripts/test.sh [--no-install] [-- CTEST-ARGUMENTS...]
# HONE_LABELS: a regular expression of test labels; only matching tests run.
# HONE_TENTH: a number; that tenth of the test programs first runs under the address and undefined-behaviour sanitizers.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/install_packages.sh

install=()
if [ "${1:-}" = "--no-install" ]; then
  install=(--no-install)
  shift
fi
[ "${1:-}" = "--" ] && shift

# These are only for tests: servers, packaging tools, and the tools with which scripts/build_runner.sh builds the
# one-file runners of the usual tests. The demo does without them, because the servers' Debian packages start services.
HONE_PACKAGES="$HONE_PACKAGES postgresql slurm-wlm dpkg-dev g++-aarch64-linux-gnu autoconf automake libtool curl"
install_packages "${install[@]}"
# Programs that read hone's files; without a network, the tests that run them are skipped.
if [ ${#install[@]} -eq 0 ] && [ ! -d build/readers ]; then
  python3 -m pip install --quiet --root-user-action ignore --target build/readers -r tests/peers/readers/requirements.txt ||
    echo "test.sh: no readers in build/readers; tests that ask them are skipped" >&2
fi
cmake --preset release >/dev/null
cmake --build --preset release
[ -n "${HONE_TENTH:-}" ] && scripts/sanitize.sh asan --tenth "$HONE_TENTH"
labels=()
[ -n "${HONE_LABELS:-}" ] && labels=(-L "$HONE_LABELS")
exec ctest --preset release "${labels[@]}" "$@"
