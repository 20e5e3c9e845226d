#include "cli/quantise/quantise_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "cli/machine_options.h"
#include "cli/quantise/network_error.h"
#include "compiler/frontend/quantise/write_qdq.h"
#include "core/error.h"

namespace hone {
namespace {

struct Samples {
  std::vector<CalibrationSample> seen, held_out;
  const std::vector<CalibrationSample>& judges() const { return held_out.empty() ? seen : held_out; }
};

Samples Split(std::vector<CalibrationSample> all) {
  constexpr size_t kEvery = 5;
  Samples samples;
  const size_t count = all.size();
  for (size_t i = 0; i < count; ++i) {
    const bool out = count >= kEvery && i % kEvery == kEvery - 1;
    (out ? samples.held_out : samples.seen).push_back(std::move(all[i]));
  }
  return samples;
}

// One model's quantisation, whose ranges are measured once and which is written as often as a search asks.
class Quantiser {
 public:
  Quantiser(FloatModel model, RunSettings settings, const QuantiseOptions& options, uint64_t seed)
      : model_(std::move(model)),
        settings_(std::move(settings)),
        options_(options),
        layers_(QuantisableLayers(model_)),
        network_(model_, settings_) {
    if (layers_.empty()) {
      throw Error(ExitCode::kBadData,
                  fmt::format("{}: no layer can be quantised; Conv, Gemm and MatMul with constant finite float32 "
                              "weights can",
                              settings_.name));
    }
    samples_ = Split(options.calibrate == "random" ? RandomCalibration(network_.inputs(), options.samples, seed)
                                                   : ReadCalibration(options.calibrate, network_.inputs()));
    network_.SetSamples(samples_.judges());
  }

  QuantisedModel Run() {
    MeasureValues();
    QuantisedModel result;
    for (const QuantisableLayer& layer : layers_) result.layers.push_back({layer, true, {}, {}});
    MeasureAlone(result);
    const std::set<std::string> left = options_.max_error > 0 ? ChooseLeft(result) : std::set<std::string>();
    const Written written = Write(left);
    result.bytes = written.bytes;
    result.values = written.plan.values.size();
    result.samples = samples_.seen.size();
    result.held_out = samples_.held_out.size();
    for (LayerError& layer : result.layers) layer.quantised = left.count(layer.layer.node) == 0;
    result.outputs = network_.OutputErrors(result.bytes);
    MeasureHere(result);
    return result;
  }

 private:
  struct Written {
    QuantisationPlan plan;
    std::string bytes;
  };

  void MeasureValues() {
    const QuantisationPlan plan = PlanQuantisation(model_, layers_, {});
    std::vector<std::string> values;
    for (const auto& [value, all] : plan.values) values.push_back(value);
    std::map<std::string, int64_t> axes;
    for (const QuantisableLayer& layer : layers_) {
      if (!options_.no_bias_correction && layer.op_type != "MatMul") axes.emplace(layer.input, layer.channel_axis);
    }
    measured_ = Measure(model_, values, axes, samples_.seen, {ParseRangeMethod(options_.method), options_.percentile},
                        settings_);
  }

  Written Write(const std::set<std::string>& left) const {
    Written written;
    written.plan = PlanQuantisation(model_, layers_, left);
    written.bytes = WriteQdq(model_, written.plan, ValuesOf(written.plan));
    return written;
  }

  QuantisedValues ValuesOf(const QuantisationPlan& plan) const {
    std::map<std::string, ValueRange> ranges;
    for (const auto& [value, all] : plan.values) ranges[value] = measured_.ranges.at(value);
    return {ChooseScales(plan, ranges), measured_.means};
  }

  void MeasureAlone(QuantisedModel& result) {
    const QuantisationPlan plan = PlanQuantisation(model_, layers_, {});
    const LonelyLayers lonely = WriteLonelyLayers(model_, plan, ValuesOf(plan));
    std::vector<std::string> exact;
    for (const QuantisableLayer& layer : layers_) exact.push_back(layer.output);
    const auto errors = network_.ErrorsOf(lonely.model, lonely.outputs, exact);
    for (size_t i = 0; i < errors.size(); ++i) result.layers[i].alone = errors[i];
  }

