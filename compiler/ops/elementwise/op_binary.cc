// Operators on two tensors with numpy's broadcasting.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

// Reals are computed in double, integers in int64 with wrap-around.
struct Arithmetic {
  double (*real)(double, double);
  int64_t (*integer)(int64_t, int64_t);
};

TypePtr BroadcastType(const std::vector<TypePtr>& args, const Attrs&) {
  const Type &lhs = TensorArg(args, 0, "lhs"), &rhs = TensorArg(args, 1, "rhs");
  return BroadcastOf({&lhs, &rhs}, lhs.dtype);
}

Tensor Combined(const Tensor& lhs, const Tensor& rhs, const Arithmetic& arithmetic) {
  const Shape shape = BroadcastShapes(lhs.shape(), rhs.shape());
  OffsetWalk at_lhs = OffsetWalk::Broadcast(lhs.shape(), shape), at_rhs = OffsetWalk::Broadcast(rhs.shape(), shape);
  Tensor result(lhs.dtype(), shape);
  for (int64_t i = 0; i < result.elements(); ++i) {
    const int64_t l = at_lhs.Next(), r = at_rhs.Next();
    if (IsFloat(lhs.dtype())) {
      result.Set(i, arithmetic.real(lhs.At(l), rhs.At(r)));
    } else {
      SetInteger(result, i, arithmetic.integer(IntegerAt(lhs, l), IntegerAt(rhs, r)));
    }
  }
  return result;
}

OpDef Binary(std::string name, std::string description, int level, Arithmetic arithmetic, DTypeSet types = kNumbers) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"lhs", "left operand", types}, {"rhs", "right operand", ElementRule::Like(0)}};
  def.support_level = level;
  def.pattern = OpPattern::kBroadcast;
  def.layout = LayoutRule::kNCHWc;
  def.type_relation = BroadcastType;
  def.reference = [arithmetic](const std::vector<Tensor>& args, const Attrs&) {
    return std::vector<Tensor>{Combined(args[0], args[1], arithmetic)};
  };
  return def;
}

OpDef Cheap(OpDef def) {
  def.traits.cheap = true;
  return def;
}

int64_t Wrapped(uint64_t value) { return static_cast<int64_t>(value); }

uint64_t U(int64_t value) { return static_cast<uint64_t>(value); }

int64_t DivideIntegers(int64_t a, int64_t b) {
  if (b == 0) Misfit("an integer is divided by zero");
  // The quotient of the least int64 and -1 overflows; negation wraps.
  return b == -1 ? Wrapped(0 - U(a)) : a / b;
}

int64_t PowerOfIntegers(int64_t a, int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  for (auto base = U(a); b > 0; b /= 2, base *= base) {
    if (b % 2 == 1) result *= base;
  }
  return Wrapped(result);
}

int64_t Remainder(int64_t a, int64_t b) {
  if (b == 0) Misfit("an integer is divided by zero");
  return b == -1 ? 0 : a % b;
}

// The remainder with the divisor's sign, as in Python.
int64_t FloorRemainder(int64_t a, int64_t b) {
  const int64_t rest = Remainder(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double FloorRemainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double MaximumOrNan(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double MinimumOrNan(double a, double b) { return std::isnan(a) || a < b ? a : b; }

}  // namespace

OpTable BinaryOps() {
  using I = int64_t;
  constexpr DTypeSet kNarrow = kKernelFloat | kWhole;
  return {
      Cheap(Binary("add", "lhs + rhs", 1,
                   {[](double a, double b) { return a + b; }, [](I a, I b) { return Wrapped(U(a) + U(b)); }})),
      Cheap(Binary("subtract", "lhs - rhs", 1,
                   {[](double a, double b) { return a - b; }, [](I a, I b) { return Wrapped(U(a) - U(b)); }})),
      Cheap(Binary("multiply", "lhs * rhs", 1,
                   {[](double a, double b) { return a * b; }, [](I a, I b) { return Wrapped(U(a) * U(b)); }})),
      Cheap(Binary("divide", "lhs / rhs; integers round towards zero", 1,
                   {[](double a, double b) { return a / b; }, DivideIntegers})),
      Cheap(Binary("maximum", "the larger; NaN when either is NaN", 4,
                   {MaximumOrNan, [](I a, I b) { return std::max(a, b); }})),
      Cheap(Binary("minimum", "the smaller; NaN when either is NaN", 4,
                   {MinimumOrNan, [](I a, I b) { return std::min(a, b); }})),
      Binary("power", "lhs to the power of rhs; of integers where both are constants alone", 4,
             {[](double a, double b) { return std::pow(a, b); }, PowerOfIntegers}, kNarrow),
      Binary("mod", "what division towards zero leaves of lhs, with its sign", 3,
             {[](double a, double b) { return std::fmod(a, b); }, Remainder}, kNarrow),
      Binary("floor_mod", "what division towards minus infinity leaves of lhs, with the sign of rhs", 3,
             {[](double a, double b) { return FloorRemainder(a, b); }, [](I a, I b) { return FloorRemainder(a, b); }},
             kNarrow),
  };
}

}  // namespace hone::relay
