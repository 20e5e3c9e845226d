#include "lab/precision/layer_times.h"

#include <set>

namespace hone {

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
