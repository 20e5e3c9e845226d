// What quantising a model came to, for people and as JSON.
#pragma once

#include <string>

#include "cli/printing/print_json.h"
#include "cli/quantise/quantise_model.h"

namespace hone {

// A table of layers, one of outputs, and where the ranges are from. `path` is where the model was written.
std::string QuantisedModelText(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path);
// docs/cli.md has the fields.
Json QuantisedModelJson(const QuantisedModel& model, const QuantiseOptions& options, const std::string& path);

}  // namespace hone
