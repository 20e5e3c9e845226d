#include "compiler/plan/buffer_view.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/ops/kernel_whole.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/schedules/schedule.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// Whether two layouts, row-major or blocked by channels, have the same bytes: there is one pixel and no lane past the
// channels. A reader of one row-major image may also get such lanes after its end.
bool SameBytes(const relay::Type& from, const relay::Type& to) {
  if (from.shape.size() != 4 || from.shape[2] != 1 || from.shape[3] != 1) return false;
  for (const relay::Type* type : {&from, &to}) {
    const int64_t block = ChannelBlock(std::make_shared<relay::Type>(*type));
    if (block == 0 && !type->layout.empty()) return false;
    const bool lanes_behind = type == &from && to.layout.empty() && from.shape[0] == 1;
    if (block != 0 && from.shape[1] % block != 0 && !lanes_behind) return false;
  }
  return true;
}

// The first image of a slice along the batch; nullopt for any other function.
std::optional<int64_t> FirstImage(const relay::Function& function) {
  const relay::Call* slice = relay::AsCallTo(function.body, "strided_slice");
  if (slice == nullptr || slice->type->shape.empty()) return {};
  const Shape& from = function.params[0]->type->shape;
  if (!std::equal(from.begin() + 1, from.end(), slice->type->shape.begin() + 1)) return {};
  const auto only = [&](const char* name, const std::vector<int64_t>& otherwise) {
    const std::vector<int64_t> values = slice->attrs.GetInts(name);
    return values.empty() ? otherwise : values;
  };
  if (only("axes", {0}) != std::vector<int64_t>{0} || only("strides", {1}) != std::vector<int64_t>{1}) return {};
  const std::vector<int64_t> begin = slice->attrs.GetInts("begin");
  if (begin.size() != 1 || begin[0] < 0 || begin[0] + slice->type->shape[0] > from[0]) return {};
  return begin[0];
}

}  // namespace

int64_t PhysicalBytes(const relay::Type& type) { return ElementCount(PhysicalShapeOf(type)) * DTypeBytes(type.dtype); }

int64_t BatchStride(const relay::Type& type) {
  const Shape physical = PhysicalShapeOf(type);
  if (physical.empty()) return 0;
  return ElementCount(Shape(physical.begin() + 1, physical.end())) * DTypeBytes(type.dtype);
}

bool IsDense(const PlanView& view, const relay::Type& type) {
  return type.shape.empty() || type.shape[0] <= 1 || view.batch_stride_bytes == BatchStride(type);
}

bool MayBeView(const relay::Function& function) {
  if (const Call* first = relay::AsCallTo(function.body, "first_positions")) {
    return !function.params.empty() && first->args[0] == function.params[0];
  }
  if (function.params.size() != 1) return false;
  const relay::Type& from = *function.params[0]->type;
  const relay::Type& to = *function.body->type;
  if (relay::AsCallTo(function.body, "layout_transform") != nullptr) return SameBytes(from, to);
  if (!from.layout.empty() || !to.layout.empty()) return false;
  return relay::AsCallTo(function.body, "reshape") != nullptr || FirstImage(function).has_value();
}

std::optional<PlanView> AsView(const relay::Function& function, const PlanView& argument) {
  if (!MayBeView(function)) return {};
  const relay::Type& from = *function.params[0]->type;
  const relay::Type& to = *function.body->type;
  if (const auto first = FirstImage(function)) {
    return PlanView{argument.buffer, argument.offset_bytes + *first * argument.batch_stride_bytes,
                    argument.batch_stride_bytes};
  }
  if (IsDense(argument, from)) return PlanView{argument.buffer, argument.offset_bytes, BatchStride(to)};
  if (to.shape.empty() || from.shape[0] != to.shape[0]) return {};
  return argument;
}

namespace {

const Call* AsConcat(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  const relay::Function* function = call ? relay::AsFunction(call->op) : nullptr;
  return function ? relay::AsCallTo(function->body, "concatenate") : nullptr;
}

bool NothingBetween(const Shape& shape, int64_t axis) {
  if (axis <= 1) return true;
  return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t dim) { return dim == 1; });
}

