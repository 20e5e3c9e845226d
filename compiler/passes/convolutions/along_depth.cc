#include "compiler/passes/convolutions/along_depth.h"

#include <algorithm>
#include <utility>

#include "compiler/passes/graph/typed_graph.h"

namespace hone {

using relay::Attrs;
using relay::Call;
using relay::ExprPtr;
using Ints = std::vector<int64_t>;

namespace {

Attrs OnDepth(const Call& call, const char* size) {
  Attrs attrs = call.attrs;
  for (const char* name : {size, "strides", "dilation"}) {
    const Ints list = call.attrs.GetInts(name);
    if (!list.empty()) attrs.Set(name, Ints{list[0], 1});
  }
  const Ints padding = call.attrs.GetInts("padding");
  attrs.Set("padding", Ints{padding[0], 0, padding[3], 0});
  return attrs;
}

}  // namespace

const Axes& DepthFirst() {
  static const Axes axes{0, 2, 1, 3, 4};
  return axes;
}

bool FollowsPlanes(ExprPtr data) {
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps; ++step) {
    if (const relay::TupleGetItem* item = relay::AsTupleGetItem(data)) data = item->tuple;
    if (const relay::Tuple* tuple = relay::AsTuple(data); tuple != nullptr && !tuple->fields.empty()) {
      data = tuple->fields[0];
    }
    const Call* turned = AsTranspose(data);
    if (turned != nullptr) return TransposeAxes(*turned) == DepthFirst();
    const Call* call = relay::AsCall(data);
    if (call == nullptr || call->args.empty()) return false;
    data = call->args[0];
  }
  return false;
}

bool IsAlongDepth(const Call& call, const Ints& size) {
  const Ints strides = call.attrs.GetInts("strides"), padding = call.attrs.GetInts("padding");
  const Ints steps{size[1], size[2], strides[1], strides[2]}, borders{padding[1], padding[2], padding[4], padding[5]};
  return std::ranges::all_of(steps, [](int64_t step) { return step == 1; }) &&
         std::ranges::all_of(borders, [](int64_t border) { return border == 0; });
}

ExprPtr AlongDepth(const Call& call, const PlaneOperator& op) {
  const Shape &shape = ShapeOf(call.args[0]), &result = call.type->shape;
  std::vector<ExprPtr> args{TypedReshape(call.args[0], {shape[0], shape[1], shape[2], shape[3] * shape[4]}, call.name)};
  if (call.args.size() > 1) {
    const Shape& weight = ShapeOf(call.args[1]);
    args.push_back(TypedReshape(call.args[1], {weight[0], weight[1], weight[2], 1}, call.name));
  }
  const ExprPtr plane = TypedCall(op.name, std::move(args), OnDepth(call, op.size), call.name);
  return TypedReshape(plane, {result[0], result[1], result[2], shape[3], shape[4]}, call.name);
}

}  // namespace hone
