// Builds and runs one node of a model by itself, on the operands that the reference gives it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/relay/expr.h"
#include "lab/machine/machine.h"
#include "lab/model/inputs.h"
#include "lab/records/records.h"
#include "lab/verify/compare_outputs.h"

namespace hone {

struct NodeAlone {
  std::vector<std::pair<std::string, Tensor>> operands;  // operand0, ...: its operands without constants
  std::vector<std::pair<std::string, Tensor>> outputs;  // named after the node, with _1, _2 appended from the second on
  std::vector<OutputError> errors;                      // of each output against the reference on the same operands
  std::vector<std::string> kernels;                     // "nn.conv2d conv2d_direct oc_block=16 ...", by calls
  int64_t run_ns = 0;
};

// `given` holds operands by number, which replace the model's own values. The reference computes the others from
// `inputs`; if all are given, the model is not run. Throws Error(kUsage) for an unknown node or operand, and for an
// operand of another type. Also throws what a build and MakeInputs throw.
NodeAlone RunNodeAlone(const relay::IRModule& typed, const std::string& node, const InputOptions& inputs,
                       const std::map<size_t, Tensor>& given, const Machine& machine, const RecordOptions& records,
                       double tolerance);

}  // namespace hone
