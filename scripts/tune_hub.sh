#!/usr/bin/env bash
# Tunes networks of the zoo for the hub and writes this machine's best records to hub/MACHINE.log. Tunes for its own
# instructions and for AVX2 only, at 1 and 2 threads. May be stopped and run again: WORK keeps every trial.
#   scripts/tune_hub.sh HONE MACHINE WORK [BUDGET [NETWORK...]]
# BUDGET is per network, target and number of threads (12m). Needs an otherwise idle machine.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: $0 HONE MACHINE WORK [BUDGET [NETWORK...]]" >&2; exit 2; }
hone=$1
machine=$2
work=$3
budget=${4:-12m}
networks=("${@:5}")
[ ${#networks[@]} -gt 0 ] || networks=(squeezenet resnet-18 mobilenet_v2)
case $machine in
  *[!a-z0-9-]* | '') echo "$0: MACHINE is given '$machine'; right is a name as amd-zen4: a to z, digits and -" >&2; exit 2 ;;
esac
hub=$(cd "$(dirname "$0")/../hub" && pwd)
# The user's own settings must not matter here.
unset HONE_DB HONE_HUB HONE_THREADS HONE_TRACKER HONE_KEY
mkdir -p "$work"
db=$work/hub.db
# Records of AVX2 code are made on this machine too: they serve machines of its kind whose AVX-512 is hidden.
targets=(host)
if grep -qw avx512f /proc/cpuinfo; then targets+=(x86-64-v3); fi
for network in "${networks[@]}"; do
  for target in "${targets[@]}"; do
    for threads in 1 2; do
      [ "$threads" -le "$(nproc)" ] || continue
      echo "$network, $target, $threads threads, $budget" >&2
      "$hone" tune "zoo:$network" --target "$target" --threads "$threads" --budget "$budget" --db "$db" >>"$work/tuned" 2>>"$work/notes" ||
        { tail -n 1 "$work/notes" >&2; exit 65; }
    done
  done
done
"$hone" log export --best --db "$db" -o "$hub/$machine.log" 2>>"$work/notes"
"$(dirname "$0")/make_hub.sh" "$hone" "$work/hub.honepack"
echo "$hub/$machine.log and $work/hub.honepack written: $(stat -c %s "$work/hub.honepack") bytes" >&2
