#include "compiler/passes/layouts/layout_graph.h"

#include <algorithm>
#include <set>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/cheapest_choices.h"
#include "compiler/passes/layouts/layout_text.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr double kCacheShare = 0.9;
constexpr double kCallNs = 500;  // cost of one more kernel: its start and its barrier
// Cycles per element that the caches hold, on a Zen 5 core at 4, 8 and 16 lanes. Measured: 0.22 to 0.32 into and out of
// blocks, 0.28 to 0.5 from block to block.
constexpr double kIntoBlocks = 0.28;
constexpr double kOutOfBlocks = 0.28;
constexpr double kBetweenBlocks = 0.4;

double PhysicalBytes(const relay::Type& type, const std::string& layout) {
  const Shape shape = layout.empty() ? type.shape : Layout::Parse(layout).PhysicalShape(type.shape);
  return static_cast<double>(ElementCount(shape)) * static_cast<double>(DTypeBytes(type.dtype));
}

// Number of logical elements; -1 for a tuple or an unknown shape.
int64_t Elements(const relay::Type& type) {
  if (type.kind != relay::TypeKind::kTensor) return -1;
  const bool known = std::all_of(type.shape.begin(), type.shape.end(), [](int64_t dim) { return dim >= 0; });
  return known ? ElementCount(type.shape) : -1;
}

}  // namespace

// The cold rate is that of the second cache if a graph's weights stay there. Larger values leave it all the same.
double LayoutCost::MoveNs(double bytes) const {
  const LevelRates& rates = machine_.moved_bytes_per_cycle;
  const auto fits = [&](int64_t cache) { return bytes < kCacheShare * static_cast<double>(cache); };
  const double far = fits(machine_.l3_bytes) ? rates.l3 : rates.memory, cold = machine_.cold_bytes_per_cycle;
  return bytes / (fits(machine_.l2_bytes) ? rates.l2 : cold < rates.l2 ? cold : far) / machine_.clock_ghz;
}

double LayoutCost::TransformNs(const relay::Type& type, const std::string& from, const std::string& to) const {
  const int64_t elements = Elements(type);
  if (from == to || elements < 0) return 0;
  const double move_ns = MoveNs(PhysicalBytes(type, from) + PhysicalBytes(type, to));
  const double cycles = to.empty() ? kOutOfBlocks : from.empty() ? kIntoBlocks : kBetweenBlocks;
  const double element_ns = cycles / machine_.clock_ghz;
  return kCallNs + std::max(move_ns, element_ns * static_cast<double>(elements)) / std::max(machine_.threads, 1);
}

double LayoutCost::PaddingNs(const relay::Type& type, const std::string& layout) const {
  if (layout.empty() || Elements(type) < 0) return 0;
  return 2 * MoveNs(PhysicalBytes(type, layout) - PhysicalBytes(type, "")) / std::max(machine_.threads, 1);
}

using relay::Call;
using relay::ExprPtr;
using relay::TypePtr;

namespace {

const std::vector<ExprPtr>& ArgsOrFields(const ExprPtr& expr) {
  static const std::vector<ExprPtr> none;
  if (const Call* call = relay::AsCall(expr)) return call->args;
  const relay::Tuple* tuple = relay::AsTuple(expr);
  return tuple ? tuple->fields : none;
}

// The way with all operands row-major.
CallWay RowMajor(size_t operands) { return {{std::vector<std::string>(operands), ""}}; }

}  // namespace

LayoutGraph::LayoutGraph(const ExprPtr& body, ConfigChooser& configs, const MachineModel& machine)
    : call_ways_(body, configs), cost_(machine) {
  const std::vector<ExprPtr> order = PostOrder(body);
  for (const ExprPtr& expr : order) {
    if (relay::AsCall(expr)) {
      AddCall(expr);
    } else if (!relay::AsConstant(expr)) {
      AddValue(expr, {RowMajor(ArgsOrFields(expr).size())}, 0);
    }
  }
  for (const ExprPtr& expr : order) AddUses(expr);
  if (!relay::AsTuple(body)) {
    reader_ = relay::MakeTuple({body});
    AddValue(reader_, {RowMajor(1)}, 0);
    AddUses(reader_);
  }
  const int values = static_cast<int>(ways_.size());
  for (int node = 0; node < values; ++node) AddTransforms(node);
  DescendChoices(graph_, followers_, per_layer_);
}

const CallWay& LayoutGraph::Of(const relay::Expr* call, const Choices& choices) const {
  const auto node = static_cast<size_t>(node_of_.at(call));
  return Nth(ways_[node], choices[node]);
}

void LayoutGraph::AddValue(const ExprPtr& expr, std::vector<CallWay> ways, int per_layer) {
  node_of_.emplace(expr.get(), static_cast<int>(ways_.size()));
  std::vector<double> costs;
  for (const CallWay& way : ways) {
    const double padding_ns = expr->type ? cost_.PaddingNs(*expr->type, way.layouts.result) : 0;
    costs.push_back((way.anchor ? way.anchor->cost_ns : 0) + padding_ns);
  }
  graph_.nodes.push_back(std::move(costs));
  per_layer_.push_back(per_layer);
  ways_.push_back(std::move(ways));
  types_.push_back(expr->type);
  uses_.emplace_back();
}

