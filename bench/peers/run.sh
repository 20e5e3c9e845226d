#!/usr/bin/env bash
# Measures the same models in hone, ONNX Runtime, OpenVINO, MNN and ncnn, interleaved in one run: times, hone's speed-up
# from one thread to two, and the memory of a loaded model. Prints tables and writes them to build/peers/peers.md and
# .json.
#   bench/peers/run.sh [--models a,b,...] [--threads 1,2] [--tune 120s] [--seconds 3] [--onnx FOLDER] [--peers a,b,...]
# [--smoke]
# With --peers onnxruntime,tvm TVM runs too; requirements-tvm.txt is then installed. With --tune, MetaSchedule gets as
# much time as hone.
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
cmake --build --preset release --target hone_program hone_runner_program hone_shared
exec "$work/venv/bin/python" bench/peers/compare.py --hone build/release --work "$work" "$@"
