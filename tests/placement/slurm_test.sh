#!/bin/bash
# Debian's Slurm on this machine as its one node: runners.sbatch's jobs join a tracker with keys, a job of a partition
# above pre-empts one while a tune runs on it, Slurm puts it back, and the tune ends with every trial it was to make.
# usage: slurm_test.sh HONE HONE_RUNNER SOURCES; ends with 77 where Slurm is missing or this user cannot start it.
set -euo pipefail
hone=$(realpath "$1") runner=$(realpath "$2") sources=$(realpath "$3")
for program in slurmctld slurmd sbatch munged; do
  PATH=$PATH:/usr/sbin
  if ! command -v $program > /dev/null; then echo "SKIPPED: no $program; slurm-wlm has it"; exit 77; fi
done
if [[ $(id -u) != 0 ]]; then echo "SKIPPED: only root can start Slurm's daemons"; exit 77; fi

work=$(mktemp -d /tmp/hone_slurm_XXXXXX)
chmod 755 "$work"
export SLURM_CONF=$work/slurm.conf HOME=$work/home HONE_RUNNER=$runner HONE=$hone
export XDG_CONFIG_HOME=$work/home/config XDG_DATA_HOME=$work/home/data
pids=()
stop() {
  scancel --quiet --user root 2> /dev/null || true
  sleep 1
  kill "${pids[@]}" 2> /dev/null || true
  wait 2> /dev/null || true
  [[ ! -f $work/munge/pid ]] || kill "$(cat "$work/munge/pid")" 2> /dev/null || true
  rm -rf "$work"
}
trap stop EXIT
fail() {
  echo "FAILED: $*"
  tail -n 20 "$work"/*.out "$work"/log/* || true
  exit 1
}
# wait_for SECONDS WHAT COMMAND: until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" > /dev/null 2>&1; do
    if ((SECONDS >= end)); then fail "$what did not come in time"; fi
    sleep 0.3
  done
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

start_slurm() {
  local host
  host=$(hostname -s)
  mkdir -p "$work"/{munge,log,home} "$work"/spool/{ctld,d}
  chmod 700 "$work/home"
  head -c 1024 /dev/urandom > "$work/munge/key"
  chmod 600 "$work/munge/key"
  chown -R munge "$work/munge"
  # A job that is put back waits until its old credentials have expired: 5 s here, else 2 minutes.
  cat > "$SLURM_CONF" <<CONF
ClusterName=hone
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
StateSaveLocation=$work/spool/ctld
SlurmdSpoolDir=$work/spool/d
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/d.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
SchedulerParameters=bf_interval=1,sched_interval=1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=boards Nodes=$host Default=YES MaxTime=2:00:00 PriorityTier=1 GraceTime=10 State=UP
PartitionName=urgent Nodes=$host MaxTime=10 PriorityTier=2 PreemptMode=OFF State=UP
CONF
  runuser -u munge -- munged --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
    --log-file="$work/munge/log" --seed-file="$work/munge/seed"
  slurmctld -D > "$work/log/slurmctld" 2>&1 &
  pids+=($!)
  wait_for 20 "slurmctld" scontrol ping
  slurmd -D > "$work/log/slurmd" 2>&1 &
  pids+=($!)
  wait_for 20 "the node" bash -c 'sinfo --noheader --format %T | grep -q idle'
}

start_tracker() {
  "$hone" key new --server > /dev/null
  "$hone" key new > /dev/null
  "$hone" key allow "$XDG_CONFIG_HOME/hone/identity.pub" --name cluster --role runner,tuner,viewer > /dev/null
  "$hone" tracker --bind 'tcp://127.0.0.1:*' --port-file "$work/address" > "$work/log/tracker" 2>&1 &
  pids+=($!)
  wait_for 10 "the tracker" test -s "$work/address"
  HONE_TRACKER=$(cat "$work/address")
  HONE_SERVER_KEY=$XDG_CONFIG_HOME/hone/tracker/secret.pub
  export HONE_TRACKER HONE_SERVER_KEY
}

devices() { "$hone" devices --json | python3 -c 'import json, sys; print(len(json.load(sys.stdin)["runners"]))'; }
has_runner() { [[ $(devices) == 1 ]]; }
has_none() { [[ $(devices) == 0 ]]; }
trials() { "$hone" log export --all --db "$work/records.db" | tail -n +2 | wc -l; }
has_trials() { (($(trials) >= $1)); }

start_slurm
start_tracker
cd "$work"
if HONE_TRACKER='' sbatch --wait --quiet --output "$work/refused.out" "$sources/scripts/slurm/runners.sbatch"; then
  fail "a job without a tracker ended well"
fi
grep -q 'HONE_TRACKER is not set' "$work/refused.out" || fail "nothing said what is missing"

# One element, so that the runner after the pre-emption is the job that was put back.
job=$(sbatch --parsable --array=0 --time=30 --output "$work/runner_%a.out" "$sources/scripts/slurm/runners.sbatch")
wait_for 60 "a runner" has_runner
"$hone" tune zoo:squeezenet --image-shape 3,64,64 --threads 1 --trials 400 --budget 200s \
  --finals kernels --db records.db --tracker "$HONE_TRACKER" --key boards > "$work/tune.out" 2>&1 &
tune=$!
wait_for 60 "a trial" has_trials 3
urgent=$(sbatch --parsable --partition urgent --exclusive --output /dev/null --wrap 'sleep 4')
wait_for 60 "the pre-emption" has_none
before=$(trials)
wait_for 90 "the runner after it" has_runner
wait $tune || fail "the tune ended with $?"
(($(trials) >= 400)) || fail "$(trials) trials of 400"
if "$hone" log list --db records.db --json | grep -q '"fate":"\(Crashed\|TimedOut\)"'; then fail "a pre-empted job is a verdict"; fi
scontrol show job "$urgent" | grep -q 'JobState=COMPLETED' || fail "the urgent job"

echo "pre-empted after $before trials, $(trials) at the end: passed"
