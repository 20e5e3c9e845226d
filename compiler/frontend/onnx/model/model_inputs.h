// The parameters that a model's inputs become.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/onnx/model/model_states.h"
#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "compiler/relay/ranged_inputs.h"

namespace hone {

struct ModelInputs {
  std::vector<std::shared_ptr<const relay::Var>> params;  // of the declared types; extents follow the model's own
  std::vector<relay::RangedInput> ranged;                 // by numbers of params
  std::vector<relay::ExprPtr> values;  // one per input of the graph: its parameter, or the constant of options.values
};

// Sets the counts of values with ranged axes. Adds to `notices`. Throws what ResolveInputs throws, Error(kUsage) for a
// value of no input, and Error(kBadData) for an input that is too large.
ModelInputs AddModelInputs(const OnnxGraph& graph, const OnnxImportOptions& options,
                           const std::vector<ModelState>& states, std::vector<std::string>& notices,
                           TypedBuilder& builder);

}  // namespace hone
