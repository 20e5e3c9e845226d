// Operators that map each element by itself.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "compiler/ops/op_calls.h"
#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

using Map = std::function<double(double, const Attrs&)>;
// A function of integers, because a double does not hold all of them. The result wraps to the type.
using IntegerMap = std::function<int64_t(int64_t, const Attrs&, DType)>;

TypePtr SameType(const std::vector<TypePtr>& args, const Attrs&) {
  TensorArg(args, 0, "data");
  return args[0];
}

Tensor Mapped(const Tensor& data, const Attrs& attrs, const Map& map, const IntegerMap& of_integers) {
  Tensor result(data.dtype(), data.shape());
  if (IsFloat(data.dtype())) {
    for (int64_t i = 0; i < data.elements(); ++i) result.Set(i, map(data.At(i), attrs));
  } else {
    for (int64_t i = 0; i < data.elements(); ++i)
      SetInteger(result, i, of_integers(IntegerAt(data, i), attrs, data.dtype()));
  }
  return result;
}

// `of_integers` is needed if `types` has integers.
OpDef Unary(std::string name, std::string description, int level, Map map, DTypeSet types = kKernelFloat,
            std::vector<AttrSpec> attrs = {}, IntegerMap of_integers = nullptr) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"data", "any shape", types}};
  def.attrs = std::move(attrs);
  def.support_level = level;
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.type_relation = SameType;
  def.reference = [map = std::move(map), of_integers = std::move(of_integers)](const std::vector<Tensor>& args,
                                                                               const Attrs& at) {
    return std::vector<Tensor>{Mapped(args[0], at, map, of_integers)};
  };
  return def;
}

double UnitClip(double x) {
  if (x < 0) return 0;
  return x > 1 ? 1 : x;
}

// An infinity times its gate's 0 would be NaN; the limit is 0.
double Mish(double x) { return x < -1000 ? 0 : x * std::tanh(std::log1p(std::exp(-std::fabs(x))) + std::max(x, 0.0)); }

double Sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

// The least integer is its own negative.
int64_t Negated(int64_t x) { return static_cast<int64_t>(0 - static_cast<uint64_t>(x)); }

// Rounds halves to the even neighbour.
double RoundToEven(double x) {
  const double floor = std::floor(x), fraction = x - floor;
  if (fraction != 0.5) return std::round(x);
  return std::fmod(floor, 2) == 0 ? floor : floor + 1;
}

// Clamping works for integers too; polynomials are only for float32.
DTypeSet TypesOf(const ActivationRow& row) {
  const FormulaKind kind = KindOf(row);
  return kind == FormulaKind::kBounds ? kNumbers : kind == FormulaKind::kArithmetic ? kReals : kKernelFloat;
}

// A formula of bounds clamps an integer to its values at both infinities.
int64_t Bounded(const ActivationRow& row, int64_t x, const Attrs& given, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const ActivationCall activation = ReadActivation(row, given);
  const auto end = [&](double at) { return IntegerBound(row.Reference(at, activation.lo, activation.hi), dtype); };
  return std::min(std::max(x, end(-kInfinity)), end(kInfinity));
}

OpDef OpOf(const ActivationRow& row) {
  std::vector<AttrSpec> attrs;
  for (const ActivationParameter& p : row.parameters) {
    attrs.push_back({std::string(p.attribute), AttrKind::kFloat, p.otherwise, std::string(p.description)});
  }
  const auto map = [&row](double x, const Attrs& given) {
    const ActivationCall activation = ReadActivation(row, given);
    return row.Reference(x, activation.lo, activation.hi);
  };
  OpDef def =
      Unary(std::string(row.op), std::string(row.description), row.support_level, map, TypesOf(row), std::move(attrs),
            [&row](int64_t x, const Attrs& given, DType dtype) { return Bounded(row, x, given, dtype); });
  def.traits.homogeneous = row.homogeneous;
  return def;
}

OpTable ActivationOps() {
  OpTable table;
  for (const ActivationRow& row : Activations()) table.push_back(OpOf(row));
  return table;
}

// Activations that no epilogue has.
OpTable OtherActivations() {
  return {
      Unary("nn.hard_sigmoid", "alpha * x + beta held within [0, 1]", 10,
            [](double x, const Attrs& attrs) {
              return UnitClip(attrs.GetFloat("alpha", 0.2) * x + attrs.GetFloat("beta", 0.5));
            },
            kReals, {{"alpha", AttrKind::kFloat, 0.2, "slope"}, {"beta", AttrKind::kFloat, 0.5, "value at zero"}}),
      Unary("nn.mish", "x times the hyperbolic tangent of log(1 + exp(x))", 10,
            [](double x, const Attrs&) { return Mish(x); }),
  };
}

OpTable MathFunctions() {
  return {
      Unary("exp", "e to the power of x", 1, [](double x, const Attrs&) { return std::exp(x); }),
      Unary("log", "natural logarithm", 1, [](double x, const Attrs&) { return std::log(x); }),
      Unary("sqrt", "square root", 1, [](double x, const Attrs&) { return std::sqrt(x); }),
      Unary("erf", "error function", 1, [](double x, const Attrs&) { return std::erf(x); }),
      Unary(
          "negative", "-x", 3, [](double x, const Attrs&) { return -x; }, kNumbers, {},
          [](int64_t x, const Attrs&, DType) { return Negated(x); }),
      Unary(
          "abs", "magnitude", 3, [](double x, const Attrs&) { return std::fabs(x); }, kNumbers, {},
          [](int64_t x, const Attrs&, DType) { return x < 0 ? Negated(x) : x; }),
      Unary(
          "sign", "-1, 0 or 1; NaN passes", 3, [](double x, const Attrs&) { return Sign(x); }, kNumbers, {},
          [](int64_t x, const Attrs&, DType) -> int64_t { return x > 0   ? 1
                                                                 : x < 0 ? -1
                                                                         : 0; }),
      Unary("expm1", "exp(x) - 1, exact near 0", 10, [](double x, const Attrs&) { return std::expm1(x); }),
      Unary("log1p", "log(1 + x), exact near 0", 10, [](double x, const Attrs&) { return std::log1p(x); }),
      Unary("sin", "sine", 3, [](double x, const Attrs&) { return std::sin(x); }),
      Unary("cos", "cosine", 3, [](double x, const Attrs&) { return std::cos(x); }),
      Unary("atan", "inverse of the tangent", 3, [](double x, const Attrs&) { return std::atan(x); }),
  };
}

OpTable Roundings() {
  return {
      Unary("floor", "largest integer that is not above x", 3, [](double x, const Attrs&) { return std::floor(x); }),
      Unary("ceil", "smallest integer that is not below x", 3, [](double x, const Attrs&) { return std::ceil(x); }),
      Unary("trunc", "x without its fraction", 3, [](double x, const Attrs&) { return std::trunc(x); }),
      Unary("round", "nearest integer, the even one of two", 3, [](double x, const Attrs&) { return RoundToEven(x); }),
  };
}

}  // namespace

OpTable UnaryOps() {
  OpTable table = ActivationOps();
  for (OpTable more : {OtherActivations(), MathFunctions(), Roundings()})
    std::move(more.begin(), more.end(), std::back_inserter(table));
  return table;
}

}  // namespace hone::relay
