#include "tuner/finals/choose_finalists.h"

#include <algorithm>
#include <set>

namespace hone {
namespace {

constexpr double kNearFastest = 1.10;

// The least time of each candidate, fastest first.
std::vector<Observation> Fastest(const TuningTask& task) {
  std::vector<Observation> all = task.observations();
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.min_ns < b.min_ns; });
  std::set<std::string> seen;
  std::erase_if(all, [&](const Observation& o) { return !seen.insert(task.space().Key(o.proposal)).second; });
  return all;
}

}  // namespace

std::vector<Proposal> ChooseFinalists(const TuningTask& task, int challengers) {
  const std::vector<Observation> fastest = Fastest(task);
  if (fastest.empty()) return {};
  const auto find = [&](const Proposal& wanted) {
    return std::find_if(fastest.begin(), fastest.end(),
                        [&](const Observation& o) { return task.space().Key(o.proposal) == task.space().Key(wanted); });
  };
  auto incumbent = fastest.end();
  if (task.finals.incumbent) incumbent = find(*task.finals.incumbent);
  if (incumbent == fastest.end()) incumbent = find(task.space().ranked().front().proposal);
  if (incumbent == fastest.end()) incumbent = fastest.begin();
  std::vector<Proposal> finalists = {incumbent->proposal};
  const double most_ns = kNearFastest * static_cast<double>(fastest.front().min_ns);
  for (const Observation& o : fastest) {
    if (static_cast<int>(finalists.size()) > challengers || static_cast<double>(o.min_ns) > most_ns) break;
    if (&o != &*incumbent) finalists.push_back(o.proposal);
  }
  return finalists.size() > 1 ? finalists : std::vector<Proposal>();
}

}  // namespace hone
