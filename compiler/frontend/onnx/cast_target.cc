#include "compiler/frontend/onnx/cast_target.h"

#include <fmt/format.h>

namespace hone {

DType CastTarget(int64_t onnx_type) {
  switch (onnx_type) {
    case 1:
    case 10:
    case 11:
    case 16:
      return DType::kFloat32;
    case 2:
      return DType::kUInt8;
    case 3:
      return DType::kInt8;
    case 6:
      return DType::kInt32;
    case 7:
      return DType::kInt64;
    case 9:
      return DType::kBool;
    default:
      RefuseNode(fmt::format("the element type {} to cast to is not supported", onnx_type));
  }
}

relay::ExprPtr AsDType(const OnnxNodeView& view, const relay::ExprPtr& expr, DType dtype) {
  if (view.builder().DTypeOf(expr) == dtype) return expr;
  return view.Call("cast", {expr}, {{"dtype", std::string(DTypeName(dtype))}});
}

}  // namespace hone
