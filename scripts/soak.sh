#!/usr/bin/env bash
# Repeats the fleet's fault tests as often as their goals ask, fuzzes each target for a minute ($FUZZ_SECONDS), and
# measures the fleet's goals: about an hour. Prints each task, how often it ran and the verdict; exits 1 if a row was
# missed. Leaves logs in build/soak.
set -euo pipefail
cd "$(dirname "$0")/.."

logs=build/soak
seconds=${FUZZ_SECONDS:-60}
missed=0
mkdir -p "$logs"

# row LOG WHAT COUNT COMMAND...
row() {
  local log=$logs/$1.log what=$2 count=$3 verdict=met
  shift 3
  "$@" >"$log" 2>&1 || { verdict="MISSED, see $log" && missed=1; }
  printf '%-58s %11s  %s\n' "$what" "$count" "$verdict"
}

soak() { row "$1" "$2" "$3" ctest --test-dir build/release --verbose --no-tests=error -R "^fleet\.soak\.$1\$"; }

cmake --preset release >"$logs/build.log"
cmake --build --preset release --target counted_faults_test faulty_network_test health_simulation_test hostile_candidates_test \
  keys_test ranged_graphs_test hone_bench_fleet_goals hone_bench_neighbour \
  >>"$logs/build.log"
soak bad_candidates "bad candidates, each kind: right fate, same executor" 1,000
soak mutants "kernels with one wrong bit: none believed that is wrong" 10,000
soak hostile_candidates "33 hostile candidates, as root and not: nothing gained" 100
soak timeouts "3 kernels that do not end: ended at their deadline" 100
soak health_simulation "days of noise: at most 1 % quarantined falsely" 1,000
soak killed_executor "executor killed: no job lost" 100
soak killed_runner "runner killed in mid-job: no false fate" 100
soak lost_tracker "tracker begun anew under load: no false fate" 100
soak cut_connections "connection closed at a byte of an exchange, each side" 512
soak stalled_connections "connection stalled at a byte of an exchange, each side" 256
row ranged_graphs "graphs of ranged dimensions, each at six lengths" 3,000 \
  ctest --test-dir build/release --verbose --no-tests=error -R '^end_to_end\.soak\.ranged_graphs$'
soak odd_frames "odd frames of an admitted peer: served, memory bounded" 1,000,000

if command -v clang++-19 >/dev/null; then
  cmake --preset fuzz >"$logs/build_fuzz.log"
  cmake --build --preset fuzz --target hone_fuzz_frame hone_fuzz_job_message hone_fuzz_onnx hone_fuzz_package \
    hone_fuzz_record hone_fuzz_relay_text hone_fuzz_tracker_state >>"$logs/build_fuzz.log"
  for target in frame job_message onnx package record relay_text tracker_state; do
    dict=tests/fuzz/protocol.dict
    [ "$target" = relay_text ] && dict=tests/fuzz/relay_text.dict
    # New inputs are kept for the next time, apart from the seeds.
    mkdir -p "$logs/corpus_$target"
    row "fuzz_$target" "fuzzed: $target" "$seconds s" "build/fuzz/bin/hone_fuzz_$target" -max_total_time="$seconds" \
      -rss_limit_mb=2048 -artifact_prefix="$logs/${target}_" -dict="$dict" \
      "$logs/corpus_$target" "tests/fuzz/seeds/$target"
  done
else
  echo "clang++-19 is not installed: nothing is fuzzed" >&2
fi

build/release/bin/hone_bench_neighbour 400 || missed=1
build/release/bin/hone_bench_fleet_goals || missed=1
exit "$missed"
