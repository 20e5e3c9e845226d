#!/usr/bin/env bash
# Builds tests with a sanitizer and runs them. Ends with ctest's own summary.
#   scripts/sanitize.sh asan|tsan [--tenth N] [-- CTEST-ARGUMENTS...]
# --tenth N: every tenth test program, beginning with the (N mod 10 + 1)th, so that ten successive N run each program
# once.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  echo "usage: scripts/sanitize.sh asan|tsan [--tenth N] [-- CTEST-ARGUMENTS...]" >&2
  exit 2
}

preset=${1:-}
case "$preset" in
  asan) cmake --preset "$preset" >/dev/null
    # ctest's names begin with the name of a test program. The two that start a server are run by ctest tests of db and
    # programs, which build them.
    mapfile -t programs < <(cmake --build --preset "$preset" --target help | sed -n 's/^\([a-z_]*\)_test: phony$/\1/p' |
      grep -vx -e db_server -e shared_server | sort -u) ;;
  # The rooms with threads.
  tsan) cmake --preset "$preset" >/dev/null
    programs=(runtime tuner rpc_values rpc_runner rpc_fleet counted_faults faulty_network keys health program_upgrade) ;;
  *) usage ;;
esac
shift
if [ "${1:-}" = "--tenth" ]; then
  [[ "${2:-}" =~ ^[0-9]+$ ]] || usage
  tenth=$((10#$2 % 10))
  for i in "${!programs[@]}"; do
    [ $((i % 10)) -eq "$tenth" ] || unset "programs[$i]"
  done
  shift 2
fi
[ "${1:-}" = "--" ] && shift
[ ${#programs[@]} -gt 0 ] || { echo "no program of tests in this tenth"; exit 0; }

cmake --build --preset "$preset" --target "${programs[@]/%/_test}"
exec ctest --preset "$preset" -R "^($(IFS='|'; echo "${programs[*]}"))\." "$@"
