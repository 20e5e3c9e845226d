#include "compiler/plan/skipped_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "compiler/plan/item_boxes.h"
#include "compiler/plan/run_conditions.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {
namespace {

class SkipWalk {
 public:
  SkipWalk(const Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params)
      : plan_(plan), functions_(functions), conditions_(plan, functions, params) {}

  // The buffer of the condition that guards each call; kAlways if there is none.
  std::vector<int> Guards() {
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      const BufferKind kind = plan_.buffers[b].kind;
      if (kind == BufferKind::kOutput || kind == BufferKind::kState) Use(static_cast<int>(b), kAlways);
    }
    std::vector<int> guards(plan_.calls.size(), kAlways);
    for (size_t i = guards.size(); i-- > 0;) {
      guards[i] = GuardOf(i);
      AddUses(i, guards[i]);
    }
    return guards;
  }

 private:
  int GuardOf(size_t call) const {
    std::optional<int> guard;
    for (const PlanView& view : conditions_.Results(call)) {
      const auto use = uses_.find(view.buffer);
      if (use != uses_.end()) guard = guard ? Both(*guard, use->second) : use->second;
    }
    return guard && *guard != kAlways && IsThere(*guard, call) ? *guard : kAlways;
  }

  // Whether the condition's value is there before the call.
  bool IsThere(int condition, size_t call) const {
    const std::optional<size_t> writer = conditions_.WriterOf(condition);
    return writer ? *writer < call : Nth(plan_.buffers, condition).kind == BufferKind::kInput;
  }

  void Use(int buffer, int guard) {
    const auto [use, is_new] = uses_.try_emplace(buffer, guard);
    if (!is_new) use->second = Both(use->second, guard);
  }

  void AddUses(size_t index, int guard) {
    const PlanCall& call = plan_.calls[index];
    if (call.op == kChoose) {
      AddChoice(index, guard);
    } else {
      for (size_t i = 0; i < functions_[index]->params.size(); ++i) Use(call.operands[i].buffer, guard);
    }
    for (const int extent : ExtentsOf(call)) Use(extent, guard);
  }

  void AddChoice(size_t call, int guard) {
    const auto use = [&](size_t condition, size_t value) {
      const PlanView& runs = conditions_.Operand(call, condition);
      Use(conditions_.Operand(call, value).buffer, conditions_.ConditionOf(runs).value_or(guard));
      Use(runs.buffer, kAlways);  // it decides in each run
    };
    use(kRunsThen, kThen);
    use(kRunsOtherwise, kOtherwise);
  }

  // The condition under which either of two is 1: one of them, or one around both.
  int Both(int a, int b) const {
    int common = b;
    while (common != kAlways && !conditions_.Implies(a, common)) common = conditions_.Outer(common);
    return common;
  }

  const Plan& plan_;
  const std::vector<relay::FunctionPtr>& functions_;
  const RunConditions conditions_;
  std::map<int, int> uses_;  // the condition under which a buffer is read
};

// The boxes behind an axis of one item that the condition limits, and such boxes for all items between them.
std::vector<ItemBox> Guarded(const std::vector<ItemBox>& boxes, const std::vector<KernelStage>& stages, int condition) {
  std::vector<ItemBox> guarded;
  const ItemAxis guard{1, condition};
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    int64_t done = 0;
    const auto fill = [&](int64_t end) {
      if (done < end) guarded.push_back({static_cast<int>(stage), done, {guard, {end - done}}});
      done = std::max(done, end);
    };
    for (const ItemBox& box : boxes) {
      if (static_cast<size_t>(box.stage) != stage) continue;
      fill(box.first);
      guarded.push_back(box);
      guarded.back().axes.insert(guarded.back().axes.begin(), guard);
      for (int64_t items = 1; const ItemAxis& axis : box.axes) done = box.first + (items *= axis.items);
    }
    fill(stages[stage].extent);
  }
  return guarded;
}

