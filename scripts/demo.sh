#!/usr/bin/env bash
# The whole workflow: builds hone, tunes ResNet-18 through a tracker and a runner on this machine, builds the model
# without and with the records, and compares both. Writes only under build/. May be repeated: a later run finds the
# records.
#   scripts/demo.sh [--no-install]
# HONE_DEMO_MODEL (zoo:resnet-18) and HONE_DEMO_BUDGET (150s) choose another model or time.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/install_packages.sh

model=${HONE_DEMO_MODEL:-zoo:resnet-18}
budget=${HONE_DEMO_BUDGET:-150s}
bin=build/release/bin
work=build/demo
# The user's own keys are not used, and the runner's speed history stays here too.
export XDG_CONFIG_HOME="$PWD/$work" XDG_STATE_HOME="$PWD/$work"
key=demo

children=()
stop_children() {
  local pid
  for pid in "${children[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${children[@]}"; do wait "$pid" 2>/dev/null || true; done
}
trap stop_children EXIT

step() { printf '\n== %s\n' "$*"; }

# Waits until the file has content; fails if the process that writes it has ended.
wait_for_file() {
  local file=$1 pid=$2
  for _ in $(seq 100); do
    [ -s "$file" ] && return 0
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "the process that should write $file ended or is too slow" >&2
  return 1
}

wait_for_runner() {
  for _ in $(seq 100); do
    "$bin/hone" devices --tracker "$tracker" --json | grep -q "\"key\":\"$key\"" && return 0
    sleep 0.1
  done
  echo "no runner came to the tracker" >&2
  return 1
}

step "Build hone"
install_packages "$@"
cmake --preset release >/dev/null
cmake --build --preset release --target hone_program hone_runner_program
mkdir -p "$work"
"$bin/hone" --version

step "Start a tracker and a runner on this machine"
rm -f "$work/tracker.address"
"$bin/hone" tracker --bind 'tcp://127.0.0.1:*' --port-file "$work/tracker.address" 2>"$work/tracker.log" &
children+=($!)
wait_for_file "$work/tracker.address" "${children[0]}"
tracker=$(cat "$work/tracker.address")
"$bin/hone-runner" --tracker "$tracker" --key "$key" 2>"$work/runner.log" &
children+=($!)
wait_for_runner
"$bin/hone" devices --tracker "$tracker"

step "Tune $model for $budget; every trial is kept in $work/records.db"
"$bin/hone" tune "$model" --tracker "$tracker" --key "$key" --budget "$budget" --db "$work/records.db"

step "Build it without records, then with them"
"$bin/hone" build "$model" -o "$work/default.hone" --no-records >/dev/null
"$bin/hone" build "$model" -o "$work/tuned.hone" --db "$work/records.db"

step "Run both on the same input"
"$bin/hone" run "$work/default.hone" --fill random
"$bin/hone" run "$work/tuned.hone" --fill random

step "Compare the tuned package with the reference"
"$bin/hone" verify "$model" "$work/tuned.hone"

step "Time both, interleaved"
"$bin/hone" bench "$work/default.hone" "$work/tuned.hone"
