// What a model runs on a machine, layer by layer, before kernels are chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/workload.h"

namespace hone {

// A fused function of the model. Equal ones are one layer.
struct Layer {
  std::string op;                    // the anchor, else the first operator
  std::optional<Workload> workload;  // of an anchor; absent: an operator without knobs
  std::string name;                  // the workload's text; of others the operator and what it writes
  int uses = 0;
  double flops = 0;                // of one use: as Workload::Flops, of an attention of both products; 0 of others
  double bytes = 0;                // of one use: operands read once and results written once, row-major
  std::vector<std::string> nodes;  // names of the model's nodes
};

// In the order of their first use. The anchors are those of ExtractTasks with the same context. What only views memory
// anew (a reshape) is no layer. Layout transforms, which depend on the kernels that are chosen, are not among them.
// Throws Error(kBadData) for a shape that is not known.
std::vector<Layer> ExtractLayers(const relay::IRModule& module, const BuildContext& context);

}  // namespace hone