// The condition in front of each of the boxes; kAlways if one lacks it.
int GuardOfBoxes(const std::vector<ItemBox>& boxes) {
  const auto guard = [](const ItemBox& box) {
    return box.axes.empty() || box.axes[0].items != 1 ? kAlways : box.axes[0].extent;
  };
  const int first = boxes.empty() ? kAlways : guard(boxes[0]);
  return std::ranges::all_of(boxes, [&](const ItemBox& box) { return guard(box) == first; }) ? first : kAlways;
}

class SkipProof {
 public:
  SkipProof(const Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params)
      : plan_(plan), functions_(functions), conditions_(plan, functions, params) {
    for (size_t i = 0; i < plan.calls.size(); ++i) {
      const bool chooses = plan.calls[i].op == kChoose;
      for (const size_t argument : {kRunsThen, kRunsOtherwise}) {
        if (const auto condition = chooses ? conditions_.ConditionOf(conditions_.Operand(i, argument)) : std::nullopt)
          is_condition_[*condition] = true;
      }
    }
  }

  void Run() {
    for (size_t i = 0; i < plan_.calls.size(); ++i) {
      CheckReads(i);
      if (const int guard = GuardOf(plan_.calls[i]); guard != kAlways) {
        for (const PlanView& view : conditions_.Results(i)) guarded_[view.buffer].push_back(guard);
      }
    }
    for (size_t b = 0; b < plan_.buffers.size(); ++b) {
      const BufferKind kind = plan_.buffers[b].kind;
      if (kind == BufferKind::kOutput || kind == BufferKind::kState) Check(static_cast<int>(b), kAlways, "a result");
    }
  }

 private:
  int GuardOf(const PlanCall& call) const {
    int guard = GuardOfBoxes(call.boxes);
    for (const CallVariant& variant : call.variants) {
      if (GuardOfBoxes(variant.boxes) != guard) guard = kAlways;
    }
    return is_condition_.contains(guard) ? guard : kAlways;
  }

  void CheckReads(size_t index) const {
    const PlanCall& call = plan_.calls[index];
    const int guard = GuardOf(call);
    for (const int extent : ExtentsOf(call)) Check(extent, guard, call.op);
    if (call.op != kChoose) {
      for (size_t i = 0; i < functions_[index]->params.size(); ++i) Check(call.operands[i].buffer, guard, call.op);
      return;
    }
    for (const auto& [condition, value] : {std::pair(kRunsThen, kThen), std::pair(kRunsOtherwise, kOtherwise)}) {
      const PlanView& runs = conditions_.Operand(index, condition);
      Check(runs.buffer, kAlways, call.op);
      Check(conditions_.Operand(index, value).buffer, conditions_.ConditionOf(runs).value_or(guard), call.op);
    }
  }

  // `guard` holds where the buffer is read.
  void Check(int buffer, int guard, const std::string& reader) const {
    const auto written = guarded_.find(buffer);
    if (written == guarded_.end()) return;
    for (const int condition : written->second) {
      if (conditions_.Implies(guard, condition)) continue;
      throw Error(ExitCode::kBug, fmt::format("plan: {} reads \"{}\" in runs that do not compute it", reader,
                                              Nth(plan_.buffers, buffer).name));
    }
  }

  const Plan& plan_;
  const std::vector<relay::FunctionPtr>& functions_;
  const RunConditions conditions_;
  std::map<int, bool> is_condition_;
  std::map<int, std::vector<int>> guarded_;  // the conditions of the calls so far that write a buffer
};

}  // namespace

void CheckSkips(const Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params) {
  SkipProof(plan, functions, params).Run();
}

void SkipCalls(Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params,
               const StagesOf& stages_of) {
  if (std::none_of(plan.calls.begin(), plan.calls.end(), [](const PlanCall& call) { return call.op == kChoose; })) {
    return;
  }
  const std::vector<int> guards = SkipWalk(plan, functions, params).Guards();
  for (size_t i = 0; i < guards.size(); ++i) {
    if (guards[i] == kAlways) continue;
    PlanCall& call = plan.calls[i];
    call.boxes = Guarded(call.boxes, stages_of(call.kernel), guards[i]);
    for (CallVariant& variant : call.variants) {
      variant.boxes = Guarded(variant.boxes, stages_of(variant.kernel), guards[i]);
    }
  }
}

}  // namespace hone
