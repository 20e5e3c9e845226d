#include "compiler/frontend/onnx/as_planes.h"

#include <utility>

namespace hone {
namespace {

using relay::ExprPtr;

// Adds the row's value to an attribute. `otherwise` is that value: a kernel of one, a stride of one, no padding.
void AddRow(OnnxNode& node, std::string_view name, int64_t otherwise) {
  for (auto& [given, attribute] : node.attributes) {
    if (given != name || attribute.kind != OnnxAttribute::Kind::kInts) continue;
    std::vector<int64_t>& ints = attribute.ints;
    if (name == "pads" && ints.size() == 2) {
      ints = {otherwise, ints[0], otherwise, ints[1]};
    } else if (ints.size() == 1) {
      ints.insert(ints.begin(), otherwise);
    }
  }
}

OnnxNode WithRow(OnnxNode node) {
  for (const char* name : {"kernel_shape", "strides", "dilations", "output_shape"}) AddRow(node, name, 1);
  for (const char* name : {"pads", "output_padding"}) AddRow(node, name, 0);
  return node;
}

ExprPtr WithRow(const OnnxNodeView& view, const ExprPtr& expr) {
  if (expr == nullptr || view.builder().ShapeOf(expr).size() != 3) return expr;
  Shape shape = view.builder().ShapeOf(expr);
  shape.insert(shape.begin() + 2, 1);
  return view.Reshape(expr, shape);
}

}  // namespace

std::vector<ExprPtr> AsPlanes(const OnnxNodeView& view, OnnxConvert convert) {
  if (view.InputRank(0) != 3) return convert(view);
  const OnnxNode node = WithRow(view.node());
  std::vector<ExprPtr> inputs = view.inputs();
  for (ExprPtr& input : inputs) input = WithRow(view, input);
  std::vector<ExprPtr> results = convert(OnnxNodeView(node, view.opset(), std::move(inputs), view.builder()));
  for (ExprPtr& result : results) {
    Shape shape = view.builder().ShapeOf(result);
    shape.erase(shape.begin() + 2);
    result = view.Reshape(result, shape);
  }
  return results;
}

}  // namespace hone
