// Which Relay operators ONNX's nodes became in the models that this process imported.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/relay/expr.h"

namespace hone {

// Relay operator and ONNX operator.
using MadeOperators = std::set<std::pair<std::string, std::string>>;
MadeOperators& SeenMadeOperators();

// Adds what the model's nodes are in the module that was imported of it: calls bear their nodes' names.
void RecordMadeOperators(std::string_view model, const relay::IRModule& imported);

}  // namespace hone
