#!/usr/bin/env bash
# Builds every test with a sanitizer and runs them, or a tenth of them. Ends with ctest's own summary.
#   scripts/sanitize.sh asan|tsan [--tenth N] [-- CTEST-ARGUMENTS...]
# --tenth N: every tenth test, beginning with the (N mod 10 + 1)th, so that ten different N run each test once.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  echo "usage: scripts/sanitize.sh asan|tsan [--tenth N] [-- CTEST-ARGUMENTS...]" >&2
  exit 2
}

preset=${1:-}
case "$preset" in
  asan) targets=(all) chosen=() ;;
  # The rooms that have threads.
  tsan)
    targets=(runtime_test rpc_values_test rpc_runner_test tuner_test)
    chosen=(-R '^(runtime|rpc_values|rpc_runner|tuner)\.')
    ;;
  *) usage ;;
esac
shift
if [ "${1:-}" = "--tenth" ]; then
  [[ "${2:-}" =~ ^[0-9]+$ ]] || usage
  chosen+=(-I "$((10#$2 % 10 + 1)),,10")
  shift 2
fi
[ "${1:-}" = "--" ] && shift

cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" --target "${targets[@]}"
exec ctest --preset "$preset" "${chosen[@]}" "$@"
