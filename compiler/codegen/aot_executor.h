// The executor made ahead of time: a plan as one function of an object that needs nothing else.
//
//   NAME.o   .text    NAME_run: each call's operands, then its stages, in the plan's order
//                     the kernels' image (kernel_image.h)
//            .rodata  the parameters
//            .bss     what a run works in, unless it is given memory
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "compiler/codegen/kernel_image.h"
#include "core/plan.h"

namespace hone {

struct AotModel {
  const Plan& plan;
  const KernelImage& image;  // the package's kernels, which are those of the plan (runtime/match_kernels.h)
  std::string_view params;   // and parameters
  std::string name;          // what its symbols begin with: a name in C
};

// A relocatable object for the plan's target with the global function
//   int32_t NAME_run(const void* input_0, ..., void* output_0, ..., void* memory);
// for the inputs and outputs in the plan's order. It computes what a Session does, to the bit, on the caller's thread:
// with denormal numbers taken for zero, the caller's control word as it was afterwards. `memory`: null, for the
// object's own, in which one run is at a time; or AotMemoryBytes at a multiple of 64 that were zero before the first
// run. Returns 0, or the first code that a stage returned. The object refers to no other.
// Throws Error: kBadData when a kernel of the plan is not there, kBadConfig for a target whose
// code asks the system for more registers first, kUsage for a plan whose outputs' shapes follow from data and for more
// than 2 GiB, which is how far code reaches.
std::string EmitAotObject(const AotModel& model);

// What a run works in: arena and workspaces of one worker, a multiple of 64.
int64_t AotMemoryBytes(const Plan& plan);

}  // namespace hone
