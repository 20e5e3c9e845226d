#include "lab/quantise/quantiser.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "core/error.h"

namespace hone {

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
