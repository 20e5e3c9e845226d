#!/usr/bin/env bash
# Times the same models in hone, ONNX Runtime, OpenVINO, MNN and ncnn by `hone bench --runtime`: times, hone's speed-up
# from one thread to two, and the memory of a loaded model. Prints tables and writes them to build/peers/peers.md and
# .json.
#   bench/peers/run.sh [--models a,b,...] [--threads 1,2] [--tune 120s] [--seconds 3] [--onnx FOLDER] [--peers a,b,...]
# [--smoke]
# --peers takes what `hone runtime list` names, and paths of adapters. With tvm, requirements-tvm.txt is installed; with
# --tune, MetaSchedule gets as much time as hone.
# Needs Python 3 with venv; the packages of requirements.txt are installed in build/peers/venv. Exits 1 on a missed goal
# that bench/results/bounds.md does not name, and whenever hone is slower or outputs differ.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=build/peers
mkdir -p "$work"
if [ ! -x "$work/venv/bin/python" ]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet -r bench/peers/requirements.txt
  # pnnx converts models for ncnn. Its package asks for torch, but the program inside does not need it.
  "$work/venv/bin/pip" install --quiet --no-deps pnnx==20261020
fi
if [[ " $* " == *tvm* ]] && ! "$work/venv/bin/python" -c 'import tvm' 2>/dev/null; then
  "$work/venv/bin/pip" install --quiet -r bench/peers/requirements-tvm.txt
fi
cmake --preset release >/dev/null
cmake --build --preset release --target hone_program
exec "$work/venv/bin/python" bench/peers/compare.py --hone build/release --work "$work" "$@"
