#include "cli/printing/network_finals_output.h"

#include <fmt/format.h>

#include "lab/statistics.h"
#include "lab/text/number_text.h"

namespace hone {
namespace {

bool WereFinalsAsked(const NetworkFinals& finals) { return finals.held || !finals.why_not.empty(); }

}  // namespace

std::string NetworkFinalsText(const NetworkFinals& finals) {
  if (!WereFinalsAsked(finals)) return "";
  if (!finals.held) return fmt::format("in the built model: not compared, {}\n", finals.why_not);
  const std::string seconds = fmt::format("{:.0f} s", static_cast<double>(finals.elapsed_ns) / 1e9);
  if (finals.replaced == 0) {
    return fmt::format("in the built model: {}; none of the {} tasks with rivals is faster with another ({})\n",
                       TimeText(finals.before.median), finals.tasks, seconds);
  }
  return fmt::format("in the built model: {} to {}, p {:.3f}: {} of the {} tasks with rivals replaced ({})\n",
                     TimeText(finals.before.median), TimeText(finals.after.median), finals.p, finals.replaced,
                     finals.tasks, seconds);
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

}  // namespace hone
