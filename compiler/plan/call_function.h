// The functions of a plan's calls.
#pragma once

#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// A kernel that copies a tensor, whether or not its images lie apart.
relay::FunctionPtr CopyFunction(const relay::TypePtr& type);

// The part of a function that its call keeps for people.
struct FunctionSummary {
  std::string op = "copy";  // the anchor, else the first operator
  std::vector<std::string> nodes;
};
FunctionSummary Summarise(const relay::Function& function);

}  // namespace hone
