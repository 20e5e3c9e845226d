#include "lab/quantise/network_error.h"

#include <algorithm>

#include "lab/quantise/value_statistics.h"

namespace hone {
namespace {

void AddAll(const std::vector<Tensor>& made, const std::vector<Tensor>& exact, SignalError* errors) {
  for (size_t i = 0; i < made.size(); ++i) errors[i].Add(made[i], exact[i]);
}

}  // namespace

NetworkError::NetworkError(const FloatModel& model, const RunSettings& settings)
    : model_(model), settings_(settings), exact_(model.WithOutputs(model.outputs()), model.outputs(), settings) {}

void NetworkError::SetSamples(const std::vector<CalibrationSample>& samples) {
  samples_ = &samples;
  outputs_.clear();
  for (const CalibrationSample& sample : samples) outputs_.push_back(exact_.Run(sample.inputs));
}

std::vector<std::pair<std::string, SignalError>> NetworkError::OutputErrors(const std::string& quantised) const {
  const std::vector<std::string> names = model_.outputs();
  ValueRunner runner(quantised, names, settings_);
  std::vector<SignalError> errors(names.size());
  for (size_t i = 0; i < samples_->size(); ++i) AddAll(runner.Run((*samples_)[i].inputs), outputs_[i], errors.data());
  std::vector<std::pair<std::string, SignalError>> named;
  for (size_t i = 0; i < names.size(); ++i) named.emplace_back(names[i], errors[i]);
  return named;
}

double NetworkError::LargestError(const std::string& quantised) const {
  double largest = 0;
  for (const auto& [name, error] : OutputErrors(quantised)) largest = std::max(largest, error.largest());
  return largest;
}

std::vector<SignalError> NetworkError::ErrorsOf(const std::string& quantised, const std::vector<std::string>& made,
                                                const std::vector<std::string>& exact) const {
  std::vector<SignalError> errors(made.size());
  const std::string floats = model_.WithOutputs(model_.outputs());
  size_t begin = 0;
  for (const auto& group : GroupValues(floats, exact, settings_, kMostValueBytes)) {
    const auto first = made.begin() + static_cast<int64_t>(begin);
    ValueRunner runner(quantised, {first, first + static_cast<int64_t>(group.size())}, settings_);
    ValueRunner reference(floats, group, settings_);
    for (const CalibrationSample& sample : *samples_) {
      AddAll(runner.Run(sample.inputs), reference.Run(sample.inputs), errors.data() + begin);
    }
    begin += group.size();
  }
  return errors;
}

}  // namespace hone