void LayoutGraph::AddCall(const ExprPtr& expr) {
  const Call& call = *relay::AsCall(expr);
  const auto may_lie = [&](const ExprPtr& arg, const std::string& layout) {
    const auto found = node_of_.find(arg.get());
    if (found == node_of_.end()) return false;
    const std::vector<CallWay>& ways = Nth(ways_, found->second);
    return std::any_of(ways.begin(), ways.end(), [&](const CallWay& way) { return way.layouts.result == layout; });
  };
  std::vector<CallWay> ways = call_ways_.Of(call, may_lie);
  const int per_layer = PerLayer(call, ways);
  const std::vector<std::string>& operands = ways.front().layouts.operands;
  if (!operands.empty() && operands.front() == kAnyLayout) followers_.push_back(static_cast<int>(ways_.size()));
  AddValue(expr, std::move(ways), per_layer);
}

int LayoutGraph::PerLayer(const Call& call, const std::vector<CallWay>& ways) const {
  if (ways.front().anchor) return 0;
  std::vector<TypePtr> types;
  for (const ExprPtr& arg : call.args) {
    const auto node = node_of_.find(arg.get());
    if (node == node_of_.end() || arg->type->kind != relay::TypeKind::kTensor) {
      types.push_back(arg->type);
    } else {
      const auto choice = static_cast<size_t>(Nth(per_layer_, node->second));
      types.push_back(InLayout(arg->type, Result(node->second, choice)));
    }
  }
  const OperandLayouts follows = LayoutForGroup(*relay::AsFunction(call.op), types);
  const auto way =
      std::find_if(ways.begin(), ways.end(), [&](const CallWay& w) { return w.layouts.result == follows.result; });
  return way == ways.end() ? 0 : static_cast<int>(way - ways.begin());
}

void LayoutGraph::AddUses(const ExprPtr& expr) {
  const std::vector<ExprPtr>& children = ArgsOrFields(expr);
  for (size_t i = 0; i < children.size(); ++i) {
    const auto producer = node_of_.find(children[i].get());
    if (producer != node_of_.end()) Nth(uses_, producer->second).push_back({node_of_.at(expr.get()), i});
  }
}

void LayoutGraph::AddTransforms(int producer) {
  std::set<std::string> wanted;
  for (const Use& use : Nth(uses_, producer)) {
    for (const CallWay& way : Nth(ways_, use.node)) wanted.insert(way.layouts.operands[use.operand]);
  }
  wanted.erase(kAnyLayout);
  for (const std::string& layout : wanted) {
    std::vector<Use> readers;
    for (const Use& use : Nth(uses_, producer)) {
      const size_t ways = Nth(ways_, use.node).size();
      for (size_t choice = 0; choice < ways; ++choice) {
        if (!Wants(use, choice, layout)) continue;
        readers.push_back(use);
        break;
      }
    }
    readers.size() == 1 ? AddTransform(producer, readers.front(), layout)
                        : AddSharedTransform(producer, readers, layout);
  }
}

void LayoutGraph::AddTransform(int producer, const Use& reader, const std::string& layout) {
  ChoiceGraph::Edge edge{producer, reader.node, {}};
  for (size_t p = 0; p < Nth(ways_, producer).size(); ++p) {
    const double transform_ns = TransformNs(producer, p, layout);
    for (size_t r = 0; r < Nth(ways_, reader.node).size(); ++r) {
      edge.cost.push_back(Wants(reader, r, layout) ? transform_ns : 0);
    }
  }
  const bool costs = std::any_of(edge.cost.begin(), edge.cost.end(), [](double cost) { return cost > 0; });
  if (costs) graph_.edges.push_back(std::move(edge));
}

// Choice 0 leaves the transform to the readers; choice 1 makes it once for all. It is free if the producer writes that
// layout.
void LayoutGraph::AddSharedTransform(int producer, const std::vector<Use>& readers, const std::string& layout) {
  const int node = static_cast<int>(graph_.nodes.size());
  ChoiceGraph::Edge made{producer, node, {}};
  double most_ns = 0;
  for (size_t p = 0; p < Nth(ways_, producer).size(); ++p) {
    const double transform_ns = TransformNs(producer, p, layout);
    made.cost.insert(made.cost.end(), {0, transform_ns});
    most_ns = std::max(most_ns, transform_ns);
  }
  if (most_ns == 0) return;
  graph_.nodes.push_back({0, 0});
  per_layer_.push_back(1);
  followers_.push_back(node);
  graph_.edges.push_back(std::move(made));
  for (const Use& reader : readers) {
    ChoiceGraph::Edge edge{node, reader.node, {}};
    for (const double alone_ns : {most_ns, 0.0}) {
      for (size_t r = 0; r < Nth(ways_, reader.node).size(); ++r) {
        edge.cost.push_back(Wants(reader, r, layout) ? alone_ns : 0);
      }
    }
    graph_.edges.push_back(std::move(edge));
  }
}

const std::string& LayoutGraph::Result(int node, size_t choice) const {
  return Nth(ways_, node)[choice].layouts.result;
}

bool LayoutGraph::Wants(const Use& use, size_t choice, const std::string& layout) const {
  return Nth(ways_, use.node)[choice].layouts.operands[use.operand] == layout;
}

double LayoutGraph::TransformNs(int producer, size_t choice, const std::string& layout) const {
  return cost_.TransformNs(*Nth(types_, producer), Result(producer, choice), layout);
}

}  // namespace hone
