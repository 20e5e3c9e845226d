// Operators whose result element depends on one element of each argument.
#include <cmath>
#include <limits>

#include "compiler/codegen/byte_float_bits.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/codegen/math/math.h"
#include "compiler/codegen/math/rounding.h"
#include "compiler/generic/evaluator.h"
#include "compiler/generic/fold.h"
#include "compiler/ops/kernel_families.h"
#include "compiler/ops/op_calls.h"
#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/nth.h"
#include "core/tensor.h"

namespace hone {
namespace {

// Takes only float32, because float64 has no polynomials of its own.
template <Value* (*kMath)(KernelBuilder&, Value*)>
Value* Math(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  return kMath(e.b(), RequireFloat(Argument(e, call, 0, at, lanes), call));
}

// Formulas on integers of the type; only those of kBounds are evaluated in it.
class IntegerBounds : public ActivationMath {
 public:
  IntegerBounds(KernelBuilder& builder, DType dtype) : b_(builder), dtype_(dtype) {}
  Term AtLeast(Term x, double bound) override { return Bounded(x, bound, true); }
  Term AtMost(Term x, double bound) override { return Bounded(x, bound, false); }
  Term MultiplyAdd(Term, double, double) override { Refuse(); }
  Term Multiply(Term, Term) override { Refuse(); }
  Term Slope(Term, double) override { Refuse(); }
  Term Sigmoid(Term) override { Refuse(); }
  Term Tanh(Term) override { Refuse(); }
  Term Silu(Term) override { Refuse(); }
  Term Gelu(Term) override { Refuse(); }

 private:
  [[noreturn]] static void Refuse() { throw Error(ExitCode::kBug, "an activation of integers has more than bounds"); }
  Term Bounded(Term x, double bound, bool from_below) {
    auto* value = static_cast<Value*>(x.value);
    const auto whole = static_cast<uint64_t>(IntegerBound(bound, dtype_));
    return {0, FoldPair(b_, from_below ? FoldKind::kMax : FoldKind::kMin, value,
                        llvm::ConstantInt::get(value->getType(), whole, true), RangeOf(dtype_).least == 0)};
  }

