#include "compiler/concat_in_place.h"

#include <algorithm>
#include <optional>

#include "compiler/buffer_view.h"
#include "compiler/passes/layout_text.h"

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

// Kernels step from image to image by the view's stride unless an image is one number: their lanes run along the images
// then.
bool HasLanesAlongImages(const ExprPtr& arg, int64_t axis) {
  return axis == 1 && arg->type->shape[0] > 1 && BatchStride(*arg->type) == DTypeBytes(arg->type->dtype);
}

// Bytes from the beginning of an image (of the result, along axis 0) to each input; nullopt when they are no slices.
std::optional<std::vector<int64_t>> SliceOffsets(const Call& call, const Call& concat) {
  const relay::Type& type = *call.type;
  int64_t axis = concat.attrs.GetInt("axis");
  if (axis < 0) axis += static_cast<int64_t>(type.shape.size());
  const int64_t block = ChannelBlock(call.type);
  if (type.dtype != DType::kFloat32 || !NothingBetween(type.shape, axis)) return {};
  if (!type.layout.empty() && (block == 0 || axis > 1)) return {};
  std::vector<int64_t> offsets;
  int64_t offset = 0;
  for (const ExprPtr& arg : call.args) {
    offsets.push_back(offset);
    const bool fills = block == 0 || axis == 0 || arg->type->shape[1] % block == 0;
    if (arg->type->layout != type.layout || (!fills && arg != call.args.back())) return {};
    if (HasLanesAlongImages(arg, axis)) return {};
    offset += axis == 1 ? BatchStride(*arg->type) : PhysicalBytes(*arg->type);
  }
  return offsets;
}

bool WritesItsResult(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  if (call == nullptr || call->type->kind != relay::TypeKind::kTensor) return false;
  return !MayBeView(*relay::AsFunction(call->op));
}

}  // namespace

ConcatPlaces PlaceConcats(const std::vector<ExprPtr>& order) {
  ConcatPlaces result;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    const Call* concat = AsConcat(*it);
    if (concat == nullptr) continue;
    const Call& call = *relay::AsCall(*it);
    const auto offsets = SliceOffsets(call, *concat);
    if (!offsets) continue;
    result.offsets.emplace(it->get(), *offsets);
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (WritesItsResult(call.args[i]))
        result.places.try_emplace(call.args[i].get(), ConcatPlaces::Place{*it, (*offsets)[i]});
    }
  }
  return result;
}

}  // namespace hone
