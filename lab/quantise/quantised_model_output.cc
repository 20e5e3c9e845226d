#include "lab/quantise/quantised_model_output.h"

#include <fmt/format.h>

#include "lab/quantise/calibration_split.h"
#include "lab/text/print_json.h"
#include "lab/text/table.h"

namespace hone {
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
  return fmt::format("{}{}{}{} written, {} bytes: {} of {} layers in int8, {} values in uint8\n", LayersText(model),
                     OutputsText(model), SourceText(model, options), path, model.bytes.size(),
                     model.layers.size() - left, model.layers.size(), model.values);
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
