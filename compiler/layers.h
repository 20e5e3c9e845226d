// The layers that a model runs on a machine, before kernels are chosen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/workload.h"

namespace hone {

// A fused function of the model. Equal functions are one layer.
struct Layer {
  std::string op;                    // the anchor, else the first operator
  std::optional<Workload> workload;  // of an anchor; absent for an operator without knobs
  std::string name;                  // the workload's text; for others the operator and its results
  int uses = 0;
  double flops = 0;                // of one use: Workload::Flops; for an attention of both products; 0 for others
  double bytes = 0;                // of one use: operands read once and results written once, row-major
  std::vector<std::string> nodes;  // names of the model's nodes
};

// The layers in the order of their first use. The anchors are those of ExtractTasks with the same context. A function
// that only views memory differently (a reshape) is no layer. Layout transforms depend on the chosen kernels and are
// left out. Throws Error(kBadData) for an unknown shape.
std::vector<Layer> ExtractLayers(const relay::IRModule& module, const BuildContext& context);

}  // namespace hone
