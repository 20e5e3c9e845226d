#include "compiler/plan/concat_in_place.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "compiler/ops/kernel_whole.h"
#include "compiler/passes/layouts/layout_text.h"
#include "compiler/plan/buffer_view.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

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

}  // namespace hone
