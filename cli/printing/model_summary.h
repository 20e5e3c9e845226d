// What `inspect` says of a model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

struct NamedType {
  std::string name;
  std::string type;  // Relay's text
};

struct ModelSummary {
  std::vector<NamedType> inputs, outputs;  // inputs: main's parameters without a value
  std::vector<NamedType> parameters;       // values, in post order
  int64_t parameter_elements = 0;
  int64_t parameter_bytes = 0;
  std::map<std::string, int> ops;  // calls per operator
  double flops = 0;                // 2 x multiply-adds of convolutions and dense layers; dims not known count as 1
};

// The module needs its types.
ModelSummary Summarize(const relay::IRModule& typed);

}  // namespace hone
