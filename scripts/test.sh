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

# These are only for tests; the demo does without them. There are servers, whose Debian packages start services, and
# programs that read hone's files: shells, checkers of packages and units, other benchmarks. The compilers make one-file
# runners (scripts/build_runner.sh) and programs for boards.
HONE_PACKAGES="$HONE_PACKAGES postgresql slurm-wlm dpkg-dev autoconf automake libtool curl
  g++-aarch64-linux-gnu g++-arm-linux-gnueabihf g++-riscv64-linux-gnu
  zsh fish lintian systemd nodejs libbenchmark-tools python3-pip python3-venv python3-yaml"
# Chromium shows the pages in the tests with the label browser; npm, which may come with another nodejs, fetches what
# checks them.
HONE_PACKAGES="$HONE_PACKAGES chromium"
command -v npm >/dev/null || HONE_PACKAGES="$HONE_PACKAGES npm"
install_packages "${install[@]}"
# Python packages that read hone's files or run the same models. Without a network, the tests that ask them are skipped.
readers=tests/peers/readers/requirements.txt
if [ ${#install[@]} -eq 0 ] && ! cmp -s "$readers" build/readers/requirements.txt; then
  rm -rf build/readers.new
  if python3 -m pip install --quiet --root-user-action ignore --target build/readers.new -r "$readers"; then
    cp "$readers" build/readers.new/
    rm -rf build/readers
    mv build/readers.new build/readers
  else
    echo "test.sh: not all of $readers is in build/readers; tests that ask for it are skipped" >&2
  fi
fi
if [ ${#install[@]} -eq 0 ]; then
  # Tests in the browser then fail where they would be skipped.
  export HONE_REQUIRE_BROWSER=1
  if [ ! -d build/browser/node_modules ]; then
    mkdir -p build/browser
    cp tests/cli/pages/package.json tests/cli/pages/package-lock.json build/browser/
    npm ci --silent --no-audit --no-fund --prefix build/browser
  fi
fi
cmake --preset release >/dev/null
cmake --build --preset release
[ -n "${HONE_TENTH:-}" ] && scripts/sanitize.sh asan --tenth "$HONE_TENTH"
labels=()
[ -n "${HONE_LABELS:-}" ] && labels=(-L "$HONE_LABELS")
exec ctest --preset release "${labels[@]}" "$@"