  KernelBuilder& b_;
  DType dtype_;
};

// Clips x to one step beyond the bounds before the division. Such values still exceed the bounds after it, and x stays
// within the range of EmitDivideBy.
Value* EmitRoundedQuotient(KernelBuilder& b, Value* x, const relay::RoundedQuotient& by) {
  const double step = by.step;
  x = b.FMin(b.FMax(x, Like(x, (by.lo - 1) * step)), Like(x, (by.hi + 1) * step));
  return EmitRound(b, EmitDivideBy(b, x, by.step));
}

// The arithmetic of quantisation by numbers of the run: clip(round(x / step) + zero, lo, hi), perhaps without the zero.
struct QuantisedByScalars {
  const relay::Call* division;
  const relay::Call* sum;  // null without a zero
};

std::optional<QuantisedByScalars> AsQuantisedByScalars(const relay::Call& clip) {
  const auto is_number = [](const relay::ExprPtr& expr) {
    const relay::Type& type = TensorTypeOf(expr);
    return relay::AsConstant(expr) == nullptr && type.dtype == DType::kFloat32 && type.shape.empty();
  };
  if (relay::AsOp(clip.op)->def->name != "clip" || clip.type->dtype != DType::kFloat32) return std::nullopt;
  constexpr double kMostBound = 0x1p31;
  const relay::ActivationCall bounds = *relay::AsActivation(clip);
  const relay::Call* sum = relay::AsCallTo(clip.args[0], "add");
  const relay::Call* round = relay::AsCallTo(sum != nullptr ? sum->args[0] : clip.args[0], "round");
  const relay::Call* division = round != nullptr ? relay::AsCallTo(round->args[0], "divide") : nullptr;
  const bool known =
      division == nullptr || !is_number(division->args[1]) || (sum != nullptr && !is_number(sum->args[1]));
  if (known || std::abs(bounds.lo) > kMostBound || std::abs(bounds.hi) > kMostBound) return std::nullopt;
  return QuantisedByScalars{division, sum};
}

// A quotient that the division bounds stays beyond the clip's bounds, unless the zero is as large.
Value* EmitQuantisedByScalars(Evaluator& e, const QuantisedByScalars& by, const Coordinates& at, Lanes lanes) {
  KernelBuilder& b = e.b();
  Value* x = Argument(e, *by.division, 0, at, lanes);
  Value* rounded = EmitRound(b, EmitDivideByScalar(b, x, e.Eval(by.division->args[1], {}, kScalar)));
  if (by.sum == nullptr) return rounded;
  return b.FAdd(rounded, b.Splat(e.Eval(by.sum->args[1], {}, kScalar), lanes.count));
}

Value* Activated(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const auto [row, lo, hi] = *relay::AsActivation(call);
  const std::optional<relay::RoundedQuotient> quotient = relay::AsRoundedQuotient(call);
  if (quotient && DividesByProducts(e.b().machine(), quotient->step)) {
    Value* dividend = Argument(e, *quotient->division, 0, at, lanes);
    return EmitActivation(e.b(), row, lo, hi, EmitRoundedQuotient(e.b(), dividend, *quotient));
  }
  if (const auto by = AsQuantisedByScalars(call)) {
    return EmitActivation(e.b(), row, lo, hi, EmitQuantisedByScalars(e, *by, at, lanes));
  }
  Value* x = Argument(e, call, 0, at, lanes);
  const FormulaKind kind = KindOf(*row);
  if (!IsFloat(x) && kind == FormulaKind::kBounds) {
    IntegerBounds bounds(e.b(), call.type->dtype);
    return static_cast<Value*>(row->formula(bounds, {0, x}, lo, hi).value);
  }
  if (!IsFloat(x) || kind == FormulaKind::kFunctions) RequireFloat(x, call);
  return EmitActivation(e.b(), row, lo, hi, x);
}

Value* AlongAxis(Evaluator& e, const relay::Call& call, size_t i, const Coordinates& at, Lanes lanes) {
  if (TensorTypeOf(call.args[i]).shape.size() != 1) return Argument(e, call, i, at, lanes);
  const auto rank = static_cast<int64_t>(at.size());
  const int64_t axis = (call.attrs.GetInt("axis", 1) + rank) % rank;
  const bool one = TensorTypeOf(call.args[i]).shape[0] == 1;
  return e.Eval(call.args[i], {one ? At(e.b(), 0) : Nth(at, axis)}, lanes);
}

Value* Prelu(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = Argument(e, call, 0, at, lanes);
  if (!IsFloat(x)) RequireFloat(x, call);
  return EmitSlope(e.b(), x, AlongAxis(e, call, 1, at, lanes));
}

Value* UnitClip(KernelBuilder& b, Value* x) { return b.FMin(b.FMax(x, Like(x, 0)), Like(x, 1)); }

Value* HardSigmoid(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = Argument(e, call, 0, at, lanes);
  Value* line = e.b().Fma(x, Like(x, call.attrs.GetFloat("alpha", 0.2)), Like(x, call.attrs.GetFloat("beta", 0.5)));
  return UnitClip(e.b(), line);
}

Value* Negative(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = Argument(e, call, 0, at, lanes);
  return IsFloat(x) ? e.b().ir().CreateFNeg(x) : e.b().ir().CreateNeg(x);
}

Value* Abs(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = Argument(e, call, 0, at, lanes);
  if (IsFloat(x)) return e.b().ir().CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  if (IsUnsigned(call)) return x;
  auto& ir = e.b().ir();
  return ir.CreateSelect(ir.CreateICmpSLT(x, Like(x, 0)), ir.CreateNeg(x), x);
}

Value* Sign(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  auto& ir = e.b().ir();
  Value* x = Argument(e, call, 0, at, lanes);
  Value *zero = Like(x, 0), *one = Like(x, 1);
  if (!IsFloat(x) && IsUnsigned(call)) return ir.CreateSelect(ir.CreateICmpNE(x, zero), one, zero);
  Value* order = IsFloat(x) ? EmitOrder(e.b(), x) : x;
  Value* none = llvm::Constant::getNullValue(order->getType());
  Value* below = ir.CreateSelect(ir.CreateICmpSLT(order, none), Like(x, -1), x);
  Value* sign = ir.CreateSelect(ir.CreateICmpSGT(order, none), one, below);
  return IsFloat(x) ? ir.CreateSelect(ir.CreateFCmpUNO(x, x), x, sign) : sign;
}

Value* Add(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return IsFloat(x) ? e.b().FAdd(x, y) : e.b().ir().CreateAdd(x, y);
}

Value* BiasAdd(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = AlongAxis(e, call, 1, at, lanes);
  return IsFloat(x) ? e.b().FAdd(x, y) : e.b().ir().CreateAdd(x, y);
}

Value* Subtract(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return IsFloat(x) ? e.b().FSub(x, y) : e.b().ir().CreateSub(x, y);
}

Value* Multiply(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return IsFloat(x) ? e.b().FMul(x, y) : e.b().ir().CreateMul(x, y);
}

// The quotient of integers of at most 32 bits. Processors divide only vectors of floats. A float of twice the bits is
// precise enough that the quotient's integer part is exact.
Value* NarrowQuotient(KernelBuilder& b, Value* x, Value* y, bool is_unsigned) {
  auto& ir = b.ir();
  llvm::Type* real = x->getType()->getWithNewType(x->getType()->getScalarSizeInBits() > 16 ? b.f64() : b.f32());
  if (is_unsigned) {
    return ir.CreateFPToUI(ir.CreateFDiv(ir.CreateUIToFP(x, real), ir.CreateUIToFP(y, real)), x->getType());
  }
  return ir.CreateFPToSI(ir.CreateFDiv(ir.CreateSIToFP(x, real), ir.CreateSIToFP(y, real)), x->getType());
}

// The quotient of signed integers of 64 bits, as NarrowQuotient's where no element needs more than 52 bits.
Value* WideQuotient(KernelBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  if (!x->getType()->isVectorTy()) return ir.CreateSDiv(x, y);
  constexpr int64_t kLimit = int64_t{1} << 52;
  const auto is_short = [&](Value* v) {
    return ir.CreateICmpULT(ir.CreateAdd(v, Like(v, kLimit)), Like(v, 2 * kLimit));
  };
  Value* is_long = ir.CreateNot(ir.CreateAndReduce(ir.CreateAnd(is_short(x), is_short(y))));
  llvm::Type* real = x->getType()->getWithNewType(b.f64());
  Value* quotient = ir.CreateFPToSI(ir.CreateFDiv(ir.CreateSIToFP(x, real), ir.CreateSIToFP(y, real)), x->getType());
  return b.Loop(b.Index(0), ir.CreateZExt(is_long, b.i64()), 1, {quotient},
                [&](Value*, const Vals&) { return Vals{ir.CreateSDiv(x, y)}; })[0];
}

// An integer quotient that never traps: x / 0 is 0 and x / -1 is -x.
Value* DivideIntegers(KernelBuilder& b, Value* x, Value* y, bool is_unsigned) {
  auto& ir = b.ir();
  Value* is_zero = ir.CreateICmpEQ(y, Like(y, 0));
  Value* is_minus_one = is_unsigned ? is_zero : ir.CreateICmpEQ(y, Like(y, -1));
  Value* safe = ir.CreateSelect(ir.CreateOr(is_zero, is_minus_one), Like(y, 1), y);
  Value* quotient = x->getType()->getScalarSizeInBits() <= 32 ? NarrowQuotient(b, x, safe, is_unsigned)
                    : is_unsigned                             ? ir.CreateUDiv(x, safe)
                                                              : WideQuotient(b, x, safe);
  if (!is_unsigned) quotient = ir.CreateSelect(is_minus_one, ir.CreateNeg(x), quotient);
  return ir.CreateSelect(is_zero, Like(x, 0), quotient);
}

Value* Divide(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return IsFloat(x) ? e.b().FDiv(x, y) : DivideIntegers(e.b(), x, y, IsUnsigned(call));
}

Value* Maximum(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return FoldPair(e.b(), FoldKind::kMax, x, y, IsUnsigned(call));
}

Value* Minimum(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  return FoldPair(e.b(), FoldKind::kMin, x, y, IsUnsigned(call));
}

// x ** y as in C, for any signs: a finite negative base has a real power only for an integer exponent.
Value* PowerOf(KernelBuilder& b, Value* x, Value* y) {
  auto& ir = b.ir();
  Value* magnitude = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
  Value* power = EmitExp(b, b.FMul(y, EmitLog(b, magnitude)));
  auto* int_type = y->getType()->getWithNewType(b.i32());
  Value* bounded = b.FMin(b.FMax(y, Like(y, -1e9)), Like(y, 1e9));
  Value* number = ir.CreateSelect(ir.CreateFCmpUNO(y, y), Like(y, 0), bounded);
  Value* whole = ir.CreateFPToSI(number, int_type);
  Value* is_whole = ir.CreateFCmpOEQ(ir.CreateSIToFP(whole, y->getType()), bounded);
  Value* is_odd = ir.CreateAnd(is_whole, ir.CreateTrunc(whole, y->getType()->getWithNewType(ir.getInt1Ty())));
  Value* is_negative = ir.CreateICmpSLT(ir.CreateBitCast(x, int_type), llvm::Constant::getNullValue(int_type));
  // Zero and infinity have a power for every exponent.
  Value* finite = ir.CreateAnd(ir.CreateFCmpOLT(x, Like(x, 0)),
                               ir.CreateFCmpOGT(x, Like(x, -std::numeric_limits<double>::infinity())));
  Value* undefined = ir.CreateAnd(finite, ir.CreateNot(is_whole));
  power = ir.CreateSelect(ir.CreateAnd(is_negative, is_odd), ir.CreateFNeg(power), power);
  power = ir.CreateSelect(undefined, Like(x, std::numeric_limits<double>::quiet_NaN()), power);
  // If the base is 1, the logarithm times an infinite exponent would be NaN.
  Value* is_one = ir.CreateOr(ir.CreateFCmpOEQ(y, Like(y, 0)), ir.CreateFCmpOEQ(x, Like(x, 1)));
  is_one = ir.CreateOr(is_one, ir.CreateAnd(ir.CreateFCmpOEQ(magnitude, Like(x, 1)),
                                            ir.CreateFCmpOEQ(ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, y),
                                                             Like(y, std::numeric_limits<double>::infinity()))));
  return ir.CreateSelect(is_one, Like(x, 1), power);
}

// EmitPow's products and roots. They hold for zero and minus infinity too, once a root gets a positive operand.
Value* PowerOfQuarters(KernelBuilder& b, Value* x, float y) {
  auto& ir = b.ir();
  if (y == std::nearbyint(y)) return EmitPow(b, x, y);
  const double infinity = std::numeric_limits<double>::infinity();
  {
    // The addition makes -0 positive; kernels that may ignore the sign of zero would omit it.
    const llvm::IRBuilderBase::FastMathFlagGuard guard(ir);
    ir.clearFastMathFlags();
    x = ir.CreateSelect(ir.CreateFCmpOEQ(x, Like(x, -infinity)), Like(x, infinity), ir.CreateFAdd(x, Like(x, 0)));
  }
  return EmitPow(b, x, y);
}

Value* Power(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = RequireFloat(Argument(e, call, 0, at, lanes), call);
  const auto* exponent = relay::AsConstant(call.args[1]);
  if (exponent && exponent->value.elements() == 1) {
    const float y = static_cast<float>(exponent->value.At(0));
    const float quarters = y * 4;
    if (quarters == static_cast<float>(static_cast<int>(quarters)) && quarters <= 12 && quarters >= -12) {
      return PowerOfQuarters(e.b(), x, y);
    }
  }
  return PowerOf(e.b(), x, Argument(e, call, 1, at, lanes));
}

// Whether the value is bounded to int32, so that no 64-bit conversion is needed.
bool IsHeld(const relay::ExprPtr& expr) {
  const relay::Call* clip = relay::AsCallTo(expr, "clip");
  return clip != nullptr && clip->attrs.GetFloat("a_min", -1e10) > -1e9 && clip->attrs.GetFloat("a_max", 1e10) < 1e9;
}

Value* Cast(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  const DType from = TensorTypeOf(call.args[0]).dtype, to = call.type->dtype;
  Value* x = e.Eval(call.args[0], at, lanes);
  if (from == DType::kFloat32 && (to == DType::kUInt8 || to == DType::kInt8) && IsHeld(call.args[0])) {
    Value* wide = e.b().ir().CreateFPToSI(x, x->getType()->getWithNewType(e.b().i32()));
    return Converted(e.b(), wide, DType::kInt32, to);
  }
  if (const ByteFloatFormat* format = FindByteFloat(to); format != nullptr && from != to) {
    const ByteConversion by{call.attrs.GetBool("saturate"),
                            ParseByteRounding(call.attrs.GetString("rounding", "nearest"))};
    return ToByteFloat(e.b(), *format, Converted(e.b(), x, from, DType::kFloat32), by);
  }
  return from == to ? x : Converted(e.b(), x, from, to);
}

}  // namespace

