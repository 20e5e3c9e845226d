// The model that --precision makes of the one that was given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/machine_options.h"
#include "cli/model.h"
#include "cli/precision/choose_precision.h"
#include "cli/precision/precision_options.h"
#include "cli/record_options.h"
#include "compiler/build.h"

namespace hone {

struct PreparedModel {
  relay::IRModule typed;
  Machine machine;                        // with the precision that the model is to be built with
  std::optional<ChosenPrecision> chosen;  // of int8 and auto
};

// `precision`: as --precision. int8 is quantised, with layers left in float where --max-error asks for it; auto is
// chosen by times that are taken on this machine with the records that are there, or estimated where `machine` is
// another. Throws Error as QuantiseModel and ChoosePrecision do.
PreparedModel PrepareModel(const ModelOptions& options, const Model& model, const std::string& precision,
                           const PrecisionOptions& precision_options, const Machine& machine,
                           const RecordOptions& records);

// The tasks of all that auto chooses among: of the model in each precision that it and the machine have. A workload's
// uses are those of the network that has most. Throws Error as PrecisionModels does.
std::vector<Task> TasksOfEachPrecision(const ModelOptions& options, const Model& model,
                                       const PrecisionOptions& precision_options, const Machine& machine);

}  // namespace hone