  void MeasureHere(QuantisedModel& result) {
    std::vector<std::string> values;
    for (const QuantisableLayer& layer : layers_) values.push_back(layer.output);
    const auto errors = network_.ErrorsOf(result.bytes, values, values);
    for (size_t i = 0; i < errors.size(); ++i) result.layers[i].here = errors[i];
  }

  // Those that lose most by themselves, as few as the budget allows: their number is doubled until it holds, and then
  // halved into the gap.
  std::set<std::string> ChooseLeft(const QuantisedModel& measured) {
    std::vector<const LayerError*> worst;
    for (const LayerError& layer : measured.layers) worst.push_back(&layer);
    std::stable_sort(worst.begin(), worst.end(),
                     [](const LayerError* a, const LayerError* b) { return a->alone.sqnr_db() < b->alone.sqnr_db(); });
    const auto first = [&](size_t count) {
      std::set<std::string> left;
      for (size_t i = 0; i < count; ++i) left.insert(worst[i]->layer.node);
      return left;
    };
    double least = -1;
    const auto holds = [&](size_t count) {
      const double error = network_.LargestError(Write(first(count)).bytes);
      least = least < 0 ? error : std::min(least, error);
      return error <= options_.max_error;
    };
    const size_t most = worst.size() - 1;
    size_t fails = 0, works = 0;
    if (holds(0)) return {};
    for (works = std::min<size_t>(1, most); !holds(works); works = std::min(most, works * 2)) {
      fails = works;
      if (works < most) continue;
      throw Error(ExitCode::kAnswerIsNo, fmt::format("no layer can be quantised with an error of at most {}; the least "
                                                     "that was reached is {:.2e}, with {} of {} layers in float",
                                                     options_.max_error, least, most, worst.size()));
    }
    while (works - fails > 1) {
      const size_t middle = fails + (works - fails) / 2;
      (holds(middle) ? works : fails) = middle;
    }
    return first(works);
  }

  FloatModel model_;
  RunSettings settings_;
  const QuantiseOptions& options_;
  std::vector<QuantisableLayer> layers_;
  NetworkError network_;
  Samples samples_;
  ValueStatistics measured_;
};

}  // namespace

void AddQuantiseOptions(CommandLine& line, QuantiseOptions& options) {
  line.Add("--calibrate", options.calibrate,
           "a folder of inputs (.npz, .npy, .pb, or a folder of these per sample), or random")
      .Required()
      .About(Topic::kInputs);
  line.Add("--samples", options.samples, "how many inputs are drawn when they are random")
      .Between(int64_t{1}, int64_t{1} << 20)
      .ShowDefault();
  line.Add("--method", options.method, "how ranges are chosen: min-max, percentile, mse or entropy").ShowDefault();
  line.Add("--percentile", options.percentile, "the share of values that the method percentile keeps")
      .BetweenReal(50, 100)
      .ShowDefault();
  line.AddFlag("--no-bias-correction", options.no_bias_correction,
               "leave biases as they are; by default they take back the mean of what rounding the weights does");
  line.Add("--max-error", options.max_error,
           "leave layers in float until the outputs' max|y-r|/max|r| is at most this; 0: none")
      .BetweenReal(0, 1)
      .ShowDefault();
}

QuantisedModel QuantiseModel(const ModelOptions& options, const QuantiseOptions& quantise, int threads) {
  ParseRangeMethod(quantise.method);
  MachineOptions machine;
  machine.threads = threads;
  RunSettings settings{ImportOptionsOf(options), ResolveMachine(machine).context, options.model};
  return Quantiser(LoadFloatModel(options), std::move(settings), quantise, options.seed).Run();
}

}  // namespace hone
