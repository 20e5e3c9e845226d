// Operators on the bits of integers.
#include <fmt/format.h>

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

}  // namespace

OnnxOperatorTable BitOperators() {
  return {{"BitwiseAnd", 2, 2, And, {}, {.becomes = "bitwise_and"}},
          {"BitwiseOr", 2, 2, Or, {}, {.becomes = "bitwise_or"}},
          {"BitwiseXor", 2, 2, Xor, {}, {.becomes = "bitwise_xor"}},
          {"BitwiseNot", 1, 1, Not, {}, {.becomes = "bitwise_not"}},
          {"BitShift", 2, 2, BitShift, {"direction"}, {.becomes = "left_shift right_shift"}}};
}

}  // namespace hone
