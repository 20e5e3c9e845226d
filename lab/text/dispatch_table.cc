#include "lab/text/dispatch_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/nth.h"
#include "core/text/printable.h"
#include "core/workload.h"
#include "lab/text/number_text.h"
#include "lab/text/status_line.h"
#include "lab/text/table.h"

namespace hone {
namespace {

struct KernelUse {
  int calls = 0;
  std::string op;
  std::string shape;   // of the first call's output
  std::string limits;  // of a variant of the first call: "seq <= 24"
};

std::string LimitsText(const Plan& plan, const CallVariant& variant) {
  std::vector<std::string> limits;
  for (const ExtentLimit& limit : variant.limits) {
    limits.push_back(fmt::format("{} <= {}", Nth(plan.buffers, limit.extent).name, limit.most));
  }
  return fmt::format("{}", fmt::join(limits, ", "));
}

void AddUse(const Plan& plan, const PlanCall& call, KernelUse& use, const std::string& limits) {
  if (use.calls++ > 0 || call.operands.empty()) return;
  use.op = call.op;
  use.shape = ShapeText(plan.buffers.at(static_cast<size_t>(call.operands.back().buffer)).shape);
  use.limits = limits;
}

std::vector<KernelUse> UsesOf(const Plan& plan) {
  std::vector<KernelUse> uses(plan.kernels.size());
  for (const PlanCall& call : plan.calls) {
    AddUse(plan, call, uses.at(static_cast<size_t>(call.kernel)), "");
    for (const CallVariant& variant : call.variants) {
      AddUse(plan, call, uses.at(static_cast<size_t>(variant.kernel)), LimitsText(plan, variant));
    }
  }
  return uses;
}

std::optional<ExpectedLoss> LossOf(size_t kernel, const KernelLosses& losses) {
  return kernel < losses.size() ? losses[kernel] : std::nullopt;
}

}  // namespace

std::string WorkloadShapeText(const std::string& workload) {
  try {
    const Workload w = Workload::Parse(workload);
    std::string text = fmt::format("{} * {}", ShapeText(w.data), ShapeText(w.weight));
    if (w.strides[0] > 1 || w.strides[1] > 1) text += fmt::format(" /{}", w.strides[0]);
    if (w.groups > 1) text += fmt::format(" g{}", w.groups);
    if (w.epilogue == EpilogueClass::kBiasAct) text += " +act";
    if (w.epilogue == EpilogueClass::kResidual) text += " +residual";
    return text;
  } catch (const Error&) {
    return workload;
  }
}

std::string DispatchText(const Plan& plan, const KernelLosses& losses) {
  const bool lossy = std::any_of(losses.begin(), losses.end(), [](const auto& loss) { return loss.has_value(); });
  const bool varied =
      std::any_of(plan.calls.begin(), plan.calls.end(), [](const PlanCall& call) { return !call.variants.empty(); });
  std::vector<std::string> head = {"op", "shape", "> calls", "schedule", "config", "source", "> expected"};
  if (varied) head.insert(head.begin() + 2, "runs of");
  if (lossy) head.emplace_back("> loss");
  Table table(std::move(head));
  const std::vector<KernelUse> uses = UsesOf(plan);
  int other_calls = 0, other_kernels = 0;
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    const Dispatch& d = plan.kernels[i].dispatch;
    if (d.workload.empty()) {
      other_calls += uses[i].calls;
      ++other_kernels;
      continue;
    }
    std::vector<std::string> row = {
        uses[i].op, WorkloadShapeText(d.workload), fmt::format("{}", uses[i].calls), d.schedule, d.config,
        d.source,   TimeText(d.expected_ns)};
    if (varied) row.insert(row.begin() + 2, uses[i].limits.empty() ? "others" : uses[i].limits);
    if (lossy) row.push_back(LossText(LossOf(i, losses)));
    table.Add(std::move(row));
  }
  return table.ToText(OutputColumns()) +
         fmt::format("and {} of {} without knobs\n", Counted(other_calls, "call"), Counted(other_kernels, "kernel"));
}

Json DispatchJson(const Plan& plan, const KernelLosses& losses) {
  Json list = Json::array();
  const std::vector<KernelUse> uses = UsesOf(plan);
  for (size_t i = 0; i < plan.kernels.size(); ++i) {
    Json row = ToJson(plan.kernels[i].dispatch);
    row["op"] = uses[i].op;
    row["shape"] = uses[i].shape;
    row["calls"] = uses[i].calls;
    if (!uses[i].limits.empty()) row["runs_of"] = uses[i].limits;
    if (const auto loss = LossOf(i, losses)) row["expected_loss"] = LossJson(loss);
    list.push_back(std::move(row));
  }
  return list;
}

std::string MemoryText(const Plan& plan) {
  return fmt::format("memory: arena {} (at least {} live at once), parameters {}\n", BytesText(plan.arena_bytes),
                     BytesText(plan.live_bound_bytes), BytesText(plan.params_bytes));
}

Json MemoryJson(const Plan& plan) {
  return {{"arena_bytes", plan.arena_bytes},
          {"live_bound_bytes", plan.live_bound_bytes},
          {"params_bytes", plan.params_bytes}};
}

namespace {

std::string PartText(double ns, int calls, std::string_view by) {
  return fmt::format("{} of {} by {}", TimeText(std::llround(ns)), Counted(calls, "call"), by);
}

}  // namespace

double ExpectedNs(const BuildResult& result, const PlanCall& call) {
  const int64_t recorded = Nth(result.plan.kernels, call.kernel).dispatch.expected_ns;
  return recorded > 0 ? static_cast<double>(recorded) : Nth(result.report.estimate_ns, call.kernel);
}

ExpectedTime ExpectedOf(const BuildResult& result) {
  ExpectedTime expected;
  for (const PlanCall& call : result.plan.calls) {
    const bool recorded = Nth(result.plan.kernels, call.kernel).dispatch.expected_ns > 0;
    const double ns = ExpectedNs(result, call);
    (recorded ? expected.recorded_ns : expected.estimated_ns) += ns;
    ++(recorded ? expected.recorded : ns > 0 ? expected.estimated : expected.left_out);
    if (ns <= 0) expected.ops.insert(call.op);
  }
  return expected;
}

std::string ExpectedText(const ExpectedTime& expected) {
  const std::string left_out = fmt::format("{} whose time depends on the data ({})", Counted(expected.left_out, "call"),
                                           fmt::join(expected.ops, ", "));
  std::vector<std::string> parts;
  if (expected.recorded > 0) parts.push_back(PartText(expected.recorded_ns, expected.recorded, "records"));
  if (expected.estimated > 0) parts.push_back(PartText(expected.estimated_ns, expected.estimated, "estimate"));
  if (parts.empty()) return expected.left_out == 0 ? "" : fmt::format("expected: nothing is known of {}\n", left_out);
  if (expected.left_out > 0) parts.push_back("without " + left_out);
  return fmt::format("expected {} a run: {}\n", TimeText(std::llround(expected.ns())), fmt::join(parts, ", "));
}

Json ExpectedJson(const ExpectedTime& expected) {
  return {{"ns", expected.ns()},
          {"recorded_ns", expected.recorded_ns},
          {"estimated_ns", expected.estimated_ns},
          {"left_out", expected.ops}};
}

}  // namespace hone
