// Operators on the bits of integers.
#include <fmt/format.h>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/frontend/onnx/narrow_types.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

std::vector<ExprPtr> And(const OnnxNodeView& view) {
  return {view.Call("bitwise_and", {view.Input(0), view.Input(1)})};
}
std::vector<ExprPtr> Or(const OnnxNodeView& view) { return {view.Call("bitwise_or", {view.Input(0), view.Input(1)})}; }
std::vector<ExprPtr> Xor(const OnnxNodeView& view) {
  return {view.Call("bitwise_xor", {view.Input(0), view.Input(1)})};
}
std::vector<ExprPtr> Not(const OnnxNodeView& view) { return {view.Call("bitwise_not", {view.Input(0)})}; }

std::vector<ExprPtr> BitShift(const OnnxNodeView& view) {
  const std::string direction = view.String("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    RefuseNode(fmt::format("direction=\"{}\" is not known; LEFT and RIGHT are", direction));
  }
  return {view.Call(direction == "LEFT" ? "left_shift" : "right_shift", {view.Input(0), view.Input(1)})};
}

// The bits of an element in the model; 0 for floats that are held as float32, whose bits are others.
int WidthOf(int64_t onnx_type) {
  if (const NarrowType* narrow = FindNarrowType(onnx_type)) return narrow->is_real() ? 0 : narrow->bits;
  return static_cast<int>(8 * DTypeBytes(CastTarget(onnx_type)));
}

// Bits of integers stay the same in a Cast, which wraps. Those between integers and floats are reinterpreted.
std::vector<ExprPtr> BitCast(const OnnxNodeView& view) {
  const int64_t to = view.Int("to", 0);
  const NarrowType *from_narrow = view.InputNarrow(0), *narrow = FindNarrowType(to);
  ExprPtr data = view.Input(0);
  const DType from = view.builder().DTypeOf(data);
  const int width = from_narrow != nullptr ? WidthOf(from_narrow->onnx_type) : static_cast<int>(8 * DTypeBytes(from));
  if (width == 0 || WidthOf(to) == 0) RefuseNode("of floats only float32 has its own bits; the others are held as it");
  if (WidthOf(to) != width) RefuseNode(fmt::format("elements of {} bits as others of {}", width, WidthOf(to)));
  // uint32 is stored as int64; its upper half becomes negative.
  if (from == DType::kInt64 && width == 32) {
    data = WithScalar(view, "subtract", WithScalar(view, "bitwise_xor", data, 0x1p31), 0x1p31);
  }
  const bool from_float = IsFloat(from), to_float = narrow == nullptr && IsFloat(CastTarget(to));
  if (from_float != to_float) {
    if (!from_float) data = AsDType(view, data, DType::kInt32);
    data = view.Call("reinterpret", {data}, {{"dtype", std::string(from_float ? "int32" : "float32")}});
  }
  return {narrow != nullptr ? AsNarrow(view, data, *narrow) : AsDType(view, data, CastTarget(to))};
}

}  // namespace

OnnxOperatorTable BitOperators() {
  return {{"BitwiseAnd", 2, 2, And, {}, {.becomes = "bitwise_and", .takes_counts = true}},
          {"BitwiseOr", 2, 2, Or, {}, {.becomes = "bitwise_or", .takes_counts = true}},
          {"BitwiseXor", 2, 2, Xor, {}, {.becomes = "bitwise_xor", .takes_counts = true}},
          {"BitwiseNot", 1, 1, Not, {}, {.becomes = "bitwise_not", .takes_counts = true}},
          {"BitCast",
           1,
           1,
           BitCast,
           {"to"},
           {.becomes = "bitwise_and bitwise_xor cast reinterpret subtract", .takes_counts = true}},
          {"BitShift", 2, 2, BitShift, {"direction"}, {.becomes = "left_shift right_shift", .takes_counts = true}}};
}

}  // namespace hone
