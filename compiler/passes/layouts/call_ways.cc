#include "compiler/passes/layouts/call_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/relay/op.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::TypePtr;

namespace {

// The block that most elements of the arguments have already, or 0.
int64_t CommonBlock(const std::vector<TypePtr>& args) {
  std::map<int64_t, int64_t> elements;
  for (const TypePtr& arg : args) {
    if (const int64_t block = ChannelBlock(arg); block != 0) elements[block] += ElementCount(arg->shape);
  }
  const auto most = std::max_element(elements.begin(), elements.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == elements.end() ? 0 : most->first;
}

std::vector<const Call*> CallsIn(const relay::Function& function) {
  std::vector<const Call*> calls;
  for (const ExprPtr& expr : PostOrder(function.body)) {
    if (const Call* call = relay::AsCall(expr)) calls.push_back(call);
  }
  return calls;
}

// An input that does not fill its blocks leaves a gap before the next one.
bool CanBlockConcat(const relay::Function& function, const Call& concat, int64_t block) {
  const int64_t axis = concat.attrs.GetInt("axis");
  if (concat.type->shape.size() != 4) return false;
  if (axis == 0) return true;
  if (axis != 1 && axis != -3) return false;
  return std::all_of(function.params.begin(), function.params.end() - 1,
                     [&](const auto& param) { return param->type->shape[1] % block == 0; });
}

// The call if it is the only one and calls that operator; else null.
const Call* Only(const std::vector<const Call*>& calls, std::string_view name) {
  return calls.size() == 1 && relay::AsOp(calls[0]->op)->def->name == name ? calls[0] : nullptr;
}

// Whether each block of the result's channels lies in one block of the data's.
bool CanBlockPlaces(const Call& spread, int64_t block) {
  return spread.attrs.GetString("mode", "DCR") == "DCR" && spread.type->shape[1] % block == 0;
}

// Whether it adds a border around images, which keeps channels and their blocks.
bool PadsImages(const Call& call) {
  if (relay::AsOp(call.op)->def->name != "nn.pad" || call.type->shape.size() != 4) return false;
  const std::vector<int64_t> width = call.attrs.GetInts("pad_width");
  return std::all_of(width.begin(), width.begin() + 4, [](int64_t w) { return w == 0; });
}

// Whether it takes rows or columns of images at known positions.
bool TakesPixels(const Call& call) {
  return relay::AsOp(call.op)->def->name == "take" && call.type->shape.size() == 4 && call.attrs.GetInt("axis") >= 2 &&
         relay::AsConstant(call.args[1]) != nullptr;
}

bool KeepsChannels(const Call& call) { return PadsImages(call) || TakesPixels(call); }

// Whether every operator can, and every value made within has rank 4 and the same channels.
bool CanBlock(const std::vector<const Call*>& calls, int64_t channels) {
  return std::all_of(calls.begin(), calls.end(), [&](const Call* call) {
    const relay::LayoutRule rule = relay::AsOp(call->op)->def->layout;
    const bool can = rule == relay::LayoutRule::kAny || rule == relay::LayoutRule::kNCHWc || KeepsChannels(*call);
    return can && relay::IsImageOfNumbers(call->type) && call->type->shape[1] == channels;
  });
}

// The tensor behind an operand. Kernels read through a negation, and through a cast of bytes minus their zero point.
const relay::Expr* BehindDecoding(const ExprPtr& expr) {
  if (const Call* negative = relay::AsCallTo(expr, "negative")) return negative->args[0].get();
  const Call* subtract = relay::AsCallTo(expr, "subtract");
  const ExprPtr& whole = subtract != nullptr ? subtract->args[0] : expr;
  const Call* cast = relay::AsCallTo(whole, "cast");
  return cast != nullptr ? cast->args[0].get() : expr.get();
}

// Whether the operand must have the result's layout: data of a pool, border or take, or an operand as large as the
// result.
bool IsFull(const relay::Var& param, const std::vector<const Call*>& calls, const Shape& result) {
  if (param.type->shape == result) return true;
  const bool reads = std::any_of(calls.begin(), calls.end(), [&](const Call* call) {
    return (relay::AsOp(call->op)->def->pattern == relay::OpPattern::kReduction || KeepsChannels(*call)) &&
           BehindDecoding(call->args[0]) == &param;
  });
  return reads && param.type->shape.size() == 4 && param.type->shape[1] == result[1];
}

}  // namespace

bool TakesInAnyLayout(const relay::Function& function) {
  const std::vector<const Call*> calls = CallsIn(function);
  return calls.size() == 1 && function.params.size() == 1 && relay::AsOp(calls[0]->op)->def->name == "take" &&
         calls[0]->type->shape.size() == 4 && relay::IsImageOfNumbers(function.params[0]->type) &&
         calls[0]->attrs.GetInt("axis") >= 1;
}

bool ReducesImages(const relay::Function& function) {
  const std::vector<const Call*> calls = CallsIn(function);
  return std::any_of(calls.begin(), calls.end(), [](const Call* call) {
    return relay::AsOp(call->op)->def->pattern == relay::OpPattern::kReduction;
  });
}

std::optional<OperandLayouts> LayoutInBlock(const relay::Function& function, int64_t block) {
  const size_t operands = function.params.size();
  if (block == 0) return OperandLayouts{std::vector<std::string>(operands), ""};
  const std::string layout = fmt::format("NCHW{}c", block);
  const std::vector<const Call*> calls = CallsIn(function);
  const Call *concat = Only(calls, "concatenate"), *spread = Only(calls, "nn.depth_to_space");
  if (concat != nullptr || spread != nullptr || Only(calls, "nn.interleave") != nullptr) {
    const bool can = (concat == nullptr || CanBlockConcat(function, *concat, block)) &&
                     (spread == nullptr || CanBlockPlaces(*spread, block));
    return can ? std::optional(OperandLayouts{std::vector<std::string>(operands, layout), layout}) : std::nullopt;
  }
  const TypePtr& result = function.body->type;
  if (result->kind != relay::TypeKind::kTensor || result->shape.size() != 4 || !CanBlock(calls, result->shape[1])) {
    return std::nullopt;
  }
  OperandLayouts found{std::vector<std::string>(operands), layout};
  for (size_t i = 0; i < operands; ++i) {
    if (IsFull(*function.params[i], calls, result->shape)) found.operands[i] = layout;
  }
  return found;
}

OperandLayouts LayoutForGroup(const relay::Function& function, const std::vector<TypePtr>& args) {
  if (TakesInAnyLayout(function)) return {{args[0]->layout}, args[0]->layout};
  OperandLayouts row_major{std::vector<std::string>(function.params.size()), ""};
  // The set of blocked operands does not depend on the block.
  const std::optional<OperandLayouts> blocked = LayoutInBlock(function, 1);
  if (!blocked) return row_major;
  std::vector<TypePtr> full;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!blocked->operands[i].empty()) full.push_back(args[i]);
  }
  return LayoutInBlock(function, CommonBlock(full)).value_or(row_major);
}

