#include "compiler/frontend/onnx/narrow_integers.h"

#include <algorithm>
#include <cmath>

#include "compiler/frontend/onnx/expressions.h"

namespace hone {
namespace {

constexpr NarrowInteger kNarrowIntegers[] = {
    {4, "uint16", 16, false, DType::kInt32},  {5, "int16", 16, true, DType::kInt32},
    {12, "uint32", 32, false, DType::kInt64}, {13, "uint64", 63, false, DType::kInt64},
    {21, "uint4", 4, false, DType::kUInt8},   {22, "int4", 4, true, DType::kInt8},
    {25, "uint2", 2, false, DType::kUInt8},   {26, "int2", 2, true, DType::kInt8}};

// Whether the result has places, which are int64 whatever the inputs are.
bool GivesPlaces(std::string_view op_type, size_t index) {
  constexpr std::string_view kPlaces[] = {"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
  if (std::ranges::find(kPlaces, op_type) != std::end(kPlaces)) return true;
  return index > 0 && (op_type == "TopK" || op_type == "Unique");
}

}  // namespace

double NarrowInteger::low() const { return is_signed ? -std::ldexp(1, bits - 1) : 0; }
double NarrowInteger::high() const { return std::ldexp(1, is_signed ? bits - 1 : bits) - 1; }

const NarrowInteger* FindNarrowInteger(int64_t onnx_type) {
  const auto* row = std::ranges::find(kNarrowIntegers, onnx_type, &NarrowInteger::onnx_type);
  return row == std::end(kNarrowIntegers) ? nullptr : row;
}

// The low bits, of which the sign bit is moved to zero and back:  ((x & mask) ^ sign) - sign.
relay::ExprPtr Wrapped(const OnnxNodeView& view, const relay::ExprPtr& stored, const NarrowInteger& type) {
  const auto number = [&](double value) {
    Tensor tensor(view.builder().DTypeOf(stored), {});
    tensor.Set(0, value);
    return relay::MakeConstant(std::move(tensor));
  };
  if (type.bits == 63) return stored;
  const relay::ExprPtr bits = view.Call("bitwise_and", {stored, number(std::ldexp(1, type.bits) - 1)});
  if (!type.is_signed) return bits;
  const relay::ExprPtr sign = number(std::ldexp(1, type.bits - 1));
  return view.Call("subtract", {view.Call("bitwise_xor", {bits, sign}), sign});
}

relay::ExprPtr AsNarrow(const OnnxNodeView& view, const relay::ExprPtr& expr, const NarrowInteger& type) {
  const DType wide = type.stored == DType::kInt64 ? DType::kInt64 : DType::kInt32;
  return AsDType(view, Wrapped(view, AsDType(view, expr, wide), type), type.stored);
}

bool LeavesRange(std::string_view op_type) {
  if (op_type.starts_with("ReduceSum") || op_type.starts_with("Scatter")) return true;
  constexpr std::string_view kArithmetic[] = {"Abs",    "Add",    "BitShift", "BitwiseNot", "CumSum",    "Div",
                                              "MatMul", "Mul",    "Neg",      "Pow",        "Sub",       "Sum",
                                              "Gemm",   "Einsum", "CumProd",  "ReduceL1",   "ReduceProd"};
  return std::ranges::find(kArithmetic, op_type) != std::end(kArithmetic);
}

const NarrowInteger* DeclaredNarrow(const OnnxGraph& graph, const std::string& name) {
  const auto type = graph.element_types.find(name);
  return type == graph.element_types.end() ? nullptr : FindNarrowInteger(type->second);
}

// The type that a node's result has in ONNX if it is narrow: the type that is asked for, or else its first input's.
const NarrowInteger* ResultNarrow(const OnnxNode& node, const NarrowTypes& inputs, size_t index) {
  const auto attribute = [&](std::string_view name) -> const OnnxAttribute* {
    const auto found = std::ranges::find(node.attributes, name, &std::pair<std::string, OnnxAttribute>::first);
    return found == node.attributes.end() ? nullptr : &found->second;
  };
  const auto input = [&](size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
  const std::string& op = node.op_type;
  if (op == "Cast") return FindNarrowInteger(attribute("to") == nullptr ? 0 : attribute("to")->i);
  if (op == "CastLike") return input(1);
  if (op == "QuantizeLinear") {
    const OnnxAttribute* asked = attribute("output_dtype");
    return input(2) != nullptr || asked == nullptr ? input(2) : FindNarrowInteger(asked->i);
  }
  if (op == "Constant" || op == "ConstantOfShape") {
    const OnnxAttribute* value = attribute("value");
    return value == nullptr ? nullptr : FindNarrowInteger(value->element_type);
  }
  if (op == "DequantizeLinear" || GivesPlaces(op, index)) return nullptr;
  if (op == "Pow") return input(0);
  if (op == "OneHot") return input(2);
  if (op == "EyeLike" && attribute("dtype") != nullptr) return FindNarrowInteger(attribute("dtype")->i);
  const auto first = std::ranges::find_if(inputs, [](const NarrowInteger* type) { return type != nullptr; });
  return first == inputs.end() ? nullptr : *first;
}

}  // namespace hone
