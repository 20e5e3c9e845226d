// Prints the source of the configuration of each of a plan's kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/json/serialize.h"
#include "core/package/plan.h"
#include "tuner/record_config_source.h"

namespace hone {

// Losses of a plan's kernels, in their order; empty if none is known.
using KernelLosses = std::vector<std::optional<ExpectedLoss>>;

// One row per kernel with knobs: op, shape, calls, schedule, config, source, expected time, and the expected loss if
// any is known. A line about the other kernels follows.
std::string DispatchText(const Plan& plan, const KernelLosses& losses = {});
// One object per kernel, including those without knobs: core's Dispatch fields, op, shape and calls, and expected_loss
// if it is known.
Json DispatchJson(const Plan& plan, const KernelLosses& losses = {});
// The arena's size with its lower bound, and the parameters' size.
std::string MemoryText(const Plan& plan);
Json MemoryJson(const Plan& plan);
// "1x64x56x56 * 64x64x3x3 /2 +residual": data, weight, stride and fused operations of a workload's text. Returns the
// text itself if it does not parse.
std::string WorkloadShapeText(const std::string& workload);

}  // namespace hone
