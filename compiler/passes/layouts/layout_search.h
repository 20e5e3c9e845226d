// The cheapest layouts and configurations of a whole graph, and what other choices would cost.
#pragma once

#include <cstddef>
#include <vector>

#include "compiler/passes/graph/pass_context.h"
#include "compiler/passes/layouts/layout_graph.h"

namespace hone {

// The machine as the model's kernels see it: if the second cache holds all weights together, they are never cold.
MachineModel MachineOf(const relay::ExprPtr& body, const PassContext& context);

class LayoutSearch {
 public:
  // `body` is main's, after fusion. It and `configs` must outlive this.
  LayoutSearch(const relay::ExprPtr& body, ConfigChooser& configs, const MachineModel& machine);

  // The way in which the call runs.
  const CallWay& Of(const relay::Expr* call) const { return graph_.Of(call, found_.choices); }
  // The estimated time of a run, in nanoseconds: the cost of the graph's choices, and with the best of each layer.
  double expected_ns() const { return found_.cost; }
  double per_layer_ns() const { return CostOf(graph_.graph(), graph_.per_layer()); }
  // The least time of a run that is found if the call runs in its way `way`, and all others choose anew.
  double NsWith(const relay::Expr* call, size_t way) const;

 private:
  LayoutGraph graph_;
  CheapestChoices found_;
};

}  // namespace hone
