// The layers that a model runs on a machine, and the kernels that a build chooses for them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/passes/graph/anchor.h"
#include "compiler/relay/expr.h"
#include "core/build_context.h"
#include "core/candidate.h"
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

// One way to run a layer: the best known kernel that reads and writes in these layouts.
struct LayerWay {
  std::string data, output;  // layouts as in the graph; empty: row-major
  ConfigChoice choice;
  double cost_ns = 0;  // of one call, by its record or else by estimate; comparable within the layer
  // Kernels for runs that need at most a part of the result, by its axes (graph/anchor_result.h).
  std::vector<AnchorVariant> variants = {};
};

// One call of a model, with the kernel that a build chooses for it.
struct ChosenLayer {
  Layer layer;  // with one use
  // At least one for an anchor, of which the first is the fastest by itself. None for an operator without knobs.
  std::vector<LayerWay> ways;
  size_t chosen = 0;  // index in `ways`
};

// The choices of a build with this context for each call of a model, and the cost of the alternatives. Used by one
// thread at a time.
class ChosenLayers {
 public:
  // `configs` may be null. It must outlive the constructor. Throws as Build does for what its passes refuse.
  ChosenLayers(const relay::IRModule& module, const BuildContext& context, ConfigSource* configs);
  ~ChosenLayers();

  // In the order of execution, without functions that only view memory differently.
  const std::vector<ChosenLayer>& layers() const;
  // Estimated nanoseconds of a run's anchors and layout transforms. 0 below -O 3, where each layer takes its best.
  double network_ns() const;
  // As above, if this layer runs in this way and all others choose anew.
  double NetworkNsWith(size_t layer, size_t way) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hone
