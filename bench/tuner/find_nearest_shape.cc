#include "bench/tuner/find_nearest_shape.h"

#include <algorithm>
#include <utility>

#include "compiler/schedules/schedule.h"
#include "tuner/elsewhere/known_elsewhere.h"

namespace hone::bench {
namespace {

constexpr size_t kAsked = 3;

// Whether both have the same loops, of any lengths.
bool SameLoops(const Workload& a, const Workload& b) {
  const auto window = [](const Workload& w) {
    return w.weight.size() == 4 ? std::pair(w.weight[2], w.weight[3]) : std::pair<int64_t, int64_t>();
  };
  return Alike(a, b) && a.types == b.types && window(a) == window(b) && a.strides == b.strides &&
         a.dilation == b.dilation && (a.groups == 1) == (b.groups == 1) && a.prologue == b.prologue;
}

std::vector<std::pair<double, std::string>> Nearest(const Workload& workload, const std::vector<std::string>& texts) {
  std::vector<std::pair<double, std::string>> nearest;
  const std::string own = workload.ToText();
  for (const std::string& text : texts) {
    if (text == own) continue;
    const Workload other = Workload::Parse(text);
    if (SameLoops(workload, other)) nearest.emplace_back(DoublingsApart(workload, other), text);
  }
  std::sort(nearest.begin(), nearest.end());
  if (nearest.size() > kAsked) nearest.resize(kAsked);
  return nearest;
}

bool OfThisKind(const ConfigChoice& choice) { return !choice.source.starts_with("near"); }

}  // namespace

std::optional<NearestShape> FindNearestShape(
    const Workload& workload, const BuildContext& context, const std::vector<std::string>& workloads,
    ConfigSource& records, const std::function<bool(const std::string& schedule, const Config& config)>& valid) {
  const MachineModel machine = context.machine();
  for (const auto& [doublings, text] : Nearest(workload, workloads)) {
    const Workload other = Workload::Parse(text);
    auto choice = records.Choose(other, context.target, context.threads, valid);
    if (!choice || !OfThisKind(*choice)) continue;
    const Schedule& schedule = *FindSchedule(choice->schedule);
    const double estimate_ns = schedule.EstimateNs(workload, machine, choice->config);
    choice->source = "nearest shape";
    choice->expected_ns = static_cast<int64_t>(static_cast<double>(choice->expected_ns) * estimate_ns /
                                               schedule.EstimateNs(other, machine, choice->config));
    return NearestShape{text, doublings, estimate_ns / AnalyticDefault(workload, machine).estimate_ns,
                        std::move(*choice)};
  }
  return std::nullopt;
}

}  // namespace hone::bench
