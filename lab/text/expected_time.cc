#include "lab/text/expected_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <vector>

#include "core/nth.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

std::string PartText(double ns, int calls, std::string_view by) {
  return fmt::format("{} of {} call{} by {}", TimeText(std::llround(ns)), calls, calls == 1 ? "" : "s", by);
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
  const std::string left_out = fmt::format("{} call{} whose time depends on the data ({})", expected.left_out,
                                           expected.left_out == 1 ? "" : "s", fmt::join(expected.ops, ", "));
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
