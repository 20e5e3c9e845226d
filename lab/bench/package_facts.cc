#include "lab/bench/package_facts.h"

#include <algorithm>
#include <set>

#include "core/hash/hash.h"
#include "core/nth.h"
#include "core/workload.h"

namespace hone {
namespace {

const Dispatch& DispatchOf(const Plan& plan, const PlanCall& call) { return Nth(plan.kernels, call.kernel).dispatch; }

}  // namespace

std::string PrecisionOf(const Plan& plan) {
  std::set<std::string> types;
  for (const PlanKernel& kernel : plan.kernels) {
    if (kernel.dispatch.workload.empty()) continue;
    types.emplace(DTypeName(Workload::Parse(kernel.dispatch.workload).types.weight));
  }
  std::string text;
  for (const std::string& type : types) text += (text.empty() ? "" : "+") + type;
  return text.empty() ? "float32" : text;
}

int64_t ImagesOf(const Plan& plan) {
  if (plan.inputs.empty()) return 1;
  const Shape& shape = Nth(plan.buffers, plan.inputs.front()).shape;
  return shape.empty() ? 1 : std::max<int64_t>(1, shape.front());
}

double FlopsOf(const Plan& plan) {
  double flops = 0;
  for (const PlanCall& call : plan.calls) flops += call.flops;
  return flops;
}

std::map<std::string, int> KernelSources(const Plan& plan) {
  std::map<std::string, int> calls;
  for (const PlanCall& call : plan.calls) ++calls[DispatchOf(plan, call).source];
  return calls;
}

int64_t ExpectedNs(const Plan& plan) {
  int64_t total_ns = 0;
  for (const PlanCall& call : plan.calls) total_ns += DispatchOf(plan, call).expected_ns;
  return total_ns;
}

std::string PackageSha256(const Package& package) { return Sha256Hex(DumpJson(package.manifest())); }

}  // namespace hone
