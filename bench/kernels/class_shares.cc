#include "bench/kernels/class_shares.h"

#include <fmt/format.h>

namespace hone::bench {
namespace {

// Times vary by less than this from run to run. A share that has fallen further is a regression, even if a bound names
// it.
constexpr double kBoundSlack = 0.95;

}  // namespace

void ClassShares::Sum::Add(const std::string& name, double limit, double taken) {
  limit_ns += limit;
  taken_ns += taken;
  if (limit / taken >= worst) return;
  worst = limit / taken;
  worst_layer = name;
}

void ClassShares::Add(LayerClass layer, const std::string& name, double limit_ns, const KernelTimes& times) {
  Sums& sums = sums_[layer];
  sums.hot.Add(name, limit_ns, times.hot_ns);
  sums.cold.Add(name, limit_ns, times.cold_ns);
}

bool ClassShares::PrintRow(const std::string& row, double goal, const Sum& sum, const Bounds& bounds) {
  const double reached = 100 * sum.limit_ns / sum.taken_ns;
  const auto bound = bounds.find(row);
  const bool met = reached >= goal;
  const bool bounded = bound != bounds.end() && reached >= kBoundSlack * bound->second.reached;
  const std::string verdict = met ? "reached" : bounded ? "missed, bound: " + bound->second.what : "missed";
  fmt::print("{:<40} {:>4.0f} % {:>7.1f} %  {} (least {:.0f} %: {})\n", row, goal, reached, verdict, 100 * sum.worst,
             sum.worst_layer);
  return met || bounded;
}

bool ClassShares::PrintVerdicts(const std::string& name, const std::function<ClassGoals(LayerClass)>& goals_of,
                                const Bounds& bounds) const {
  bool good = true;
  for (const auto& [layer, sums] : sums_) {
    const ClassGoals goals = goals_of(layer);
    const std::string row = fmt::format("{}, {}", name, ClassName(layer));
    if (goals.hot > 0) good = PrintRow(row + ", hot", goals.hot, sums.hot, bounds) && good;
    if (goals.cold > 0) good = PrintRow(row + ", cold", goals.cold, sums.cold, bounds) && good;
  }
  return good;
}

}  // namespace hone::bench
