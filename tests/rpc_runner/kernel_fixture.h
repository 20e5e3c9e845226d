// Jobs made of the hand-written kernels in kernels/.
#pragma once

#include <string>

#include "rpc_runner/runner.h"

namespace hone {

// "dense", "dense_loop", ...: the kernel of that file with its reference, one thread, a few short samples.
KernelJob DenseJob(const std::string& kernel = "dense");
// "twice" or "twice_lanes", on NCHW16c with a tail.
KernelJob TwiceJob(const std::string& kernel = "twice");

// Submits and waits.
Measurement RunJob(Runner& runner, KernelJob job);

}  // namespace hone
