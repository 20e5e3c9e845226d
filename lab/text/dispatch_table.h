// Describes a built network: the source of each kernel's configuration, memory, and the expected time of a run.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compiler/build.h"
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

// The expected time of a run: sums over the plan's calls, in nanoseconds.
struct ExpectedTime {
  double recorded_ns = 0, estimated_ns = 0;  // by the kernels' records, or by estimates if they have none
  int recorded = 0, estimated = 0;           // calls of each
  int left_out = 0;                          // calls without an estimate, because the data decide how long they take
  std::set<std::string> ops = {};            // of the calls left out
  double ns() const { return recorded_ns + estimated_ns; }
};
ExpectedTime ExpectedOf(const BuildResult& result);
// The time of one call in nanoseconds; 0 if unknown.
double ExpectedNs(const BuildResult& result, const PlanCall& call);

// "expected 5.3 ms a run: 4.1 ms of 20 calls by records, 1.2 ms of 7 by estimate, without 1 call of topk". One line;
// empty if there are no calls.
std::string ExpectedText(const ExpectedTime& expected);
Json ExpectedJson(const ExpectedTime& expected);

}  // namespace hone
