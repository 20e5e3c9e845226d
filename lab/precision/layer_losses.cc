#include "lab/precision/layer_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lab/precision/noisy_network.h"

namespace hone {
namespace {

Tensor RoundingDifference(const RoundedValue& value) {
  Tensor difference(DType::kFloat32, value.exact.shape());
  const float *exact = value.exact.data<float>(), *rounded = value.rounded.data<float>();
  for (int64_t i = 0; i < difference.elements(); ++i) difference.data<float>()[i] = rounded[i] - exact[i];
  return difference;
}

struct Sums {
  SignalError alone;
  std::vector<SignalError> outputs;
};

class GroupLosses {
 public:
  GroupLosses(const RoundedLayers& group, const BuildContext& here)
      : group_(group), network_(group.module, group.values, here) {
    for (size_t i = 0; i < group.layers.size(); ++i) values_[group.layers[i]].push_back(i);
  }

  void Add(const CalibrationSample& sample, std::map<std::string, Sums>& sums) {
    const std::vector<RoundedValue> made = group_.run(sample.inputs);
    network_.SetInputs(sample.inputs);
    const std::vector<Tensor> exact = network_.Run({});
    for (const auto& [layer, values] : values_) {
      Sums& own = sums[layer];
      own.outputs.resize(exact.size());
      Noise noise;
      for (const size_t value : values) {
        own.alone.Add(made.at(value).rounded, made[value].exact);
        noise[value] = RoundingDifference(made[value]);
      }
      const std::vector<Tensor> moved = network_.Run(noise);
      for (size_t i = 0; i < exact.size(); ++i) own.outputs[i].Add(moved[i], exact[i]);
    }
  }

 private:
  const RoundedLayers& group_;
  NoisyNetwork network_;
  std::map<std::string, std::vector<size_t>> values_;  // by layer
};

}  // namespace

std::map<std::string, LayerLoss> MeasureLayerLosses(std::vector<RoundedLayers> groups,
                                                    const std::vector<CalibrationSample>& samples,
                                                    const BuildContext& here,
                                                    const std::function<void(const std::string&)>& tell) {
  std::map<std::string, Sums> sums;
  size_t at = 0;
  for (RoundedLayers& group : groups) {
    GroupLosses losses(group, here);
    for (size_t i = 0; i < samples.size(); ++i) {
      tell(fmt::format("layers {} to {}, input {} of {}", at + 1, at + group.layers.size(), i + 1, samples.size()));
      losses.Add(samples[i], sums);
    }
    at += group.layers.size();
    group.run = nullptr;
  }
  std::map<std::string, LayerLoss> found;
  for (const auto& [layer, own] : sums) {
    LayerLoss& loss = found[layer];
    loss.alone = own.alone;
    for (const SignalError& output : own.outputs) loss.output = std::max(loss.output, output.largest());
  }
  return found;
}

}  // namespace hone
