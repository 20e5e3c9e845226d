// Prints the result of quantising a model, for people and as JSON.
#pragma once

#include <string>

#include "lab/quantise/quantise_model.h"
#include "lab/text/print_json.h"

namespace hone {

// A table of layers, one of outputs, and the source of the ranges. `path` is the file with the model.
std::string QuantisedModelText(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path);
// JSON with the fields of docs/reference/cli.md.
Json QuantisedModelJson(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path);

}  // namespace hone