// Whether kernels would write its lanes along neighbouring images.
bool HasLanesAlongImages(const ExprPtr& arg, int64_t axis) {
  return axis == 1 && arg->type->shape[0] > 1 && BatchStride(*arg->type) == DTypeBytes(arg->type->dtype);
}

// The arguments in the order of the concatenation's fields; nullopt if a field is more than an argument.
std::optional<std::vector<ExprPtr>> FieldsOf(const Call& call, const Call& concat) {
  const relay::Function& function = *relay::AsFunction(call.op);
  const relay::Tuple* tuple = relay::AsTuple(concat.args[0]);
  if (tuple == nullptr) return {};
  std::unordered_map<const relay::Expr*, size_t> index;
  for (size_t i = 0; i < function.params.size(); ++i) index[function.params[i].get()] = i;
  std::vector<ExprPtr> fields;
  fields.reserve(tuple->fields.size());
  for (const ExprPtr& field : tuple->fields) {
    const auto param = index.find(field.get());
    if (param == index.end()) return {};
    fields.push_back(call.args[param->second]);
  }
  return fields;
}

// nullopt if the fields are no slices of the result.
std::optional<std::vector<ConcatSlice>> SlicesOf(const Call& call, const Call& concat) {
  const relay::Type& type = *call.type;
  int64_t axis = concat.attrs.GetInt("axis");
  if (axis < 0) axis += static_cast<int64_t>(type.shape.size());
  const int64_t block = ChannelBlock(call.type);
  if (!(relay::IsFloatTensor(call.type) || relay::IsImageOfNumbers(call.type)) || !NothingBetween(type.shape, axis))
    return {};
  if (!type.layout.empty() && (block == 0 || axis > 1)) return {};
  const auto fields = FieldsOf(call, concat);
  if (!fields) return {};
  std::vector<ConcatSlice> slices;
  int64_t first_image = 0, offset = 0;
  for (const ExprPtr& field : *fields) {
    slices.push_back({field, first_image, offset});
    const bool fills = block == 0 || axis == 0 || field->type->shape[1] % block == 0;
    if (field->type->layout != type.layout || (!fills && slices.size() < fields->size())) return {};
    if (HasLanesAlongImages(field, axis)) return {};
    (axis == 0 ? first_image : offset) += axis == 0 ? field->type->shape[0] : BatchStride(*field->type);
  }
  return slices;
}

// Whether its kernel can write into a slice, whose images may lie apart.
bool WritesItsResult(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || call->type->kind != relay::TypeKind::kTensor) return false;
  const relay::Function& function = *relay::AsFunction(call->op);
  return !MayBeView(function) && WholeCallOf(function) == nullptr;
}

}  // namespace

ConcatPlaces PlaceConcats(const std::vector<ExprPtr>& order) {
  ConcatPlaces result;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Call* concat = AsConcat(*it);
    if (concat == nullptr) continue;
    const auto slices = SlicesOf(*relay::AsCall(*it), *concat);
    if (!slices) continue;
    result.slices.emplace(it->get(), *slices);
    for (const ConcatSlice& slice : *slices) {
      if (WritesItsResult(slice.field)) result.places.try_emplace(slice.field.get(), ConcatPlaces::Place{*it, slice});
    }
  }
  return result;
}

std::vector<relay::TypePtr> OperandTypes(const relay::Function& function) {
  std::vector<relay::TypePtr> types;
  types.reserve(function.params.size() + 1);
  for (const auto& param : function.params) types.push_back(param->type);
  const relay::TypePtr& result = function.body->type;
  if (result->kind == relay::TypeKind::kTensor) {
    types.push_back(result);
  } else {
    types.insert(types.end(), result->fields.begin(), result->fields.end());
  }
  return types;
}

bool StepsBetweenImages(const relay::Function& function, size_t operand) {
  const Anchor* anchor = AnchorOf(function);
  if (anchor == nullptr || !anchor->choice) return WholeCallOf(function) == nullptr;
  const Schedule& schedule = *FindSchedule(anchor->choice->schedule);
  const auto operands = schedule.Operands(anchor->workload, anchor->choice->config, anchor->epilogue);
  const OperandRole role = operands.at(operand).role;
  return role == OperandRole::kData || role == OperandRole::kResidual || role == OperandRole::kOutput;
}

}  // namespace hone
