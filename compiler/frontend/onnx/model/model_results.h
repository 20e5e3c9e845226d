// The results of a model beside its outputs: counts of a run, and the states that the next run takes.
#pragma once

#include <string>
#include <vector>

#include "compiler/frontend/onnx/model/model_inputs.h"
#include "compiler/frontend/onnx/model/model_states.h"
#include "compiler/frontend/onnx/typed_builder.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/state_values.h"

namespace hone {

// Appends each count once, behind the outputs, with the name that messages and tables tell it by.
std::vector<relay::CountedOutput> AddCounts(const TypedBuilder& builder, std::vector<relay::ExprPtr>& outputs,
                                            std::vector<std::string>& names);

// The `kept` states by the numbers of parameters and results. Has the builder require that no run outgrows a state's
// parameter. Throws Error(kUsage), naming the option, if the input or the output of a state is constant.
std::vector<relay::StateValue> AddStates(const std::vector<ModelState>& kept, const ModelInputs& inputs,
                                         const std::vector<relay::ExprPtr>& outputs,
                                         const std::vector<std::string>& names, TypedBuilder& builder);

}  // namespace hone
