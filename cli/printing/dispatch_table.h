// Where each kernel of a plan got its configuration from.
#pragma once

#include <string>

#include "core/plan.h"
#include "core/serialize.h"

namespace hone {

// One row per kernel with knobs: op, shape, calls, schedule, config, source, expected time; then a line about the
// others.
std::string DispatchText(const Plan& plan);
// One object per kernel, those without knobs too: core's Dispatch fields, op, shape and calls.
Json DispatchJson(const Plan& plan);
// Arena against its lower bound, and parameters.
std::string MemoryText(const Plan& plan);
Json MemoryJson(const Plan& plan);
// "1x64x56x56 * 64x64x3x3 /2 +residual": data, weight, stride, what is fused; for the workload's text; the text itself
// when it does not parse.
std::string WorkloadShapeText(const std::string& workload);

}  // namespace hone
