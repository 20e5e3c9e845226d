#include "lab/precision/choose_assignment.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

namespace hone {
namespace {

constexpr int kLevels = 4096;
constexpr double kNever = std::numeric_limits<double>::infinity();

// Levels of the budget that the error takes; more than kLevels if it does not fit.
int LevelsOf(double squared_error, double squared_budget) {
  if (squared_error <= 0) return 0;
  const double levels = std::ceil(squared_error / squared_budget * kLevels);
  return levels <= kLevels ? static_cast<int>(levels) : kLevels + 1;
}

// The least time up to and including a layer, by that layer's option and the levels used so far:
//
//   least[option][used] = ns + min over the options before of (least_before[before][used - levels] + change)
class AssignmentTable {
 public:
  AssignmentTable(const std::vector<LayerOptions>& layers, double squared_budget)
      : layers_(layers), budget_(squared_budget) {}

  Assignment Best() {
    for (size_t i = 0; i < layers_.size(); ++i) AddLayer(i);
    return Trace();
  }

 private:
  using Row = std::vector<double>;  // by levels used

  void AddLayer(size_t i) {
    const LayerOptions& layer = layers_[i];
    std::vector<Row> now(layer.options.size(), Row(kLevels + 1, kNever));
    from_.emplace_back(layer.options.size(), std::vector<uint8_t>(kLevels + 1, 0));
    for (size_t o = 0; o < layer.options.size(); ++o) {
      const int levels = LevelsOf(layer.options[o].squared_error, budget_);
      for (int used = levels; used <= kLevels; ++used) {
        const size_t to = static_cast<size_t>(used);
        now[o][to] = layer.options[o].ns + Before(i, o, static_cast<size_t>(used - levels), from_[i][o][to]);
      }
    }
    least_ = std::move(now);
  }

  // The least time of the layers before option `o` of layer i; `from` receives the option of the last of them.
  double Before(size_t i, size_t o, size_t used, uint8_t& from) const {
    if (i == 0) return used == 0 ? 0 : kNever;
    double best = kNever;
    for (size_t before = 0; before < least_.size(); ++before) {
      const bool changes = layers_[i - 1].options[before].precision != layers_[i].options[o].precision;
      const double ns = least_[before][used] + (changes ? layers_[i].change_ns : 0);
      if (ns >= best) continue;
      best = ns;
      from = static_cast<uint8_t>(before);
    }
    return best;
  }

  Assignment Trace() const {
    Assignment chosen;
    size_t option = 0, used = 0;
    double best = kNever;
    for (size_t o = 0; o < least_.size(); ++o) {
      for (size_t u = 0; u < least_[o].size(); ++u) {
        if (least_[o][u] >= best) continue;
        best = least_[o][u];
        option = o;
        used = u;
      }
    }
    for (size_t i = layers_.size(); i-- > 0;) {
      const PrecisionOption& taken = layers_[i].options[option];
      chosen[layers_[i].layer] = taken.precision;
      const size_t before = from_[i][option][used];
      used -= static_cast<size_t>(LevelsOf(taken.squared_error, budget_));
      option = before;
    }
    return chosen;
  }

  const std::vector<LayerOptions>& layers_;
  const double budget_;
  std::vector<Row> least_;                               // of the last layer, by option
  std::vector<std::vector<std::vector<uint8_t>>> from_;  // by layer, option and levels: the option before
};

}  // namespace

Assignment ChooseAssignment(const std::vector<LayerOptions>& layers, double squared_budget) {
  return AssignmentTable(layers, squared_budget).Best();
}

std::map<std::string, double> LayerTimes(const Plan& plan, const std::vector<int64_t>& call_ns,
                                         const std::vector<std::string>& layers) {
  const std::set<std::string> known(layers.begin(), layers.end());
  std::map<std::string, double> times;
  std::vector<std::string> last;
  double waiting_ns = 0;
  const auto give = [&](const std::vector<std::string>& to, double ns) {
    for (const std::string& layer : to) times[layer] += ns / static_cast<double>(to.size());
  };
  for (size_t i = 0; i < plan.calls.size(); ++i) {
    std::vector<std::string> own;
    for (const std::string& node : plan.calls[i].nodes) {
      if (known.count(node) > 0) own.push_back(node);
    }
    waiting_ns += static_cast<double>(call_ns.at(i));
    if (own.empty()) continue;
    give(own, waiting_ns);
    waiting_ns = 0;
    last = own;
  }
  give(last, waiting_ns);
  return times;
}

}  // namespace hone
