// The model that --precision makes of the one that was given.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/machine_options.h"
#include "cli/model.h"
#include "cli/precision/choose_precision.h"
#include "cli/precision/precision_options.h"
#include "cli/quantise/quantiser.h"
#include "cli/record_options.h"
#include "compiler/build.h"

namespace hone {

struct PreparedModel {
  relay::IRModule typed;
  Machine machine;                        // with the precision that the model is to be built with
  std::optional<ChosenPrecision> chosen;  // of int8 and auto
};

// Makes a model's forms for one --precision. Calibration inputs are read, and ranges measured, when they are needed
// first, and kept for whatever else is asked. Borrows the options and the model.
class ModelPreparer {
 public:
  // `precision`: as --precision. int8 is quantised, with layers left in float where --max-error asks for it; auto is
  // chosen by times that are taken on this machine with the records that are there, or estimated where the machine is
  // another.
  ModelPreparer(const ModelOptions& options, const Model& model, std::string precision,
                const PrecisionOptions& precision_options);
  ~ModelPreparer();

  // What is to be built for `machine`. Throws Error as QuantiseModel and ChoosePrecision do.
  PreparedModel For(const Machine& machine, const RecordOptions& records);

  // The tasks of all that auto chooses among: of the model in each precision that it and the machine have. A workload's
  // uses are those of the network that has most. Throws Error as PrecisionModels does.
  std::vector<Task> TasksOfEachPrecision(const Machine& machine);

 private:
  const PrecisionModels& ModelsOn(const Machine& machine);
  PreparedModel Quantised(const Machine& machine);
  PreparedModel Chosen(const Machine& machine, const RecordOptions& records);

  const ModelOptions& options_;
  const Model& model_;
  const std::string precision_;
  const PrecisionOptions& precision_options_;
  const QuantiseOptions calibration_;
  std::unique_ptr<const PrecisionModels> models_;  // of auto
  std::vector<std::vector<Tensor>> reference_;     // its outputs on the judging samples, from the first search on
  std::optional<PreparedModel> quantised_;         // of int8: the same for all machines but for the machine
};

}  // namespace hone
