#include "lab/comparison/likeness.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>

#include "core/error.h"
#include "core/text/parse_number.h"

namespace hone {
namespace {

bool IsComplete(const ComparedCell& cell) { return cell.time.ns > 0 && cell.covered == cell.tasks; }

bool AnyLeft(const std::vector<std::string>& names, const std::set<std::string>& accepted) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return !accepted.contains(name); });
}

// Number of machines with a cell comparable with this one.
size_t MachinesLike(const Comparison& c, size_t row, size_t model, const std::set<std::string>& accepted) {
  std::set<std::string> machines;
  for (size_t other = 0; other < c.devices.size(); ++other) {
    if (c.At(other, model).time.ns > 0 && !AnyLeft(Unlike(c, other, row, model), accepted))
      machines.insert(c.devices[other].machine);
  }
  return machines.size();
}

std::optional<size_t> ReferenceOf(const Comparison& c, size_t model, const std::set<std::string>& accepted) {
  std::optional<size_t> best;
  std::tuple<size_t, int, int, int64_t> best_rank;
  for (size_t row = 0; row < c.devices.size(); ++row) {
    const ComparedCell& cell = c.At(row, model);
    if (cell.time.ns <= 0 || AnyLeft(Unlike(c, row, row, model), accepted)) continue;
    const std::tuple rank(MachinesLike(c, row, model, accepted), IsComplete(cell) ? 1 : 0, cell.covered, -cell.time.ns);
    if (best && rank <= best_rank) continue;
    best = row;
    best_rank = rank;
  }
  return best;
}

std::map<std::string, int64_t> TimesByName(const ComparedCell& cell) {
  std::map<std::string, int64_t> times;
  for (const ComparedLayer& layer : cell.layers) {
    if (layer.time.ns > 0) times[layer.name] += layer.uses * layer.time.ns;
  }
  return times;
}

void SetRatio(const ComparedCell& cell, const ComparedCell& reference, Standing& standing) {
  standing.of = std::max(cell.tasks, reference.tasks);
  if (IsComplete(cell) && IsComplete(reference)) {
    standing.over = standing.of;
    standing.ratio = static_cast<double>(cell.time.ns) / static_cast<double>(reference.time.ns);
    return;
  }
  const auto own = TimesByName(cell), other = TimesByName(reference);
  int64_t own_ns = 0, other_ns = 0;
  for (const ComparedLayer& layer : cell.layers) {
    const auto a = own.find(layer.name), b = other.find(layer.name);
    if (a == own.end() || b == other.end()) continue;
    own_ns += a->second;
    other_ns += b->second;
    standing.over += layer.has_knobs;
  }
  if (other_ns > 0 && standing.over > 0) standing.ratio = static_cast<double>(own_ns) / static_cast<double>(other_ns);
}

}  // namespace

const std::vector<std::string>& LikenessNames() {
  static const std::vector<std::string> names{kThreadsDiffer, kPrecisionDiffers, kCacheDiffers, kVersionDiffers,
                                              kOriginDiffers, kIsEmulated,       kIsNoisy};
  return names;
}

std::vector<std::string> Unlike(const Comparison& c, size_t row, size_t reference, size_t model) {
  const ComparedDevice &a = c.devices.at(row), &b = c.devices.at(reference);
  const ComparedCell &x = c.At(row, model), &y = c.At(reference, model);
  std::vector<std::string> names;
  if (a.threads != b.threads) names.emplace_back(kThreadsDiffer);
  if (x.precision != y.precision) names.emplace_back(kPrecisionDiffers);
  if (a.cache != b.cache) names.emplace_back(kCacheDiffers);
  if (x.versions != y.versions) names.emplace_back(kVersionDiffers);
  if (x.origin != y.origin) names.emplace_back(kOriginDiffers);
  if (a.emulated) names.emplace_back(kIsEmulated);
  if (x.noisy) names.emplace_back(kIsNoisy);
  return names;
}

std::vector<Standing> StandingsOf(const Comparison& c, size_t model, const std::set<std::string>& accepted) {
  std::vector<Standing> standings(c.devices.size());
  const std::optional<size_t> reference = ReferenceOf(c, model, accepted);
  for (size_t row = 0; row < c.devices.size(); ++row) {
    Standing& standing = standings[row];
    standing.known = c.At(row, model).time.ns > 0;
    standing.is_reference = reference == row;
    if (!standing.known) continue;
    standing.unlike = Unlike(c, row, reference.value_or(row), model);
    std::erase_if(standing.unlike, [&](const std::string& name) { return accepted.contains(name); });
    if (reference && standing.unlike.empty()) SetRatio(c.At(row, model), c.At(*reference, model), standing);
  }
  return standings;
}

std::set<std::string> ParseLikenessNames(const std::string& text, const std::string& option) {
  std::set<std::string> names;
  const std::vector<std::string>& all = LikenessNames();
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) continue;
    if (std::find(all.begin(), all.end(), part) == all.end()) {
      throw Error(ExitCode::kUsage, fmt::format("{} is given \"{}\"; right is one or more of {}, with commas", option,
                                                part, fmt::join(all, ", ")));
    }
    names.emplace(part);
  }
  return names;
}

namespace {

struct Side {
  const ComparedLayer* layer = nullptr;
  int64_t ns() const { return layer == nullptr ? 0 : layer->uses * layer->time.ns; }
  bool known() const { return layer == nullptr || layer->time.ns > 0; }
  double FmaShareOn(const ComparedDevice& device) const {
    return layer == nullptr ? 0 : FmaShare(device.roofs, layer->flops, layer->time.ns);
  }
};

std::map<std::string, std::pair<Side, Side>> Matched(const ComparedCell& a, const ComparedCell& b) {
  std::map<std::string, std::pair<Side, Side>> sides;
  for (const ComparedLayer& layer : a.layers) sides[layer.name].first.layer = &layer;
  for (const ComparedLayer& layer : b.layers) sides[layer.name].second.layer = &layer;
  return sides;
}

}  // namespace

Difference ExplainDifference(const Comparison& c, size_t model, size_t a, size_t b) {
  Difference difference;
  for (const auto& [name, sides] : Matched(c.At(a, model), c.At(b, model))) {
    const auto& [left, right] = sides;
    if (!left.known() || !right.known()) {
      ++difference.unknown;
      continue;
    }
    const ComparedLayer& any = left.layer == nullptr ? *right.layer : *left.layer;
    difference.layers.push_back({name, any.op, any.nodes, left.ns(), right.ns(), left.FmaShareOn(c.devices[a]),
                                 right.FmaShareOn(c.devices[b])});
    difference.total_ns += right.ns() - left.ns();
  }
  std::stable_sort(difference.layers.begin(), difference.layers.end(),
                   [](const LayerDifference& x, const LayerDifference& y) {
                     return std::abs(x.difference_ns()) > std::abs(y.difference_ns());
                   });
  return difference;
}

}  // namespace hone
