// Operators that correspond to one Relay operator on one, two or any number of tensors.
#include <fmt/format.h>

#include <cmath>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

struct RenamedOperator {
  std::string_view onnx;
  const char* relay;
};

constexpr RenamedOperator kUnary[] = {
    {"Relu", "nn.relu"}, {"Sigmoid", "sigmoid"}, {"Tanh", "tanh"},    {"Exp", "exp"}, {"Log", "log"},
    {"Sqrt", "sqrt"},    {"Erf", "erf"},         {"Neg", "negative"}, {"Abs", "abs"}, {"Floor", "floor"},
    {"Ceil", "ceil"},    {"Round", "round"},     {"Sign", "sign"}};
constexpr RenamedOperator kBinary[] = {{"Add", "add"}, {"Sub", "subtract"}, {"Mul", "multiply"}, {"Div", "divide"}};
// For integers: 2 to a greater exponent does not fit into 64 bits.
constexpr double kLargestExponent = 63;

constexpr RenamedOperator kVariadic[] = {{"Sum", "add"}, {"Max", "maximum"}, {"Min", "minimum"}};

template <size_t N>
std::string_view RelayName(const RenamedOperator (&table)[N], std::string_view onnx) {
  for (const RenamedOperator& row : table) {
    if (row.onnx == onnx) return row.relay;
  }
  RefuseNode("the operator is not supported");
}

std::vector<ExprPtr> Unary(const OnnxNodeView& view) {
  return {view.Call(RelayName(kUnary, view.node().op_type), {view.Input(0)})};
}

std::vector<ExprPtr> Binary(const OnnxNodeView& view) {
  return {view.Call(RelayName(kBinary, view.node().op_type), {view.Input(0), view.Input(1)})};
}

// x multiplied by itself, which is exact and wraps as integers do. `exponent` is at least 1.
ExprPtr Multiplied(const OnnxNodeView& view, ExprPtr x, int64_t exponent) {
  ExprPtr product;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) product = product == nullptr ? x : view.Call("multiply", {product, x});
    if (exponent > 1) x = view.Call("multiply", {x, x});
  }
  return product;
}

// The powers of integers for exponents that are computed, by squares: one step per bit of an exponent. Larger ones keep
// their lowest bit, which decides the powers of -1; those of 0 and 1 do not depend on it, and all others overflow.
ExprPtr PowerBySquares(const OnnxNodeView& view, const ExprPtr& base, const ExprPtr& exponent) {
  const ExprPtr odd = WithScalar(view, "bitwise_and", exponent, 1);
  const ExprPtr is_large = WithScalar(view, "greater", exponent, kLargestExponent);
  const ExprPtr bits = view.Call("where", {is_large, WithScalar(view, "add", odd, kLargestExponent - 1), exponent});
  const ExprPtr one = ScalarLike(view, base, 1);
  ExprPtr power = one, square = base;
  for (int64_t bit = 1; bit <= static_cast<int64_t>(kLargestExponent); bit *= 2) {
    const ExprPtr is_set =
        WithScalar(view, "not_equal", WithScalar(view, "bitwise_and", bits, static_cast<double>(bit)), 0);
    power = view.Call("multiply", {power, view.Call("where", {is_set, square, one})});
    square = view.Call("multiply", {square, square});
  }
  // 1 / base ^ n, truncated: 0 unless the base is 1 or -1.
  const ExprPtr is_unit = WithScalar(view, "equal", view.Call("abs", {base}), 1);
  const ExprPtr of_unit = view.Call("where", {WithScalar(view, "equal", odd, 0), one, base});
  const ExprPtr reciprocal = view.Call("where", {is_unit, of_unit, ScalarLike(view, base, 0)});
  return view.Call("where", {WithScalar(view, "less", exponent, 0), reciprocal, power});
}

// For a computed base of integers: kernels have powers only of floats. Powers of fractions are truncated.
ExprPtr PowerOfIntegers(const OnnxNodeView& view) {
  const ExprPtr &base = view.Input(0), &exponent = view.Input(1);
  const DType dtype = view.builder().DTypeOf(base);
  const Tensor* known = view.InputValue(1);
  const bool is_one = known != nullptr && known->elements() == 1 && known->shape().size() <= view.InputShape(0).size();
  const double n = is_one ? known->At(0) : -1;
  if (n == 0) return WithScalar(view, "add", WithScalar(view, "multiply", base, 0), 1);
  if (n > 0 && n <= kLargestExponent && n == std::floor(n)) return Multiplied(view, base, static_cast<int64_t>(n));
  const ExprPtr power = PowerBySquares(view, base, AsDType(view, exponent, DType::kInt64));
  if (!IsFloat(view.builder().DTypeOf(exponent))) return power;
  const ExprPtr real = view.Call("power", {AsDType(view, base, DType::kFloat32), exponent});
  const ExprPtr is_whole = view.Call("equal", {view.Call("floor", {exponent}), exponent});
  return view.Call("where", {is_whole, power, AsDType(view, real, dtype)});
}

bool IsFractional(const Tensor* value) {
  for (int64_t i = 0; value != nullptr && IsFloat(value->dtype()) && i < value->elements(); ++i) {
    if (value->At(i) != std::floor(value->At(i))) return true;
  }
  return false;
}