using relay::Function;

namespace {

OperandLayouts LayoutsFor(const Anchor& anchor, const ConfigChoice& choice) {
  OperandLayouts layouts;
  const Schedule& schedule = *FindSchedule(choice.schedule);
  for (const KernelOperand& operand : schedule.Operands(anchor.workload, choice.config, anchor.epilogue)) {
    layouts.operands.push_back(LayoutName(operand.layout));
  }
  layouts.result = layouts.operands.back();
  layouts.operands.pop_back();
  return layouts;
}

const Anchor* AnchorOfCall(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  return call ? AnchorOf(*relay::AsFunction(call->op)) : nullptr;
}

bool Same(const CallWay& a, const CallWay& b) {
  return a.layouts.operands == b.layouts.operands && a.layouts.result == b.layouts.result;
}

}  // namespace

std::vector<CallWay> AnchorWays(const Anchor& anchor, const Call& call, ConfigChooser& configs) {
  const CallNeeds needs{relay::AsConstant(call.args[WeightOf(anchor)]) != nullptr, anchor.exact_sums};
  std::vector<CallWay> all;
  const std::vector<std::string> nodes = NodeNames(*relay::AsFunction(call.op));
  for (const PairChoice& choice : configs.For(anchor.workload, needs, nodes, configs.PartsOf(call))) {
    all.push_back({LayoutsFor(anchor, choice.choice), &choice});
  }
  if (all.empty()) {
    throw Error(ExitCode::kBug,
                fmt::format("no schedule computes {} {}", anchor.workload.ToText(), anchor.epilogue.ToText()));
  }
  return all;
}

CallWays::CallWays(const ExprPtr& body, ConfigChooser& configs) : configs_(configs) {
  std::set<int64_t> blocks;
  for (const ExprPtr& expr : PostOrder(body)) {
    const Anchor* anchor = AnchorOfCall(expr);
    if (anchor == nullptr) continue;
    for (const CallWay& way : AnchorWays(*anchor, *relay::AsCall(expr), configs)) {
      for (const std::string& layout : {way.layouts.operands.front(), way.layouts.result}) {
        if (!layout.empty()) blocks.insert(Layout::Parse(layout).BlockOf('C'));
      }
    }
  }
  blocks_.assign(blocks.begin(), blocks.end());
}

std::vector<CallWay> CallWays::Of(const Call& call, const MayLie& may_lie) const {
  const Function& function = *relay::AsFunction(call.op);
  if (const Anchor* anchor = AnchorOf(function)) return AnchorWays(*anchor, call, configs_);
  return TakesInAnyLayout(function) ? ForTake(function) : ForGroup(call, function, may_lie);
}

std::vector<CallWay> CallWays::ForTake(const Function& function) const {
  const bool channels = relay::AsCall(function.body)->attrs.GetInt("axis") == 1;
  std::vector<CallWay> all{{{{channels ? kAnyLayout : ""}, ""}}};
  for (const int64_t block : blocks_) {
    const std::string layout = fmt::format("NCHW{}c", block);
    all.push_back({{{channels ? kAnyLayout : layout}, layout}});
  }
  return all;
}

std::vector<CallWay> CallWays::ForGroup(const Call& call, const Function& function, const MayLie& may_lie) const {
  std::vector<CallWay> all;
  const CallWay row_major{*LayoutInBlock(function, 0)};
  // The set of full-size operands does not depend on the block.
  const OperandLayouts full = LayoutInBlock(function, 1).value_or(row_major.layouts);
  const auto may_come = [&](const std::string& layout) {
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!full.operands[i].empty() && may_lie(call.args[i], layout)) return true;
    }
    return false;
  };
  // The image within a border is the smaller one to transform, wherever it comes from.
  const std::vector<const Call*> calls = CallsIn(function);
  const bool pads = std::any_of(calls.begin(), calls.end(), [](const Call* each) { return PadsImages(*each); });
  for (const int64_t block : blocks_) {
    const std::optional<OperandLayouts> layouts = LayoutInBlock(function, block);
    if (layouts && (pads || may_come(fmt::format("NCHW{}c", block)))) all.push_back({*layouts});
  }
  if (all.empty() || !ReducesImages(function) || may_come("")) all.push_back(row_major);
  all.erase(std::unique(all.begin(), all.end(), Same), all.end());
  return all;
}

}  // namespace hone
