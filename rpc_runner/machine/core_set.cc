#include "rpc_runner/machine/core_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "runtime/small_file.h"
#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

// The share of the greatest capacity from which a core counts as big.
constexpr double kBig = 0.9;

std::map<std::string, int> CountKinds(const std::vector<CpuPlace>& places) {
  std::map<std::string, int> kinds;
  for (const CpuPlace& place : places) ++kinds[place.kind];
  return kinds;
}

std::set<int> Distinct(const std::vector<CpuPlace>& places, int CpuPlace::* member) {
  std::set<int> values;
  for (const CpuPlace& place : places) values.insert(place.*member);
  return values;
}

bool HasSiblings(const std::vector<CpuPlace>& places) {
  return Distinct(places, &CpuPlace::core).size() < places.size();
}

std::string RangesText(const std::vector<CpuPlace>& places) {
  const std::set<int> cpus = Distinct(places, &CpuPlace::cpu);
  std::vector<std::string> ranges;
  for (auto it = cpus.begin(); it != cpus.end();) {
    const int first = *it;
    int last = first;
    while (++it != cpus.end() && *it == last + 1) last = *it;
    ranges.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

// The words that --cores accepts on this machine.
std::vector<std::string> WordsFor(const std::vector<CpuPlace>& places) {
  std::vector<std::string> words = {"nosmt"};
  for (const int node : Distinct(places, &CpuPlace::node)) words.push_back(fmt::format("node{}", node));
  const std::map<std::string, int> kinds = CountKinds(places);
  if (kinds.size() > 1) words.insert(words.end(), {"big", "little"});
  for (const auto& [kind, count] : kinds) {
    if (!kind.empty()) words.push_back(kind);
  }
  return words;
}

// The system's capacity; without one, an order of Intel's kinds.
int64_t SpeedOf(const CpuPlace& place) {
  if (place.capacity > 0) return place.capacity;
  return place.kind == "core" ? 2 : place.kind == "atom" ? 1 : 0;
}

bool IsBig(const CpuPlace& place, const std::vector<CpuPlace>& all) {
  int64_t most = 0;
  for (const CpuPlace& other : all) most = std::max(most, SpeedOf(other));
  return static_cast<double>(SpeedOf(place)) >= kBig * static_cast<double>(most);
}

bool KnowsWhichAreBig(const std::vector<CpuPlace>& all) {
  return std::all_of(all.begin(), all.end(), [](const CpuPlace& place) { return SpeedOf(place) > 0; });
}

std::vector<CpuPlace> Narrowed(std::string_view word, const std::vector<CpuPlace>& places,
                               const std::vector<CpuPlace>& all) {
  std::set<int> cores;
  std::vector<CpuPlace> narrowed;
  for (const CpuPlace& place : places) {
    const bool stays = word == "nosmt"    ? cores.insert(place.core).second
                       : word == "big"    ? IsBig(place, all)
                       : word == "little" ? !IsBig(place, all)
                                          : word == place.kind || word == fmt::format("node{}", place.node);
    if (stays) narrowed.push_back(place);
  }
  return narrowed;
}

std::vector<CpuPlace> PlacesHere(const std::vector<int>& cpus) {
  return PlacesOf(cpus, ReadSmallFile("/proc/cpuinfo").value_or(""));
}

void RequireAllowed(std::string_view text, const std::vector<int>& cores) {
  const std::vector<int> allowed = AffinityCpus();
  for (const int core : cores) {
    if (allowed.empty() || std::find(allowed.begin(), allowed.end(), core) != allowed.end()) continue;
    throw Error(ExitCode::kBadConfig,
                fmt::format("--cores is given \"{}\", and CPU {} is none of those that may be used here: {}", text,
                            core, RangesText(PlacesHere(allowed))));
  }
}

}  // namespace

std::vector<int> ChooseCores(std::string_view words, const std::vector<CpuPlace>& places) {
  std::vector<CpuPlace> chosen = places;
  std::sort(chosen.begin(), chosen.end(), [](const CpuPlace& a, const CpuPlace& b) { return a.cpu < b.cpu; });
  const std::vector<std::string> known = WordsFor(places);
  for (const std::string_view word : Split(words, '+')) {
    const bool of_speed = word == "big" || word == "little";
    if (of_speed && !KnowsWhichAreBig(places)) {
      throw Error(ExitCode::kUsage, fmt::format("--cores is given \"{}\", and the system does not tell which cores are "
                                                "big; a list such as 0,2-3 would be right",
                                                words));
    }
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      throw Error(ExitCode::kUsage, fmt::format("--cores is given \"{}\"; right is a list such as 0,2-3, or of this "
                                                "machine's words {}, with '+' between several",
                                                words, fmt::join(known, ", ")));
    }
    chosen = Narrowed(word, chosen, places);
  }
  if (chosen.empty()) throw Error(ExitCode::kUsage, fmt::format("--cores is given \"{}\", which is no core", words));
  std::vector<int> cpus;
  for (const CpuPlace& place : chosen) cpus.push_back(place.cpu);
  return cpus;
}

std::vector<int> CoresOfThisMachine(std::string_view text) {
  if (text.find_first_not_of("0123456789,-") == text.npos) {
    const std::vector<int> cores = ParseCoreList(text);
    RequireAllowed(text, cores);
    return cores;
  }
  return ChooseCores(text, PlacesHere(AffinityCpus()));
}

std::string CoreSetText(const std::vector<CpuPlace>& used, const std::vector<CpuPlace>& all) {
  const bool is_part = Distinct(used, &CpuPlace::cpu).size() < Distinct(all, &CpuPlace::cpu).size();
  const bool has_several = CountKinds(all).size() > 1;
  const std::map<std::string, int> kinds = CountKinds(used);
  std::vector<std::string> words;
  for (const auto& [kind, count] : kinds) {
    if (!has_several || kind.empty()) continue;
    words.push_back(is_part && kinds.size() > 1 ? fmt::format("{}*{}", kind, count) : kind);
  }
  if (is_part && HasSiblings(used)) words.emplace_back("smt");
  const size_t nodes = Distinct(used, &CpuPlace::node).size();
  if (is_part && nodes > 1) words.push_back(fmt::format("nodes{}", nodes));
  return fmt::format("{}", fmt::join(words, ","));
}

std::string CoreSetInWords(const std::vector<CpuPlace>& used, const std::vector<CpuPlace>& all) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : CountKinds(used)) {
    parts.push_back(kind.empty() ? fmt::format("{} alike", count) : fmt::format("{} {}", count, kind));
  }
  parts.emplace_back(HasSiblings(used) ? "some of one core" : "one of each core");
  if (Distinct(all, &CpuPlace::node).size() > 1) {
    const std::set<int> nodes = Distinct(used, &CpuPlace::node);
    parts.push_back(fmt::format("node{} {}", nodes.size() == 1 ? "" : "s", fmt::join(nodes, ",")));
  }
  return fmt::format("CPUs {} of {}: {}", RangesText(used), RangesText(all), fmt::join(parts, ", "));
}

bool IsMixed(const std::vector<CpuPlace>& used) {
  return CountKinds(used).size() > 1 || HasSiblings(used) || Distinct(used, &CpuPlace::node).size() > 1;
}

}  // namespace hone
