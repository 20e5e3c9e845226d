// The possible layouts of main's values, as a graph of choices.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/passes/layouts/call_ways.h"
#include "compiler/passes/layouts/cheapest_choices.h"
#include "compiler/relay/expr.h"
#include "core/machine/target.h"

namespace hone {

// The cost of a value's layout. Estimated nanoseconds on the machine's threads, comparable with the estimates of
// schedules. Layouts are the graph's texts (empty is row-major).
class LayoutCost {
 public:
  explicit LayoutCost(MachineModel machine) : machine_(std::move(machine)) {}
  // 0 if both layouts are equal, or if the type is no tensor of known shape.
  double TransformNs(const relay::Type& type, const std::string& from, const std::string& to) const;
  // Time to write and read the lanes past the channels.
  double PaddingNs(const relay::Type& type, const std::string& layout) const;

 private:
  double MoveNs(double bytes) const;
  MachineModel machine_;
};

// Every node of main that makes a value is a node of the graph. A call's choices are its ways to run (see call_ways.h);
// everything else is row-major. A choice costs the anchor's time plus that of the lanes that pad its result. An edge
// costs the transform if the value's layout differs from the one that its reader wants. If several calls read it in one
// layout, it is transformed once for all of them. A node of its own decides whether to make that transform:
//
//    producer ---- reader           one reader:        the edge costs the transform
//
//    producer ---- shared ---+--- reader               shared = 0: each reader pays
//                            +--- reader               shared = 1: the producer's edge pays once
//
// Constants are packed ahead and cost nothing.
class LayoutGraph {
 public:
  // `body` (main's) and `configs` must outlive it.
  LayoutGraph(const relay::ExprPtr& body, ConfigChooser& configs, const MachineModel& machine);

  const ChoiceGraph& graph() const { return graph_; }
  // The choices if each layer chooses for itself: an anchor takes its best, other functions follow their inputs
  // (LayoutForGroup).
  const Choices& per_layer() const { return per_layer_; }
  // The call's number among the nodes.
  int NodeOf(const relay::Expr* call) const { return node_of_.at(call); }
  // The way to run the call.
  const CallWay& Of(const relay::Expr* call, const Choices& choices) const;

 private:
  struct Use {
    int node = 0;
    size_t operand = 0;
    bool operator==(const Use&) const = default;
  };
  void AddValue(const relay::ExprPtr& expr, std::vector<CallWay> ways, int per_layer);
  void AddCall(const relay::ExprPtr& expr);
  int PerLayer(const relay::Call& call, const std::vector<CallWay>& ways) const;
  void AddUses(const relay::ExprPtr& expr);
  void AddTransforms(int producer);
  void AddTransform(int producer, const Use& reader, const std::string& layout);
  void AddSharedTransform(int producer, const std::vector<Use>& readers, const std::string& layout);
  const std::string& Result(int node, size_t choice) const;
  bool Wants(const Use& use, size_t choice, const std::string& layout) const;
  double TransformNs(int producer, size_t choice, const std::string& layout) const;

  CallWays call_ways_;
  relay::ExprPtr reader_;  // reader of main's result
  LayoutCost cost_;
  ChoiceGraph graph_;
  Choices per_layer_;
  std::vector<std::vector<CallWay>> ways_;  // by node, for nodes that make values
  std::vector<relay::TypePtr> types_;       // by node, for nodes that make values
  std::vector<std::vector<Use>> uses_;      // by node, for nodes that make values
  std::vector<int> followers_;              // calls that write any layout, and shared transforms
  std::unordered_map<const relay::Expr*, int> node_of_;
};

}  // namespace hone
