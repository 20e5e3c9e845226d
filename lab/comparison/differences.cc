#include "lab/comparison/differences.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace hone {
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
