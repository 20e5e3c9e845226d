// A kernel with known arithmetic and time, to judge machines and measurements by.
#pragma once

#include <cstdint>

#include "core/artifact.h"
#include "core/machine/target.h"

namespace hone {

struct FmaKernel {
  Artifact artifact;   // copies a 64-element input to the output, after the arithmetic
  Artifact reference;  // the same copy, with outputs as CompileReference's kernels
  double flops = 0;    // of one run, over all threads
};

// Each of `threads` work items runs `trips` iterations of independent fused multiply-adds that touch no memory. So it
// runs at the machine's peak, and apart from the launch its time is proportional to `trips`.
FmaKernel CompileFmaKernel(const Target& target, int64_t trips, int threads);

}  // namespace hone
