// The model's nodes that a fused function computes.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The names of the calls in its body, each once, in post order. Calls without a name are skipped.
std::vector<std::string> NodeNames(const relay::Function& function);

}  // namespace hone
