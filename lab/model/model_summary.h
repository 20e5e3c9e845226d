// The summary of a model that `inspect` prints.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

struct NamedType {
  std::string name;
  std::string type;  // in Relay's text form
};

struct ModelSummary {
  std::vector<NamedType> inputs, outputs;  // inputs are main's parameters without a value
  std::vector<NamedType> parameters;       // values, in post order
  int64_t parameter_elements = 0;
  int64_t parameter_bytes = 0;
  std::map<std::string, int> ops;  // calls per operator
  double flops = 0;  // 2 x multiply-adds of convolutions, dense layers and matrix products; unknown dims count as 1
};

// Summarises a typed module.
ModelSummary Summarize(const relay::IRModule& typed);

}  // namespace hone
