// Where each kernel of a plan got its configuration from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/plan.h"
#include "core/serialize.h"
#include "tuner/record_config_source.h"

namespace hone {

// Of a plan's kernels, in their order; empty where nothing is known of any.
using KernelLosses = std::vector<std::optional<ExpectedLoss>>;

// One row per kernel with knobs: op, shape, calls, schedule, config, source, expected time, and where any is known the
// expected loss; then a line about the others.
std::string DispatchText(const Plan& plan, const KernelLosses& losses = {});
// One object per kernel, those without knobs too: core's Dispatch fields, op, shape and calls, and expected_loss where
// it is known.
Json DispatchJson(const Plan& plan, const KernelLosses& losses = {});
// Arena against its lower bound, and parameters.
std::string MemoryText(const Plan& plan);
Json MemoryJson(const Plan& plan);
// "1x64x56x56 * 64x64x3x3 /2 +residual": data, weight, stride, what is fused; for the workload's text; the text itself
// when it does not parse.
std::string WorkloadShapeText(const std::string& workload);

}  // namespace hone
