// One node of a model, built and run alone on what the reference gives it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/compare_outputs.h"
#include "cli/inputs.h"
#include "cli/machine_options.h"
#include "cli/record_options.h"
#include "compiler/relay/expr.h"

namespace hone {

struct NodeAlone {
  std::vector<std::pair<std::string, Tensor>>
      operands;                                         // operand0, ...: what it was given; its constants are not among
  std::vector<std::pair<std::string, Tensor>> outputs;  // the node's name, with _1, _2 behind it from the second on
  std::vector<OutputError> errors;                      // of each output against the reference on the same operands
  std::vector<std::string> kernels;                     // "nn.conv2d conv2d_direct oc_block=16 ...", by calls
  int64_t run_ns = 0;
};

// `given` holds operands by number that are used instead of the model's own values. Those that are not given are what
// the reference makes of `inputs`; with all of them given the model is not run. Throws Error(kUsage) for a node or an
// operand that is not there, and for an operand of another type; what a build throws; and what MakeInputs throws.
NodeAlone RunNodeAlone(const relay::IRModule& typed, const std::string& node, const InputOptions& inputs,
                       const std::map<size_t, Tensor>& given, const Machine& machine, const RecordOptions& records,
                       double tolerance);

}  // namespace hone
