#include "cli/printing/built_model_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text/printable.h"
#include "lab/text/number_text.h"

namespace hone {

Json MedianJson(const MedianInterval& m) {
  return {{"median_ns", m.median}, {"ci95_ns", Json::array({m.low, m.high})}};
}

namespace {

bool WereFinalsAsked(const NetworkFinals& finals) { return finals.held || !finals.why_not.empty(); }

}  // namespace

std::string NetworkFinalsText(const NetworkFinals& finals) {
  if (!WereFinalsAsked(finals)) return "";
  if (!finals.held) return fmt::format("in the built model: not compared, {}\n", finals.why_not);
  const std::string seconds = fmt::format("{:.0f} s", static_cast<double>(finals.elapsed_ns) / 1e9);
  if (finals.replaced == 0) {
    return fmt::format("in the built model: {}; none of the {} with rivals is faster with another ({})\n",
                       TimeText(finals.before.median), Counted(finals.tasks, "task"), seconds);
  }
  return fmt::format(
      "in the built model: {} to {}, p {:.3f}: there {} of {} with rivals {} another best than alone ({})\n",
      TimeText(finals.before.median), TimeText(finals.after.median), finals.p, finals.replaced,
      Counted(finals.tasks, "task"), finals.replaced == 1 ? "has" : "have", seconds);
}

Json NetworkFinalsJson(const NetworkFinals& finals) {
  if (!WereFinalsAsked(finals)) return nullptr;
  return {{"held", finals.held},
          {"why_not", finals.why_not},
          {"tasks", finals.tasks},
          {"replaced", finals.replaced},
          {"before", MedianJson(finals.before)},
          {"after", MedianJson(finals.after)},
          {"p", finals.p},
          {"elapsed_ns", finals.elapsed_ns}};
}

namespace {

std::string CompareText(const PackageGain& gain) {
  if (!gain.measured) return "not measured, " + gain.why_not;
  const std::string before = TimeText(gain.before.median);
  if (gain.same_kernels) return before + ": a build takes the same kernels as before the run";
  const double more = 100 * (static_cast<double>(gain.after.median) / static_cast<double>(gain.before.median) - 1);
  const bool differs = gain.verdict == "faster" || gain.verdict == "slower";
  return fmt::format("{} to {}, {}{} (p {:.3f})", before, TimeText(gain.after.median),
                     differs ? fmt::format("{:.1f} % ", std::abs(more)) : "", gain.verdict, gain.p);
}

}  // namespace

std::string PackageGainText(const PackageGain& gain, const TuneReport& report) {
  std::string text = fmt::format("package: {}\n", CompareText(gain));
  const auto others = std::count_if(report.tasks.begin(), report.tasks.end(), [&](const TaskReport& task) {
    const auto in_package = gain.configs.find(task.workload.ToText());
    return task.best_ns > 0 && in_package != gain.configs.end() &&
           in_package->second != task.best_schedule + " " + task.best_config;
  });
  if (others == 0) return text;
  return text + fmt::format("in it {} task{} another config than the best alone, for layouts that fit together\n",
                            others, others == 1 ? " has" : "s have");
}

Json PackageGainJson(const PackageGain& gain) {
  return {{"measured", gain.measured},
          {"why_not", gain.why_not},
          {"same_kernels", gain.same_kernels},
          {"before", MedianJson(gain.before)},
          {"after", MedianJson(gain.after)},
          {"p", gain.p},
          {"rounds", gain.rounds},
          {"verdict", gain.verdict},
          {"elapsed_ns", gain.elapsed_ns}};
}

}  // namespace hone
