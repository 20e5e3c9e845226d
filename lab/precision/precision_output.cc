#include "lab/precision/precision_output.h"

#include <fmt/format.h>

#include <algorithm>

#include "lab/quantise/calibration_inputs.h"
#include "lab/text/number_text.h"
#include "lab/text/print.h"
#include "lab/text/table.h"

namespace hone {
namespace {

bool HasTimes(const ChosenPrecision& chosen) {
  return std::any_of(chosen.tried.begin(), chosen.tried.end(), [](const TriedNetwork& t) { return t.ns > 0; });
}

std::string LossText(const LayerChoice& layer) {
  return layer.precision == LayerPrecision::kFloat32 ? "" : fmt::format("{:.1f}", layer.alone_db);
}

std::string OutputErrorText(const LayerChoice& layer) {
  return layer.output_error > 0 ? fmt::format("{:.1e}", layer.output_error) : "";
}

std::string LayersText(const ChosenPrecision& chosen) {
  const bool timed = HasTimes(chosen);
  std::vector<std::string> head = {"layer", "op", "precision", "> alone dB"};
  if (timed) head.insert(head.end(), {"> at output", "> float32", "> chosen", "> gain"});
  Table table(std::move(head));
  for (const LayerChoice& layer : chosen.layers) {
    std::vector<std::string> row = {layer.layer, layer.op, std::string(LayerPrecisionName(layer.precision)),
                                    LossText(layer)};
    if (timed) {
      row.push_back(OutputErrorText(layer));
      row.push_back(TimeText(std::llround(layer.float32_ns)));
      row.push_back(TimeText(std::llround(layer.ns)));
      row.push_back(TimeText(std::llround(layer.float32_ns - layer.ns)));
    }
    table.Add(std::move(row));
  }
  return table.ToText();
}

std::string VerdictText(const TriedNetwork& network) {
  return network.taken ? "taken" : network.holds ? "" : "over the budget";
}

std::string TriedText(const ChosenPrecision& chosen) {
  Table table({"tried", "> float32", "> bfloat16", "> int8", "> expected", "> max|y-r|/max|r|", "> time", "verdict"});
  for (const TriedNetwork& network : chosen.tried) {
    table.Add({network.what, fmt::format("{}", network.layers[0]), fmt::format("{}", network.layers[1]),
               fmt::format("{}", network.layers[2]),
               network.expected > 0 ? fmt::format("{:.1e}", network.expected) : "",
               fmt::format("{:.2e}", network.error), network.ns > 0 ? TimeText(network.ns) : "", VerdictText(network)});
  }
  return table.ToText();
}

std::string SourceText(const ChosenPrecision& chosen) {
  std::string text;
  for (const std::string& left_out : chosen.left_out) text += fmt::format("left out: {}\n", left_out);
  if (!chosen.measured) text += "times are estimates: the target is not this machine\n";
  const std::string from =
      chosen.calibrate == "random" ? "random inputs, which say little of real ones" : "inputs of " + chosen.calibrate;
  text += fmt::format("calibrated with {} {}; errors are of {}\n", chosen.samples, from, JudgesText(chosen.held_out));
  return text;
}

Json CountsJson(const LayerCounts& counts) {
  return {{"float32", counts[0]}, {"bfloat16", counts[1]}, {"int8", counts[2]}};
}

}  // namespace

std::string ChosenPrecisionText(const ChosenPrecision& chosen) {
  return LayersText(chosen) + TriedText(chosen) + SourceText(chosen);
}

Json ChosenPrecisionJson(const ChosenPrecision& chosen) {
  Json layers = Json::array(), tried = Json::array();
  for (const LayerChoice& layer : chosen.layers) {
    layers.push_back({{"layer", layer.layer},
                      {"op", layer.op},
                      {"precision", LayerPrecisionName(layer.precision)},
                      {"alone_db", layer.alone_db},
                      {"output_error", FiniteOrInf(layer.output_error)},
                      {"float32_ns", std::llround(layer.float32_ns)},
                      {"chosen_ns", std::llround(layer.ns)}});
  }
  for (const TriedNetwork& network : chosen.tried) {
    tried.push_back({{"what", network.what},
                     {"layers", CountsJson(network.layers)},
                     {"expected_error", FiniteOrInf(network.expected)},
                     {"max_error", FiniteOrInf(network.error)},
                     {"holds", network.holds},
                     {"ns", network.ns},
                     {"taken", network.taken}});
  }
  return {{"name", PackagePrecisionOf(chosen).name},
          {"budget", chosen.max_error >= 0 ? Json(chosen.max_error) : Json(nullptr)},
          {"max_error", FiniteOrInf(chosen.error())},
          {"calibration", {{"from", chosen.calibrate}, {"samples", chosen.samples}, {"held_out", chosen.held_out}}},
          {"measured", chosen.measured},
          {"left_out", chosen.left_out},
          {"layers", layers},
          {"tried", tried}};
}

}  // namespace hone
