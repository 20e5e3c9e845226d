// From the optimised module to a Plan: kernels, buffers, calls, memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "compiler/plan/param_bytes.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/package/plan.h"

namespace hone {

class CompiledKernels;

struct Lowered {
  Plan plan;
  std::vector<std::string> objects;      // the result of KernelTable::TakeObjects: the lib's parts
  ParamBytes params;                     // the params section, at the offsets in plan.buffers
  std::vector<std::string> kernel_keys;  // for plan.kernels: the result of KernelTable::Keys
  std::vector<double> estimate_ns;       // for plan.kernels: the result of KernelTable::EstimatesNs
  double flops = 0;
};

// Lowers the result of RunPasses, in which every call in main is to a primitive function. A reshape of row-major data
// is a view, not a kernel. A concatenation lets producers write into their slices (buffer_view.h). Constants of
// equal type, layout included, and equal bytes are one parameter. Deterministic: buffers, calls and kernels come in
// post order. The plan is proved (check_plan.h). Throws Error(kBadData) naming a node that cannot be lowered.
//
// `kernels`, if given, are of earlier builds for the same target. They are not compiled again, and new ones join them.
Lowered Lower(const relay::IRModule& optimized, const BuildContext& context, CompiledKernels* kernels = nullptr);
// Lower without the kernels' code: no objects, and plan.kernels without stages, workspaces and hashes of code.
Lowered LowerWithoutCode(const relay::IRModule& optimized, const BuildContext& context);

// Bytes to which offsets of parameters and of arena buffers are aligned.
inline constexpr int64_t kBufferAlign = 64;

// Assigns arena offsets (aligned to kBufferAlign) by lifetime, best fit in order of size; sets arena_bytes and
// live_bound_bytes.
void PlanMemory(Plan& plan);

}  // namespace hone
