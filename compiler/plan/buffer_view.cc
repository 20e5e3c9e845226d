#include "compiler/plan/buffer_view.h"

#include <algorithm>

#include "compiler/passes/layouts/layout_text.h"

namespace hone {
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

}  // namespace hone
