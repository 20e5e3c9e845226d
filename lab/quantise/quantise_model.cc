#include "lab/quantise/quantise_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/error.h"
#include "core/text/printable.h"
#include "lab/machine/machine.h"
#include "lab/quantise/calibration_inputs.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

// Chooses the layers to leave in float: as few as the budget allows, beginning with the largest errors of single
// layers. Their number is doubled until the error is within the budget, and then found by bisection.
std::set<std::string> ChooseLeft(const Quantiser& quantiser, const std::vector<LayerError>& layers, double max_error) {
  std::vector<const LayerError*> worst;
  for (const LayerError& layer : layers) worst.push_back(&layer);
  std::stable_sort(worst.begin(), worst.end(),
                   [](const LayerError* a, const LayerError* b) { return a->alone.sqnr_db() < b->alone.sqnr_db(); });
  const auto first = [&](size_t count) {
    std::set<std::string> left;
    for (size_t i = 0; i < count; ++i) left.insert(worst[i]->layer.node);
    return left;
  };
  double least = -1;
  const auto holds = [&](size_t count) {
    const double error = quantiser.network().LargestError(quantiser.Write(first(count)).bytes);
    least = least < 0 ? error : std::min(least, error);
    return error <= max_error;
  };
  const size_t most = worst.size() - 1;
  size_t fails = 0, works = 0;
  if (holds(0)) return {};
  for (works = std::min<size_t>(1, most); !holds(works); works = std::min(most, works * 2)) {
    fails = works;
    if (works < most) continue;
    throw Error(ExitCode::kAnswerIsNo, fmt::format("no layer can be quantised with an error of at most {}; the least "
                                                   "that was reached is {:.2e}, with {} of {} in float",
                                                   max_error, least, most, Counted(worst.size(), "layer")));
  }
  while (works - fails > 1) {
    const size_t middle = fails + (works - fails) / 2;
    (holds(middle) ? works : fails) = middle;
  }
  return first(works);
}

void MeasureAlone(const Quantiser& quantiser, std::vector<LayerError>& layers) {
  const std::vector<SignalError> errors = quantiser.ErrorsAlone();
  for (size_t i = 0; i < errors.size(); ++i) layers[i].alone = errors[i];
}

void MeasureHere(const Quantiser& quantiser, const std::string& bytes, std::vector<LayerError>& layers) {
  std::vector<std::string> values;
  for (const LayerError& layer : layers) values.push_back(layer.layer.output);
  const std::vector<SignalError> errors = quantiser.network().ErrorsOf(bytes, values, values);
  for (size_t i = 0; i < errors.size(); ++i) layers[i].here = errors[i];
}

}  // namespace

QuantisedModel QuantiseModel(const ModelOptions& options, const QuantiseOptions& quantise, int threads,
                             QuantisedFor reader) {
  ParseRangeMethod(quantise.method);
  CheckImageOptions(quantise.images, quantise.calibrate);
  MachineOptions machine;
  machine.threads = threads;
  RunSettings settings{ImportOptionsOf(options), ResolveMachine(machine).context, options.model};
  const Quantiser quantiser(LoadFloatModel(options, reader), std::move(settings), quantise, options.seed);
  QuantisedModel result;
  for (const QuantisableLayer& layer : quantiser.layers()) result.layers.push_back({layer, true, {}, {}});
  MeasureAlone(quantiser, result.layers);
  std::set<std::string> left;
  if (quantise.max_error > 0) left = ChooseLeft(quantiser, result.layers, quantise.max_error);
  for (LayerError& layer : result.layers) layer.quantised = left.count(layer.layer.node) == 0;
  const Quantiser::Written written = quantiser.Write(left);
  result.bytes = written.bytes;
  result.values = written.plan.values.size();
  result.samples = quantiser.samples().seen.size();
  result.held_out = quantiser.samples().held_out.size();
  result.outputs = quantiser.network().OutputErrors(result.bytes);
  MeasureHere(quantiser, result.bytes, result.layers);
  return result;
}

namespace {

size_t LeftInFloat(const QuantisedModel& model) {
  size_t left = 0;
  for (const LayerError& layer : model.layers) left += layer.quantised ? 0 : 1;
  return left;
}

std::string LayersText(const QuantisedModel& model) {
  Table table({"layer", "op", "precision", "> alone dB", "> SQNR dB", "> cosine", "> max|y-r|/max|r|"});
  for (const LayerError& layer : model.layers) {
    table.Add({layer.layer.node, layer.layer.op_type, layer.quantised ? "int8" : "float32",
               fmt::format("{:.1f}", layer.alone.sqnr_db()), fmt::format("{:.1f}", layer.here.sqnr_db()),
               fmt::format("{:.6f}", layer.here.cosine()), fmt::format("{:.2e}", layer.here.largest())});
  }
  return table.ToText();
}

std::string OutputsText(const QuantisedModel& model) {
  Table table({"output", "> SQNR dB", "> cosine", "> max|y-r|/max|r|"});
  for (const auto& [name, error] : model.outputs) {
    table.Add({name, fmt::format("{:.1f}", error.sqnr_db()), fmt::format("{:.6f}", error.cosine()),
               fmt::format("{:.2e}", error.largest())});
  }
  return table.ToText();
}

std::string SourceText(const QuantisedModel& model, const QuantiseOptions& options) {
  const bool random = options.calibrate == "random";
  return fmt::format(
      "ranges by {} of {} {}; errors are of {}\n", options.method, model.samples,
      random ? "random inputs, which say little of real ones" : fmt::format("inputs of {}", options.calibrate),
      JudgesText(model.held_out));
}

Json ErrorJson(const SignalError& error) {
  return {{"sqnr_db", error.sqnr_db()}, {"cosine", error.cosine()}, {"max_error", FiniteOrInf(error.largest())}};
}

}  // namespace

std::string QuantisedModelText(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path) {
  const size_t left = LeftInFloat(model);
  return fmt::format("{}{}{}{} written, {} bytes: {} of {} in int8, {} in uint8\n", LayersText(model),
                     OutputsText(model), SourceText(model, options), path, model.bytes.size(),
                     model.layers.size() - left, Counted(model.layers.size(), "layer"), Counted(model.values, "value"));
}

Json QuantisedModelJson(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path) {
  Json layers = Json::array(), outputs = Json::array();
  for (const LayerError& layer : model.layers) {
    Json row = {
        {"layer", layer.layer.node}, {"op", layer.layer.op_type}, {"precision", layer.quantised ? "int8" : "float32"}};
    row["alone"] = ErrorJson(layer.alone);
    row["in_network"] = ErrorJson(layer.here);
    layers.push_back(std::move(row));
  }
  for (const auto& [name, error] : model.outputs) {
    Json row = ErrorJson(error);
    row["name"] = name;
    outputs.push_back(std::move(row));
  }
  return {{"path", path},
          {"size_bytes", model.bytes.size()},
          {"method", options.method},
          {"calibration", {{"from", options.calibrate}, {"samples", model.samples}, {"held_out", model.held_out}}},
          {"left_in_float", LeftInFloat(model)},
          {"values", model.values},
          {"layers", layers},
          {"outputs", outputs}};
}

}  // namespace hone
