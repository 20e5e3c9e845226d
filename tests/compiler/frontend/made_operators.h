// The Relay operators that ONNX nodes became in the models imported by this process.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/relay/expr.h"

namespace hone {

// Pairs of Relay operator and ONNX operator.
using MadeOperators = std::set<std::pair<std::string, std::string>>;
MadeOperators& SeenMadeOperators();

// Adds the operators that the model's nodes became in the imported module: calls carry their nodes' names.
void RecordMadeOperators(std::string_view model, const relay::IRModule& imported);

}  // namespace hone
