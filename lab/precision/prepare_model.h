// Transforms the given model as --precision says.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "lab/machine/machine.h"
#include "lab/model/model.h"
#include "lab/precision/choose_precision.h"
#include "lab/quantise/quantiser.h"
#include "lab/records/records.h"

namespace hone {

struct PreparedModel {
  relay::IRModule typed;
  Machine machine;                        // with the precision to build the model with
  std::optional<ChosenPrecision> chosen;  // present for int8 and auto
};

// Makes a model's variants for one --precision. It reads calibration inputs and measures ranges on first use, and keeps
// them for later calls. Borrows the options and the model.
class ModelPreparer {
 public:
  // `precision` is the value of --precision. With int8 the model is quantised, with layers left in float as --max-error
  // requires. With auto the choice is by times. They are measured on this machine with the present records, or
  // estimated if the target is another machine.
  ModelPreparer(const ModelOptions& options, const Model& model, std::string precision,
                const PrecisionOptions& precision_options);
  ~ModelPreparer();

  // The model to build for `machine`. Throws Error as QuantiseModel and ChoosePrecision do.
  PreparedModel For(const Machine& machine, const RecordOptions& records);

  // Tasks of all networks that auto chooses among: the model in each precision that it and the machine support. A
  // workload's uses are those of the network with the most. Throws Error as PrecisionModels does.
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
  std::vector<std::vector<Tensor>> reference_;     // outputs on the judging samples, kept from the first search on
  std::optional<PreparedModel> quantised_;         // of int8; equal for all machines except in `machine`
};

}  // namespace hone
