#include "lab/quantise/value_statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/build.h"
#include "compiler/frontend/quantise/float_model.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"

namespace hone {
namespace {

relay::IRModule Typed(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings) {
  return relay::InferType(ImportOnnxBytes(OnnxWithOutputs(model, values), settings.name, settings.import).module);
}

std::vector<InputSpec> ParamSpecs(const relay::IRModule& typed) {
  std::vector<InputSpec> specs;
  for (const auto& param : typed.main->params) specs.push_back({param->name, param->type->dtype, param->type->shape});
  return specs;
}

}  // namespace

ValueRunner::ValueRunner(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings)
    : values_(values) {
  const relay::IRModule all = Typed(model, values, settings);
  specs_ = ParamSpecs(all);
  std::vector<std::string> computed;
  for (const std::string& value : values) {
    const bool given = std::any_of(specs_.begin(), specs_.end(), [&](const InputSpec& s) { return s.name == value; });
    at_.push_back(given ? -1 : static_cast<int>(computed.size()));
    if (!given) computed.push_back(value);
  }
  if (computed.empty()) return;
  BuildOptions options;
  options.context = settings.context;
  const relay::IRModule module = computed == values ? all : Typed(model, computed, settings);
  auto package = Package::FromBytes(Build(module, options).package, settings.name);
  specs_ = InputSpecs(*package);
  session_ = std::make_unique<Session>(std::move(package), SessionOptions{.threads = settings.context.threads});
}

std::vector<Tensor> ValueRunner::Run(const std::map<std::string, Tensor>& inputs) {
  if (session_ != nullptr) {
    for (const InputSpec& spec : specs_) session_->SetInput(spec.name, inputs.at(spec.name));
    session_->Run();
  }
  std::vector<Tensor> made;
  for (size_t i = 0; i < values_.size(); ++i) {
    made.push_back(at_[i] < 0 ? inputs.at(values_[i]) : session_->Output(at_[i]));
  }
  return made;
}

std::vector<std::vector<std::string>> GroupValues(const std::string& model, const std::vector<std::string>& values,
                                                  const RunSettings& settings, int64_t most_bytes) {
  const relay::IRModule typed = Typed(model, values, settings);
  const relay::TypePtr& type = typed.main->body->type;
  std::vector<std::vector<std::string>> groups;
  int64_t used = most_bytes;
  for (size_t i = 0; i < values.size(); ++i) {
    const relay::Type& own = values.size() == 1 ? *type : *type->fields.at(i);
    const int64_t bytes = ElementCount(own.shape) * DTypeBytes(own.dtype);
    if (used + bytes > most_bytes) {
      groups.emplace_back();
      used = 0;
    }
    groups.back().push_back(values[i]);
    used += bytes;
  }
  return groups;
}

namespace {

// Sums per channel, from which means are computed.
class ChannelMeans {
 public:
  void Add(const Tensor& values, int64_t axis) {
    const Shape& shape = values.shape();
    const size_t at = axis < 0 ? shape.size() - 1 : static_cast<size_t>(axis);
    int64_t inner = 1;
    for (size_t i = at + 1; i < shape.size(); ++i) inner *= shape[i];
    sums_.resize(static_cast<size_t>(shape.at(at)), 0.0);
    for (int64_t i = 0; i < values.elements(); ++i) sums_[static_cast<size_t>(i / inner % shape[at])] += values.At(i);
    per_channel_ += static_cast<double>(values.elements()) / static_cast<double>(shape[at]);
  }

  std::vector<double> Means() const {
    std::vector<double> means = sums_;
    for (double& mean : means) mean /= per_channel_;
    return means;
  }

 private:
  std::vector<double> sums_;
  double per_channel_ = 0;
};

struct Seen {
  ValueRange range;
  ChannelMeans means;
};

class GroupMeasurer {
 public:
  GroupMeasurer(const FloatModel& model, const std::vector<std::string>& values, const RunSettings& settings)
      : values_(values), runner_(model.WithOutputs(model.outputs()), values, settings) {}

  void See(const std::vector<CalibrationSample>& samples, const std::map<std::string, int64_t>& channel_axes,
           std::map<std::string, Seen>& seen) {
    for (const CalibrationSample& sample : samples) {
      const std::vector<Tensor> made = runner_.Run(sample.inputs);
      for (size_t i = 0; i < values_.size(); ++i) {
        Seen& own = seen[values_[i]];
        if (!own.range.Add(made[i])) {
          throw Error(ExitCode::kBadData, fmt::format("the value \"{}\" is not finite on calibration input {}; right "
                                                      "are inputs on which the model makes finite values",
                                                      values_[i], sample.from));
        }
        const auto axis = channel_axes.find(values_[i]);
        if (axis != channel_axes.end()) own.means.Add(made[i], axis->second);
      }
    }
  }

  std::vector<ValueHistogram> Count(const std::vector<CalibrationSample>& samples,
                                    const std::map<std::string, Seen>& seen) {
    std::vector<ValueHistogram> histograms;
    for (const std::string& value : values_) histograms.emplace_back(seen.at(value).range);
    for (const CalibrationSample& sample : samples) {
      const std::vector<Tensor> made = runner_.Run(sample.inputs);
      for (size_t i = 0; i < values_.size(); ++i) histograms[i].Add(made[i]);
    }
    return histograms;
  }

 private:
  const std::vector<std::string>& values_;
  ValueRunner runner_;
};

}  // namespace

ValueStatistics Measure(const FloatModel& model, const std::vector<std::string>& values,
                        const std::map<std::string, int64_t>& channel_axes,
                        const std::vector<CalibrationSample>& samples, const StatisticsOptions& options,
                        const RunSettings& settings) {
  ValueStatistics statistics;
  std::map<std::string, Seen> seen;
  const std::string bytes = model.WithOutputs(model.outputs());
  for (const auto& group : GroupValues(bytes, values, settings, kMostValueBytes)) {
    GroupMeasurer measurer(model, group, settings);
    measurer.See(samples, channel_axes, seen);
    if (options.method == RangeMethod::kMinMax) continue;
    const std::vector<ValueHistogram> histograms = measurer.Count(samples, seen);
    for (size_t i = 0; i < group.size(); ++i) {
      statistics.ranges[group[i]] = ChooseRange(histograms[i], options.method, options.percentile);
    }
  }
  for (const auto& [value, own] : seen) statistics.ranges.emplace(value, own.range);
  for (const auto& [value, axis] : channel_axes) {
    if (seen.count(value) > 0) statistics.means[value] = seen.at(value).means.Means();
  }
  return statistics;
}

}  // namespace hone