EmitterTable ElementwiseEmitters() {
  EmitterTable table{{"nn.prelu", Prelu},
                     {"nn.hard_sigmoid", HardSigmoid},
                     {"exp", Math<EmitExp>},
                     {"log", Math<EmitLog>},
                     {"erf", Math<EmitErf>},
                     {"sqrt", Math<EmitSqrt>},
                     {"expm1", Math<EmitExpm1>},
                     {"log1p", Math<EmitLog1p>},
                     {"nn.mish", Math<EmitMish>},
                     {"sin", Math<EmitSin>},
                     {"cos", Math<EmitCos>},
                     {"atan", Math<EmitAtan>},
                     {"floor", Math<EmitFloor>},
                     {"ceil", Math<EmitCeil>},
                     {"trunc", Math<EmitTrunc>},
                     {"round", Math<EmitRound>},
                     {"sign", Sign},
                     {"negative", Negative},
                     {"abs", Abs},
                     {"add", Add},
                     {"nn.bias_add", BiasAdd},
                     {"subtract", Subtract},
                     {"multiply", Multiply},
                     {"divide", Divide},
                     {"maximum", Maximum},
                     {"minimum", Minimum},
                     {"power", Power},
                     {"cast", Cast}};
  for (const ActivationRow& row : Activations()) table.emplace_back(row.op, Activated);
  return table;
}

}  // namespace hone
