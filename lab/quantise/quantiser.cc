#include "lab/quantise/quantiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
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

Quantiser::Quantiser(FloatModel model, RunSettings settings, const QuantiseOptions& options, uint64_t seed)
    : model_(std::move(model)),
      settings_(std::move(settings)),
      options_(options),
      layers_(QuantisableLayers(model_, options.products)),
      network_(model_, settings_) {
  if (layers_.empty()) {
    throw Error(ExitCode::kBadData,
                fmt::format("{}: no layer can be quantised; Conv, Gemm and MatMul with constant finite float32 "
                            "weights can, with --products MatMul of two computed values, too",
                            settings_.name));
  }
  samples_ = CalibrationOf(options.calibrate, options.samples, network_.inputs(), seed, options.images);
  network_.SetSamples(samples_.judges());
  MeasureValues();
}

void Quantiser::MeasureValues() {
  const QuantisationPlan plan = PlanQuantisation(model_, layers_, {});
  std::vector<std::string> values;
  for (const auto& [value, all] : plan.values) values.push_back(value);
  std::map<std::string, int64_t> axes;
  for (const QuantisableLayer& layer : layers_) {
    if (!options_.no_bias_correction && layer.op_type != "MatMul") axes.emplace(layer.input, layer.channel_axis);
  }
  measured_ =
      Measure(model_, values, axes, samples_.seen, {ParseRangeMethod(options_.method), options_.percentile}, settings_);
}

Quantiser::Written Quantiser::Write(const std::set<std::string>& left) const {
  Written written;
  written.plan = PlanQuantisation(model_, layers_, left);
  written.bytes = WriteQdq(model_, written.plan, ValuesOf(written.plan));
  return written;
}

QuantisedValues Quantiser::ValuesOf(const QuantisationPlan& plan) const {
  std::map<std::string, ValueRange> ranges;
  for (const auto& [value, all] : plan.values) ranges[value] = measured_.ranges.at(value);
  return {ChooseScales(plan, ranges), measured_.means};
}

LonelyLayers Quantiser::WriteLonely() const {
  const QuantisationPlan plan = PlanQuantisation(model_, layers_, {});
  return WriteLonelyLayers(model_, plan, ValuesOf(plan));
}

std::vector<SignalError> Quantiser::ErrorsAlone() const {
  const LonelyLayers lonely = WriteLonely();
  std::vector<std::string> exact;
  for (const QuantisableLayer& layer : layers_) exact.push_back(layer.output);
  return network_.ErrorsOf(lonely.model, lonely.outputs, exact);
}

}  // namespace hone