// The exponent's type may differ from the base's. A power of integers is truncated to an integer.
std::vector<ExprPtr> Pow(const OnnxNodeView& view) {
  const ExprPtr &base = view.Input(0), &exponent = view.Input(1);
  const DType dtype = view.builder().DTypeOf(base);
  const bool known = view.InputValue(0) != nullptr && view.InputValue(1) != nullptr;
  if (!IsFloat(dtype) && !known) return {PowerOfIntegers(view)};
  if (!IsFloat(dtype) && IsFractional(view.InputValue(1))) {
    return {AsDType(view, view.Call("power", {AsDType(view, base, DType::kFloat32), exponent}), dtype)};
  }
  return {view.Call("power", {base, AsDType(view, exponent, dtype)})};
}

std::vector<ExprPtr> Mod(const OnnxNodeView& view) {
  return {view.Call(view.Int("fmod", 0) != 0 ? "mod" : "floor_mod", {view.Input(0), view.Input(1)})};
}

std::vector<ExprPtr> Reciprocal(const OnnxNodeView& view) {
  return {view.Call("divide", {ScalarLike(view, view.Input(0), 1), view.Input(0)})};
}

std::vector<ExprPtr> Variadic(const OnnxNodeView& view) {
  const std::string_view name = RelayName(kVariadic, view.node().op_type);
  ExprPtr result = view.Input(0);
  for (int i = 1; i < view.num_inputs(); ++i) result = view.Call(name, {result, view.Input(i)});
  return {result};
}

std::vector<ExprPtr> Mean(const OnnxNodeView& view) {
  ExprPtr sum = view.Input(0);
  for (int i = 1; i < view.num_inputs(); ++i) sum = view.Call("add", {sum, view.Input(i)});
  return {view.num_inputs() == 1 ? sum : WithScalar(view, "divide", sum, view.num_inputs())};
}

std::vector<ExprPtr> Identity(const OnnxNodeView& view) { return {view.Input(0)}; }

// Only casts to float8e8m0 choose how to round, by default up.
NarrowCast NarrowCastOf(const OnnxNodeView& view, const NarrowType& type) {
  constexpr std::string_view kPowersOfTwo = "float8e8m0";
  const std::string rounding = view.String("round_mode", "up");
  if (rounding != "up" && rounding != "down" && rounding != "nearest") {
    RefuseNode(fmt::format("round_mode is \"{}\"; up, down and nearest are right", rounding));
  }
  return {view.Int("saturate", 1) != 0, type.name == kPowersOfTwo ? rounding : "nearest"};
}

// The input, or its floats if it is uint64 and the target has floats: numbers of 2^63 and more are stored below 0.
ExprPtr CastInput(const OnnxNodeView& view, bool to_floats) {
  const ExprPtr& x = view.Input(0);
  if (!to_floats || view.InputNarrow(0) == nullptr || !view.InputNarrow(0)->is_uint64()) return x;
  const ExprPtr below = AsDType(view, WithScalar(view, "less", x, 0), DType::kFloat32);
  return view.Call("add", {AsDType(view, x, DType::kFloat32), WithScalar(view, "multiply", below, 0x1p64)});
}

std::vector<ExprPtr> CastTo(const OnnxNodeView& view, const NarrowType& type) {
  return {AsNarrow(view, CastInput(view, type.is_real()), type, NarrowCastOf(view, type))};
}

std::vector<ExprPtr> Cast(const OnnxNodeView& view) {
  const int64_t to = view.Int("to", 0);
  if (const NarrowType* narrow = FindNarrowType(to)) return CastTo(view, *narrow);
  const DType dtype = CastTarget(to);
  return {AsDType(view, CastInput(view, IsFloat(dtype)), dtype)};
}

std::vector<ExprPtr> CastLike(const OnnxNodeView& view) {
  if (const NarrowType* narrow = view.InputNarrow(1)) return CastTo(view, *narrow);
  const DType dtype = view.builder().DTypeOf(view.Input(1));
  return {AsDType(view, CastInput(view, IsFloat(dtype)), dtype)};
}

}  // namespace

OnnxOperatorTable ElementwiseOperators() {
  OnnxOperatorTable table = {
      {"Identity", 1, 1, Identity, {}, {.takes_counts = true, .takes_sequences = true}},
      {"Cast", 1, 1, Cast, {"round_mode", "to", "saturate"}, {.becomes = "cast", .takes_counts = true}},
      {"CastLike", 2, 2, CastLike, {"round_mode", "saturate"}, {.becomes = "cast", .takes_counts = true}},
      {"Mod", 2, 2, Mod, {"fmod"}, {.becomes = "mod", .takes_counts = true}},
      {"Reciprocal", 1, 1, Reciprocal, {}, {.becomes = "divide", .takes_counts = true}},
      {"Mean", 1, -1, Mean, {}, {.becomes = "add divide", .takes_counts = true}},
      {"Pow",
       2,
       2,
       Pow,
       {},
       {.becomes = "abs add bitwise_and cast equal floor greater less multiply not_equal power where",
        .takes_counts = true}}};
  for (const RenamedOperator& row : kUnary)
    table.push_back({row.onnx, 1, 1, Unary, {}, {.becomes = row.relay, .takes_counts = true}});
  for (const RenamedOperator& row : kBinary)
    table.push_back({row.onnx, 2, 2, Binary, {}, {.becomes = row.relay, .takes_counts = true}});
  for (const RenamedOperator& row : kVariadic)
    table.push_back({row.onnx, 1, -1, Variadic, {}, {.becomes = row.relay, .takes_counts = true}});
  return table;
}

}  // namespace hone
