// The share of the hardware's limit that the kernels of a class reach together, and whether it suffices.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "bench/kernels/kernel_timer.h"
#include "bench/kernels/layer_class.h"
#include "bench/tuner/bounds.h"

namespace hone::bench {

// Shares of a network's layers, class by class. A class's share is the time at the measured limit over the time taken,
// both summed over its layers.
class ClassShares {
 public:
  // limit_ns: the layer's time at the measured FMA peak or copy bandwidth.
  void Add(LayerClass layer, const std::string& name, double limit_ns, const KernelTimes& times);
  // Prints a row "NAME, CLASS, hot" per goal: goal, reached, the slowest layer, verdict. Returns false if a goal is
  // missed and `bounds` does not excuse it. A bound excuses a miss if its figure is at most 5 % above what was reached.
  bool PrintVerdicts(const std::string& name, const std::function<ClassGoals(LayerClass)>& goals_of,
                     const Bounds& bounds) const;

 private:
  struct Sum {
    double limit_ns = 0, taken_ns = 0;
    double worst = 1e9;
    std::string worst_layer;
    void Add(const std::string& name, double limit, double taken);
  };
  static bool PrintRow(const std::string& row, double goal, const Sum& sum, const Bounds& bounds);

  struct Sums {
    Sum hot, cold;
  };
  std::map<LayerClass, Sums> sums_;
};

}  // namespace hone::bench
