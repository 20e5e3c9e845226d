#include "compiler/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "compiler/ops/attention/kernel.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/layout_search.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {
namespace {

double BytesOf(const relay::TypePtr& ptr) {
  const relay::Type& type = *ptr;
  if (type.kind != relay::TypeKind::kTensor) {
    double bytes = 0;
    for (const relay::TypePtr& field : type.fields) bytes += BytesOf(field);
    return bytes;
  }
  if (!IsStatic(type.shape)) {
    throw Error(ExitCode::kBadData,
                fmt::format("{} has a dimension that is not known; fix the input's shape", relay::ToText(ptr)));
  }
  return static_cast<double>(ElementCount(type.shape)) * static_cast<double>(DTypeBytes(type.dtype));
}

// Whether the function leaves row-major memory as it is.
bool IsView(const relay::Function& function) {
  const std::vector<relay::ExprPtr> order = PostOrder(function.body);
  return std::all_of(order.begin(), order.end(), [](const relay::ExprPtr& expr) {
    const relay::Call* call = relay::AsCall(expr);
    return call == nullptr || relay::AsOp(call->op)->def->name == "reshape";
  });
}

Layer LayerOf(const relay::Call& call, const relay::Function& function) {
  Layer layer;
  layer.nodes = NodeNames(function);
  for (const relay::ExprPtr& expr : PostOrder(function.body)) {
    const relay::Call* inner = relay::AsCall(expr);
    if (inner == nullptr) continue;
    layer.op = relay::AsOp(inner->op)->def->name;
    break;
  }
  for (const relay::ExprPtr& arg : call.args) layer.bytes += BytesOf(arg->type);
  layer.bytes += BytesOf(call.type);
  layer.name = layer.op + " " + relay::ToText(call.type);
  if (const Anchor* anchor = AnchorOf(function)) {
    layer.op = anchor->workload.op;
    layer.workload = anchor->workload;
    layer.name = anchor->workload.ToText();
    layer.flops = anchor->workload.Flops();
  }
  if (const Attention* attention = AttentionOf(function)) {
    layer.op = kAttentionName;
    layer.name = fmt::format("{} {}", kAttentionName, attention->scores.ToText());
    layer.flops = attention->Flops();
  }
  return layer;
}

}  // namespace

std::vector<Layer> ExtractLayers(const relay::IRModule& module, const BuildContext& context) {
  const relay::IRModule fused = RunPassesUntil("fuse", relay::InferType(module), {context});
  std::vector<Layer> layers;
  std::map<std::string, size_t> index;
  for (const relay::ExprPtr& expr : PostOrder(fused.main->body)) {
    const relay::Call* call = relay::AsCall(expr);
    const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
    if (function == nullptr || IsView(*function)) continue;
    Layer layer = LayerOf(*call, *function);
    const auto [it, is_new] = index.try_emplace(layer.name, layers.size());
    if (is_new) {
      layers.push_back(std::move(layer));
    } else {
      std::vector<std::string>& nodes = layers[it->second].nodes;
      nodes.insert(nodes.end(), layer.nodes.begin(), layer.nodes.end());
    }
    ++layers[it->second].uses;
  }
  return layers;
}

namespace {

LayerWay WayOf(const CallWay& way) {
  return {way.layouts.operands.front(), way.layouts.result, way.anchor->choice, way.anchor->cost_ns,
          way.anchor->variants};
}

size_t IndexOf(const CallWay& chosen, const std::vector<CallWay>& ways) {
  const auto same = [&](const CallWay& way) { return way.anchor == chosen.anchor; };
  return static_cast<size_t>(std::find_if(ways.begin(), ways.end(), same) - ways.begin());
}

}  // namespace

struct ChosenLayers::State {
  relay::IRModule fused;
  PassContext context;
  MachineModel machine;
  NeededResults needed;
  ConfigChooser chooser;
  std::optional<LayoutSearch> search;  // absent below -O 3
  std::vector<ChosenLayer> layers = {};
  std::vector<const relay::Expr*> calls = {};  // of each layer

  State(const relay::IRModule& module, const PassContext& passes)
      : fused(RunPassesUntil("fuse", relay::InferType(module), passes)),
        context(passes),
        machine(MachineOf(fused.main->body, context)),
        needed(fused, passes.build.lengths),
        chooser(context, machine, &needed) {
    if (context.build.opt_level >= 3) search.emplace(fused.main->body, chooser, machine);
    for (const relay::ExprPtr& expr : PostOrder(fused.main->body)) {
      const relay::Call* call = relay::AsCall(expr);
      const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
      if (function != nullptr && !IsView(*function)) Add(*call, *function);
    }
  }

  void Add(const relay::Call& call, const relay::Function& function) {
    ChosenLayer choice{LayerOf(call, function), {}};
    choice.layer.uses = 1;
    if (const Anchor* anchor = AnchorOf(function)) {
      const std::vector<CallWay> ways = AnchorWays(*anchor, call, chooser);
      for (const CallWay& way : ways) choice.ways.push_back(WayOf(way));
      if (search) choice.chosen = IndexOf(search->Of(&call), ways);
    }
    layers.push_back(std::move(choice));
    calls.push_back(&call);
  }
};

ChosenLayers::ChosenLayers(const relay::IRModule& module, const BuildContext& context, ConfigSource* configs)
    : state_(std::make_unique<State>(module, PassContext{context, configs})) {}
ChosenLayers::~ChosenLayers() = default;

const std::vector<ChosenLayer>& ChosenLayers::layers() const { return state_->layers; }
double ChosenLayers::network_ns() const { return state_->search ? state_->search->expected_ns() : 0; }

double ChosenLayers::NetworkNsWith(size_t layer, size_t way) const {
  return state_->search ? state_->search->NsWith(state_->calls.at(layer), way) : 0;
}

}  // namespace hone
