#!/usr/bin/env bash
# Builds the libFuzzer targets, or runs one of them for some seconds, starting with its seeds (tests/fuzz/seeds).
#   scripts/fuzz.sh build
#   scripts/fuzz.sh NAME SECONDS
# Exits 77 if clang-19 or its libFuzzer is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() {
  echo "fuzz.sh: $1" >&2
  exit 77
}

usage() {
  echo "usage: scripts/fuzz.sh build | NAME SECONDS" >&2
  exit 2
}

# Without the library linking would fail, long after the first file.
require_clang() {
  command -v clang++-19 >/dev/null || skip "clang++-19 is not there (Debian's clang-19)"
  [ -e "$(clang++-19 -print-resource-dir)/lib/linux/libclang_rt.fuzzer-$(uname -m).a" ] ||
    skip "clang-19 has no libFuzzer here (Debian's libclang-rt-19-dev)"
}

build() {
  require_clang
  cmake --preset fuzz >/dev/null
  cmake --build --preset fuzz -j "$(nproc)"
}

run() {
  local name=$1 seconds=$2 program=build/fuzz/bin/hone_fuzz_$1
  [ -x "$program" ] || skip "$program is not built (scripts/fuzz.sh build)"
  local corpus=build/fuzz/corpus/$name words=()
  case "$name" in
    frame | job_message | tracker_state) words=(-dict=tests/fuzz/protocol.dict) ;;
    relay_text) words=(-dict=tests/fuzz/relay_text.dict) ;;
  esac
  mkdir -p "$corpus" build/fuzz/found
  # The limit for one input: a model may ask for a constant of 1 GiB, and the sanitizer needs as much again.
  exec "$program" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
    -artifact_prefix="build/fuzz/found/$name-" "${words[@]}" "$corpus" "tests/fuzz/seeds/$name"
}

case "$#:${1:-}" in
  1:build) build ;;
  2:*) run "$1" "$2" ;;
  *) usage ;;
esac
