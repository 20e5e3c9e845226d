"""TVM's side of the preparation: tunes an ONNX model, and compiles it to a shared library.

tvm_library.py tune MODEL THREADS FOLDER: searches with MetaSchedule until it is stopped. Results appear in FOLDER once
every task was tried, and more are added from then on.
tvm_library.py build MODEL THREADS LIBRARY [FOLDER]: compiles with the results in FOLDER, or with TVM's defaults.
"""
import os
import sys

import onnx
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx
from tvm.s_tir.meta_schedule import relax_integration
from tvm.s_tir.meta_schedule.database import JSONDatabase
from tvm.target.codegen import llvm_get_system_cpu


def target_of(threads):
    return tvm.target.Target({"kind": "llvm", "mcpu": llvm_get_system_cpu(), "num-cores": threads})


def imported(path):
    """The model with its weights as constants."""
    return from_onnx(onnx.load(path), keep_params_in_input=False)


def module_of(path, target):
    """The legalized and fused module, from which MetaSchedule takes its tasks."""
    with target:
        return relax.get_pipeline("zero")(imported(path))


def tune(path, threads, folder):
    target = target_of(threads)
    endless = 1 << 30
    relax_integration.tune_relax(module_of(path, target), {}, target, folder, max_trials_global=endless,
                                 num_trials_per_iter=16)


def build(path, threads, library, folder=""):
    target = target_of(threads)
    if folder and os.path.exists(os.path.join(folder, "database_workload.json")):
        # compile_relax legalizes and fuses by itself. The database would not recognise the functions of a module that
        # is fused already.
        compiled = relax_integration.compile_relax(JSONDatabase(work_dir=folder), imported(path), target, None,
                                                   enable_warning=True)
    else:
        with target:
            compiled = tvm.compile(module_of(path, target), target=target)
    compiled.export_library(library)


if __name__ == "__main__":
    {"tune": tune, "build": build}[sys.argv[1]](sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
