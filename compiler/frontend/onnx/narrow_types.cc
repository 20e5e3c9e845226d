#include "compiler/frontend/onnx/narrow_types.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/frontend/onnx/expressions.h"
#include "core/declared_types.h"

namespace hone {
namespace {

using NumberKind = NarrowType::Kind;

constexpr NarrowType kNarrowTypes[] = {
    {4, "uint16", 16, NumberKind::kUnsigned, declared::kUInt16, DType::kInt32},
    {5, "int16", 16, NumberKind::kSigned, declared::kInt16, DType::kInt32},
    {10, "float16", 16, NumberKind::kReal, DType::kFloat16, DType::kFloat32},
    {11, "float64", 64, NumberKind::kReal, DType::kFloat64, DType::kFloat32},
    {12, "uint32", 32, NumberKind::kUnsigned, declared::kUInt32, DType::kInt64},
    {13, "uint64", 64, NumberKind::kUnsigned, declared::kUInt64, DType::kInt64},
    {16, "bfloat16", 16, NumberKind::kReal, DType::kBFloat16, DType::kFloat32},
    {17, "float8e4m3fn", 8, NumberKind::kReal, declared::kFloat8E4M3FN, DType::kFloat32},
    {18, "float8e4m3fnuz", 8, NumberKind::kReal, declared::kFloat8E4M3FNUZ, DType::kFloat32},
    {19, "float8e5m2", 8, NumberKind::kReal, declared::kFloat8E5M2, DType::kFloat32},
    {20, "float8e5m2fnuz", 8, NumberKind::kReal, declared::kFloat8E5M2FNUZ, DType::kFloat32},
    {21, "uint4", 4, NumberKind::kUnsigned, declared::kUInt4, DType::kUInt8},
    {22, "int4", 4, NumberKind::kSigned, declared::kInt4, DType::kInt8},
    {23, "float4e2m1", 4, NumberKind::kReal, declared::kFloat4E2M1FN, DType::kFloat32},
    {24, "float8e8m0", 8, NumberKind::kReal, declared::kFloat8E8M0FNU, DType::kFloat32},
    {25, "uint2", 2, NumberKind::kUnsigned, declared::kUInt2, DType::kUInt8},
    {26, "int2", 2, NumberKind::kSigned, declared::kInt2, DType::kInt8}};

// Whether the result has places, which are int64 whatever the inputs are.
bool GivesPlaces(std::string_view op_type, size_t index) {
  constexpr std::string_view kPlaces[] = {"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
  if (std::ranges::find(kPlaces, op_type) != std::end(kPlaces)) return true;
  return index > 0 && (op_type == "TopK" || op_type == "Unique");
}

}  // namespace

double NarrowType::low() const { return kind == NumberKind::kSigned ? -std::ldexp(1, bits - 1) : 0; }
double NarrowType::high() const { return std::ldexp(1, kind == NumberKind::kSigned ? bits - 1 : bits) - 1; }

const NarrowType* FindNarrowType(int64_t onnx_type) {
  const auto* row = std::ranges::find(kNarrowTypes, onnx_type, &NarrowType::onnx_type);
  return row == std::end(kNarrowTypes) ? nullptr : row;
}

// The low bits, of which the sign bit is moved to zero and back:  ((x & mask) ^ sign) - sign.
relay::ExprPtr Wrapped(const OnnxNodeView& view, const relay::ExprPtr& stored, const NarrowType& type) {
  const auto number = [&](double value) {
    Tensor tensor(view.builder().DTypeOf(stored), {});
    tensor.Set(0, value);
    return relay::MakeConstant(std::move(tensor));
  };
  if (type.bits == 64) return stored;
  const relay::ExprPtr bits = view.Call("bitwise_and", {stored, number(std::ldexp(1, type.bits) - 1)});
  if (type.kind == NumberKind::kUnsigned) return bits;
  const relay::ExprPtr sign = number(std::ldexp(1, type.bits - 1));
  return view.Call("subtract", {view.Call("bitwise_xor", {bits, sign}), sign});
}

relay::ExprPtr AsNarrow(const OnnxNodeView& view, const relay::ExprPtr& expr, const NarrowType& type,
                        const NarrowCast& by) {
  if (!type.is_real()) {
    const DType wide = type.stored == DType::kInt64 ? DType::kInt64 : DType::kInt32;
    return AsDType(view, Wrapped(view, AsDType(view, expr, wide), type), type.stored);
  }
  if (type.bits > 16) return AsDType(view, expr, type.stored);
  relay::Attrs attrs{{"dtype", std::string(DTypeName(type.declared))}};
  if (type.is_byte_float() && by.saturates) attrs.Set("saturate", true);
  if (by.rounding != "nearest") attrs.Set("rounding", by.rounding);
  return AsDType(view, view.Call("cast", {AsDType(view, expr, DType::kFloat32)}, std::move(attrs)), type.stored);
}

relay::ExprPtr FromDeclared(const OnnxNodeView& view, const relay::ExprPtr& array, const NarrowType& type) {
  return AsDType(view, array, type.stored);
}

// A cast from the declared dtype is left out together with the cast to it.
relay::ExprPtr ToDeclared(const OnnxNodeView& view, const relay::ExprPtr& stored, const NarrowType& type) {
  const relay::Call* widened = relay::AsCallTo(stored, "cast");
  const bool is_declared = widened != nullptr && view.builder().DTypeOf(widened->args[0]) == type.declared;
  return is_declared ? widened->args[0] : AsDType(view, stored, type.declared);
}

bool ComparesElements(std::string_view op_type) {
  constexpr std::string_view kComparing[] = {"ArgMax", "ArgMin", "Greater", "GreaterOrEqual", "Less",     "LessOrEqual",
                                             "Max",    "Min",    "TopK",    "ReduceMax",      "ReduceMin"};
  return std::ranges::find(kComparing, op_type) != std::end(kComparing);
}

relay::ExprPtr InOtherOrder(const OnnxNodeView& view, const relay::ExprPtr& stored) {
  Tensor top(DType::kInt64, {});
  SetInteger(top, 0, std::numeric_limits<int64_t>::min());
  return view.Call("bitwise_xor", {stored, relay::MakeConstant(std::move(top))});
}

bool LeavesRange(std::string_view op_type) {
  if (op_type.starts_with("ReduceSum") || op_type.starts_with("Scatter")) return true;
  constexpr std::string_view kArithmetic[] = {"Abs",    "Add",    "BitShift", "BitwiseNot", "CumSum",    "Div",
                                              "MatMul", "Mul",    "Neg",      "Pow",        "Sub",       "Sum",
                                              "Gemm",   "Einsum", "CumProd",  "ReduceL1",   "ReduceProd"};
  return std::ranges::find(kArithmetic, op_type) != std::end(kArithmetic);
}

const NarrowType* DeclaredNarrow(const OnnxGraph& graph, const std::string& name) {
  const auto type = graph.element_types.find(name);
  return type == graph.element_types.end() ? nullptr : FindNarrowType(type->second);
}

// The type that a node's result has in ONNX if it is narrow: the type that is asked for, or else its first input's.
const NarrowType* ResultNarrow(const OnnxNode& node, const NarrowTypes& inputs, size_t index) {
  const auto attribute = [&](std::string_view name) -> const OnnxAttribute* {
    const auto found = std::ranges::find(node.attributes, name, &std::pair<std::string, OnnxAttribute>::first);
    return found == node.attributes.end() ? nullptr : &found->second;
  };
  const auto input = [&](size_t i) { return i < inputs.size() ? inputs[i] : nullptr; };
  const std::string& op = node.op_type;
  if (op == "Cast" || op == "BitCast") return FindNarrowType(attribute("to") == nullptr ? 0 : attribute("to")->i);
  if (op == "CastLike") return input(1);
  if (op == "QuantizeLinear") {
    const OnnxAttribute* asked = attribute("output_dtype");
    return input(2) != nullptr || asked == nullptr ? input(2) : FindNarrowType(asked->i);
  }
  if (op == "Constant" || op == "ConstantOfShape") {
    const OnnxAttribute* value = attribute("value");
    return value == nullptr ? nullptr : FindNarrowType(value->element_type);
  }
  if (op == "DequantizeLinear" || GivesPlaces(op, index)) return nullptr;
  if (op == "Pow") return input(0);
  if (op == "OneHot") return input(2);
  if (op == "EyeLike" && attribute("dtype") != nullptr) return FindNarrowType(attribute("dtype")->i);
  const auto first = std::ranges::find_if(inputs, [](const NarrowType* type) { return type != nullptr; });
  return first == inputs.end() ? nullptr : *first;
}

}  // namespace hone
