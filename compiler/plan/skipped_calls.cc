#include "compiler/plan/skipped_calls.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "compiler/ops/kernel_whole.h"
#include "compiler/plan/item_boxes.h"
#include "core/nth.h"

namespace hone {
namespace {

constexpr const char* kChoose = "choose";
constexpr size_t kRunsThen = 0, kThen = 1, kRunsOtherwise = 2, kOtherwise = 3;  // its arguments

constexpr int kAlways = -1;

class SkipWalk {
 public:
  SkipWalk(const Plan& plan, const std::vector<relay::FunctionPtr>& functions, const ParamBytes& params)
      : plan_(plan), functions_(functions), params_(params) {
    for (size_t i = 0; i < plan.calls.size(); ++i) {
      for (const PlanView& view : Results(i)) writer_.try_emplace(view.buffer, i);
    }
  }

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
  std::vector<PlanView> Results(size_t call) const {
    const std::vector<PlanView>& operands = plan_.calls[call].operands;
    return {operands.begin() + static_cast<int64_t>(functions_[call]->params.size()), operands.end()};
  }

  int GuardOf(size_t call) const {
    std::optional<int> guard;
    for (const PlanView& view : Results(call)) {
      const auto use = uses_.find(view.buffer);
      if (use != uses_.end()) guard = guard ? Both(*guard, use->second) : use->second;
    }
    return guard && *guard != kAlways && IsThere(*guard, call) ? *guard : kAlways;
  }

  // Whether the condition's value is there before the call.
  bool IsThere(int condition, size_t call) const {
    const auto writer = writer_.find(condition);
    return writer == writer_.end() ? Nth(plan_.buffers, condition).kind == BufferKind::kInput : writer->second < call;
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
      Use(Operand(call, value).buffer, ConditionOf(Operand(call, condition)).value_or(guard));
      Use(Operand(call, condition).buffer, kAlways);  // it decides in each run
    };
    use(kRunsThen, kThen);
    use(kRunsOtherwise, kOtherwise);
  }

  const PlanView& Operand(size_t call, size_t argument) const {
    return Nth(plan_.calls[call].operands, ParameterOf(*functions_[call], argument));
  }

  // The buffer whose value a plan may read as an extent.
  std::optional<int> ConditionOf(const PlanView& view) const {
    const PlanBuffer& buffer = Nth(plan_.buffers, view.buffer);
    const bool is_number = buffer.dtype == DType::kInt64 && buffer.size_bytes == DTypeBytes(DType::kInt64);
    const bool is_kept = buffer.kind == BufferKind::kArena;
    return is_number && is_kept && view.offset_bytes == 0 ? std::optional(view.buffer) : std::nullopt;
  }

  // The condition outside of another: where it is 0 the other one is, too. kAlways if there is none.
  int Outer(int condition) const {
    const auto writer = writer_.find(condition);
    if (writer == writer_.end()) return kAlways;
    const size_t call = writer->second;
    if (plan_.calls[call].op != kChoose || !IsZero(Operand(call, kOtherwise))) return kAlways;
    return ConditionOf(Operand(call, kRunsThen)).value_or(kAlways);
  }

  bool IsZero(const PlanView& view) const {
    const PlanBuffer& buffer = Nth(plan_.buffers, view.buffer);
    if (buffer.kind != BufferKind::kParam || buffer.size_bytes != DTypeBytes(DType::kInt64)) return false;
    int64_t value = 1;
    std::memcpy(&value, params_.At(buffer.offset_bytes, buffer.size_bytes).data(), sizeof(value));
    return value == 0;
  }

  // The condition under which either of two is 1: one of them, or one around both.
  int Both(int a, int b) const {
    if (a == b) return a;
    std::vector<int> around;
    for (int each = a; each != kAlways; each = Outer(each)) around.push_back(each);
    int common = b;
    while (common != kAlways && std::find(around.begin(), around.end(), common) == around.end()) common = Outer(common);
    return common;
  }

  const Plan& plan_;
  const std::vector<relay::FunctionPtr>& functions_;
  const ParamBytes& params_;
  std::map<int, size_t> writer_;  // the first call that writes a buffer
  std::map<int, int> uses_;       // the condition under which a buffer is read
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

}  // namespace

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
