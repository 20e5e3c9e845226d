// MaxUnpool: elements at the positions where a pool found them, and zeros elsewhere.
#include <fmt/format.h>

#include "compiler/frontend/onnx/cast_target.h"
#include "compiler/frontend/onnx/window.h"
#include "compiler/ops/onnx_families.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Ints = std::vector<int64_t>;

// The shape of the pool's input.
Shape UnpooledShape(const OnnxNodeView& view) {
  Shape shape = view.InputShape(0);
  const size_t axes = shape.size() < 2 ? 0 : shape.size() - 2;
  const Ints kernel = view.Ints("kernel_shape", {}), strides = view.Ints("strides", Ints(axes, 1));
  const Ints pads = view.Ints("pads", Ints(2 * axes, 0));
  if (axes == 0 || kernel.size() != axes || strides.size() != axes || pads.size() != 2 * axes) {
    RefuseNode(fmt::format("kernel_shape, strides and pads must have a number for each of {} spatial axes", axes));
  }
  for (size_t d = 0; d < axes; ++d) {
    for (const int64_t n : {kernel[d], strides[d], pads[d], pads[d + axes], shape[d + 2]}) {
      if (n < 0 || n > kMaxWindow) RefuseNode(fmt::format("a window holds {}", n));
    }
    shape[d + 2] = (shape[d + 2] - 1) * strides[d] - pads[d] - pads[d + axes] + kernel[d];
    if (shape[d + 2] < 1) RefuseNode(fmt::format("nothing is left of axis {}", d + 2));
  }
  if (ElementCount(shape) > kMostPlaces) RefuseNode(fmt::format("a result of {} is too large", ShapeText(shape)));
  return shape;
}

// A requested shape adds zeros at the ends.
ExprPtr Grown(const OnnxNodeView& view, const ExprPtr& data, const Shape& wanted) {
  const Shape shape = view.builder().ShapeOf(data);
  bool fits = wanted.size() == shape.size();
  Ints pads;
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    fits = wanted[d] >= shape[d] && wanted[d] <= kMaxWindow;
    pads.push_back(0);
    pads.push_back(wanted[d] - shape[d]);
  }
  if (!fits) RefuseNode(fmt::format("output_shape is {}, {} is the least", ShapeText(wanted), ShapeText(shape)));
  return wanted == shape ? data : view.Call("nn.pad", {data}, {{"pad_width", pads}});
}

std::vector<ExprPtr> MaxUnpool(const OnnxNodeView& view) {
  if (view.InputShape(1) != view.InputShape(0)) {
    RefuseNode(fmt::format("indices {} for data {}", ShapeText(view.InputShape(1)), ShapeText(view.InputShape(0))));
  }
  const Shape shape = UnpooledShape(view);
  const auto wanted = view.InputInts(2, "output_shape");
  const int64_t found = ElementCount(view.InputShape(0)), all = ElementCount(shape);
  const DType dtype = view.builder().DTypeOf(view.Input(0));
  view.builder().Spend(all * DTypeBytes(dtype));
  const ExprPtr zeros = relay::MakeConstant(Tensor(dtype, {all}));
  const ExprPtr laid =
      view.Call("scatter_elements", {zeros, view.Reshape(view.Input(1), {found}), view.Reshape(view.Input(0), {found})},
                {{"axis", int64_t{0}}, {"reduction", std::string("update")}});
  const ExprPtr result = view.Reshape(laid, shape);
  return {wanted ? Grown(view, result, *wanted) : result};
}

}  // namespace

OnnxOperatorTable UnpoolingOperators() { return {{"MaxUnpool", 2, 3, MaxUnpool, {"kernel_shape", "pads", "strides"}}}; }

}  // namespace hone
