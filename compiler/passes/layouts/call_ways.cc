#include "compiler/passes/layouts/call_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/node_names.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/schedules/schedule.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::Function;

namespace {

// Position of the weight, behind the data and the prologue's scale and shift.
size_t WeightOf(const Anchor& anchor) { return anchor.workload.prologue == Prologue::kNone ? 1 : 3; }

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
  for (const PairChoice& choice : configs.For(anchor.workload, needs, nodes)) {
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
  for (const int64_t block : blocks_) {
    const std::optional<OperandLayouts> layouts = LayoutInBlock(function, block);
    if (layouts && may_come(fmt::format("NCHW{}c", block))) all.push_back({*layouts});
  }
  if (all.empty() || !ReducesImages(function) || may_come("")) all.push_back(row_major);
  all.erase(std::unique(all.begin(), all.end(), Same), all.end());
  return all;
}

}  // namespace hone
