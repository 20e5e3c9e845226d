// Jobs made of the hand-written kernels in kernels/.
#pragma once

#include <string>

#include "rpc_runner/runner.h"

namespace hone {

// The kernel of the file "dense", "dense_loop", ... with its reference, one thread and a few short samples.
KernelJob DenseJob(const std::string& kernel = "dense");
// The kernel "twice" or "twice_lanes", on NCHW16c with a tail.
KernelJob TwiceJob(const std::string& kernel = "twice");

// Submits the job and waits for its result.
Measurement RunJob(Runner& runner, KernelJob job);

}  // namespace hone
