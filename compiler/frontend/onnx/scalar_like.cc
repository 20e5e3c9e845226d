#include "compiler/frontend/onnx/scalar_like.h"

namespace hone {

relay::ExprPtr ScalarLike(const OnnxNodeView& view, const relay::ExprPtr& like, double value) {
  Tensor tensor(view.builder().DTypeOf(like), {});
  tensor.Set(0, value);
  return relay::MakeConstant(std::move(tensor));
}

relay::ExprPtr WithScalar(const OnnxNodeView& view, std::string_view op, const relay::ExprPtr& lhs, double rhs) {
  return view.Call(op, {lhs, ScalarLike(view, lhs, rhs)});
}

}  // namespace hone
