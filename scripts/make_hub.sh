#!/usr/bin/env bash
# Makes the hub, the pack that is installed with hone, from the logs in hub/. The same logs give the same bytes.
#   scripts/make_hub.sh HONE OUT.honepack
# HONE is the program that makes it. The build runs this script itself (target hone_hub).
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 HONE OUT.honepack" >&2; exit 2; }
hone=$1
out=$2
logs=$(cd "$(dirname "$0")/../hub" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The user's own settings must not matter here.
unset HONE_DB HONE_HUB HONE_THREADS
"$hone" log import --db "$work/hub.db" "$logs"/*.log >"$work/imported" 2>"$work/notes" ||
  { cat "$work/imported" "$work/notes" >&2; exit 65; }
"$hone" log pack --db "$work/hub.db" --name hub --by "hone's own logs, hub/*.log" -o "$work/hub.honepack" >/dev/null 2>"$work/notes" ||
  { cat "$work/notes" >&2; exit 65; }
mkdir -p "$(dirname "$out")"
mv "$work/hub.honepack" "$out"
