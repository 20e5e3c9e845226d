// A kernel whose arithmetic and time are known: what machines and measurements are judged with.
#pragma once

#include <cstdint>

#include "core/artifact.h"
#include "core/target.h"

namespace hone {

struct FmaKernel {
  Artifact artifact;   // a 64-element input copied to the output, after the arithmetic
  Artifact reference;  // the same copy, as CompileReference's are
  double flops = 0;    // of one run, all threads together
};

// Each of `threads` work items runs `trips` iterations of independent fused multiply-adds that touch no memory: at the
// machine's peak, and as long as `trips` says but for the launch.
FmaKernel CompileFmaKernel(const Target& target, int64_t trips, int threads);

}  // namespace hone
