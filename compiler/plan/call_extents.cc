#include "compiler/plan/call_extents.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/plan/item_boxes.h"
#include "compiler/relay/ranged_inputs.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;
using relay::FunctionPtr;

namespace {

// Whether the value is one int64, or a tuple of such.
bool IsNumber(const relay::Type& type) {
  if (type.kind == relay::TypeKind::kTensor) return type.dtype == DType::kInt64 && ElementCount(type.shape) == 1;
  return std::all_of(type.fields.begin(), type.fields.end(),
                     [](const relay::TypePtr& each) { return IsNumber(*each); });
}

// The expressions that this one reads.
std::vector<ExprPtr> PartsOf(const ExprPtr& expr) {
  if (const Call* call = relay::AsCall(expr)) return call->args;
  if (const relay::Tuple* tuple = relay::AsTuple(expr)) return tuple->fields;
  const relay::TupleGetItem* item = relay::AsTupleGetItem(expr);
  return item == nullptr ? std::vector<ExprPtr>() : std::vector<ExprPtr>{item->tuple};
}

}  // namespace

std::vector<ExprPtr> OrderOf(const relay::Function& main) {
  std::vector<ExprPtr> order = PostOrder(main.body);
  if (main.attrs.Find(relay::kRanged) == nullptr) return order;
  std::unordered_set<const relay::Expr*> numbers;
  for (const relay::RangedInput& each : relay::RangedInputs(main)) numbers.insert(Nth(main.params, each.extent).get());
  const auto is_known = [&](const ExprPtr& expr) {
    return relay::AsConstant(expr) != nullptr || numbers.contains(expr.get());
  };
  for (const ExprPtr& expr : order) {
    const std::vector<ExprPtr> parts = PartsOf(expr);
    const bool known = !parts.empty() && std::all_of(parts.begin(), parts.end(), is_known);
    if (known && expr->type != nullptr && IsNumber(*expr->type)) numbers.insert(expr.get());
  }
  std::stable_partition(order.begin(), order.end(), is_known);
  return order;
}

namespace {

// Versions of the plan that write an axis's `plus`, and the parameters of variants.
constexpr int kVersionOfPlus = 2, kVersionOfParams = 3;

bool ReachesBehind(const std::vector<ItemBox>& boxes) {
  return std::any_of(boxes.begin(), boxes.end(), [](const ItemBox& box) {
    return std::any_of(box.axes.begin(), box.axes.end(), [](const ItemAxis& axis) { return axis.plus != 0; });
  });
}

bool ReachesBehind(const PlanCall& call) {
  return ReachesBehind(call.boxes) || std::any_of(call.variants.begin(), call.variants.end(),
                                                  [](const CallVariant& each) { return ReachesBehind(each.boxes); });
}

}  // namespace

void CallExtents::AddBoxes(const KernelTable& kernels, const std::map<size_t, NeededAxes>& copies) {
  for (const auto& [expr, number] : call_of_) {
    PlanCall& call = Nth(plan_.calls, number);
    const auto buffer_of = [&, before = number](const ExprPtr& extent) { return ExtentBufferAt(before, extent); };
    const auto& main_call = static_cast<const Call&>(*expr);
    call.boxes = ItemBoxesOf(main_call, kernels.BoxesOf(call.kernel), needed_, buffer_of);
    for (CallVariant& variant : call.variants) {
      variant.boxes = ItemBoxesOf(main_call, kernels.BoxesOf(variant.kernel), needed_, buffer_of);
    }
  }
  for (const auto& [number, needed] : copies) {
    const auto buffer_of = [&, before = number](const ExprPtr& extent) { return ExtentBufferAt(before, extent); };
    PlanCall& call = Nth(plan_.calls, number);
    for (const StageBox& box : kernels.BoxesOf(call.kernel)) {
      if (auto items = ItemBoxOf(box, needed, buffer_of)) call.boxes.push_back(std::move(*items));
    }
  }
  if (std::any_of(plan_.calls.begin(), plan_.calls.end(), [](const PlanCall& call) { return ReachesBehind(call); })) {
    plan_.version = std::max(plan_.version, kVersionOfPlus);
  }
}

void CallExtents::AddVariants(const std::vector<ExprPtr>& order, const std::vector<FunctionPtr>& functions,
                              KernelTable& kernels, const ParamBuffer& param) {
  if (module_.main->attrs.Find(relay::kRanged) == nullptr) return;
  for (const ExprPtr& expr : order) {
    const auto call = call_of_.find(expr.get());
    if (call == call_of_.end()) continue;
    const Anchor* anchor = AnchorOf(*Nth(functions, call->second));
    if (anchor == nullptr) continue;
    const auto buffer_of = [&](const ExprPtr& extent) { return ExtentBufferAt(call->second, extent); };
    for (const AnchorVariant& variant : anchor->variants) {
      auto limits = LimitsOf(static_cast<const Call&>(*expr), variant.most, needed_, buffer_of);
      if (limits.empty() && !variant.most.empty()) continue;
      const int kernel = kernels.IndexOf(WithChoice(*Nth(functions, call->second), variant.choice));
      CallVariant& added = Nth(plan_.calls, call->second).variants.emplace_back();
      added.kernel = kernel;
      added.limits = std::move(limits);
      const relay::Constant* weight = variant.weight == nullptr ? nullptr : relay::AsConstant(variant.weight);
      if (weight == nullptr) continue;
      added.params.push_back({static_cast<int>(WeightOf(*anchor)), param(*weight)});
      plan_.version = kVersionOfParams;
    }
  }
}

// An output's memory may be the user's, except for that of a count.
std::optional<int> CallExtents::ExtentBufferAt(size_t call, const ExprPtr& extent) const {
  const auto views = views_.find(extent.get());
  if (views == views_.end() || views->second.size() != 1 || views->second[0].offset_bytes != 0) return std::nullopt;
  // A parameter is there from the beginning; anything else once the call has run that makes it, or its tuple.
  const relay::TupleGetItem* item = relay::AsTupleGetItem(extent);
  const auto made = call_of_.find(item == nullptr ? extent.get() : item->tuple.get());
  const bool is_there = relay::AsVar(extent) != nullptr || (made != call_of_.end() && made->second < call);
  if (!is_there) return std::nullopt;
  const int number = views->second[0].buffer;
  const PlanBuffer& buffer = Nth(plan_.buffers, number);
  const bool listed = std::count(plan_.outputs.begin(), plan_.outputs.end(), number) > 0 ||
                      std::count(plan_.inputs.begin(), plan_.inputs.end(), number) > 0;
  if (buffer.dtype != DType::kInt64 || buffer.size_bytes != DTypeBytes(DType::kInt64)) return std::nullopt;
  return listed || buffer.kind == BufferKind::kParam ? std::nullopt : std::optional<int>(number);
}

}  // namespace hone
