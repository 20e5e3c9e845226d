// Comparisons, logic and selections. In memory and between operators, a bool is a byte of 0 or 1.
#include <cmath>

#include "compiler/codegen/math/float_bits.h"
#include "compiler/generic/evaluator.h"
#include "compiler/ops/kernel_families.h"

namespace hone {
namespace {

struct Predicates {
  llvm::CmpInst::Predicate real, whole, unsigned_whole;
};

// Whether it is a scalar that is neither zero nor denormal. Denormals compared with it may count as zeros.
bool IsNormalScalar(const relay::ExprPtr& expr) {
  const auto* constant = relay::AsConstant(expr);
  return constant != nullptr && constant->value.elements() == 1 &&
         std::isnormal(static_cast<float>(constant->value.At(0)));
}

Value* CompareFloats(KernelBuilder& b, Predicates predicates, Value* x, Value* y) {
  auto& ir = b.ir();
  Value* truth = ir.CreateCmp(predicates.whole, EmitOrder(b, x), EmitOrder(b, y));
  // With NaN, only "not equal" is true.
  if (predicates.real == llvm::CmpInst::FCMP_UNE) return ir.CreateOr(truth, ir.CreateFCmpUNO(x, y));
  return ir.CreateAnd(truth, ir.CreateFCmpORD(x, y));
}

template <Predicates kPredicates>
Value* Compare(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value *x = Argument(e, call, 0, at, lanes), *y = Argument(e, call, 1, at, lanes);
  const bool normal = IsNormalScalar(call.args[0]) || IsNormalScalar(call.args[1]);
  const auto predicate = IsFloat(x)         ? kPredicates.real
                         : IsUnsigned(call) ? kPredicates.unsigned_whole
                                            : kPredicates.whole;
  Value* truth =
      IsFloat(x) && !normal ? CompareFloats(e.b(), kPredicates, x, y) : e.b().ir().CreateCmp(predicate, x, y);
  return e.b().ir().CreateZExt(truth, VectorOf(e.b().ir().getInt8Ty(), lanes.count));
}

Value* LogicalNot(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* x = Argument(e, call, 0, at, lanes);
  return e.b().ir().CreateXor(x, Like(x, 1));
}

Value* Where(Evaluator& e, const relay::Call& call, const Coordinates& at, Lanes lanes) {
  Value* condition = Argument(e, call, 0, at, lanes);
  Value *x = Argument(e, call, 1, at, lanes), *y = Argument(e, call, 2, at, lanes);
  return e.b().ir().CreateSelect(e.b().ir().CreateICmpNE(condition, Like(condition, 0)), x, y);
}

using llvm::CmpInst;
constexpr Predicates kEqual{CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ};
constexpr Predicates kNotEqual{CmpInst::FCMP_UNE, CmpInst::ICMP_NE, CmpInst::ICMP_NE};
constexpr Predicates kLess{CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT};
constexpr Predicates kLessEqual{CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE};
constexpr Predicates kGreater{CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT};
constexpr Predicates kGreaterEqual{CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE};

}  // namespace

EmitterTable CompareEmitters() {
  return {{"equal", Compare<kEqual>},
          {"not_equal", Compare<kNotEqual>},
          {"less", Compare<kLess>},
          {"less_equal", Compare<kLessEqual>},
          {"greater", Compare<kGreater>},
          {"greater_equal", Compare<kGreaterEqual>},
          {"logical_and", Combine<llvm::Instruction::And>},
          {"logical_or", Combine<llvm::Instruction::Or>},
          {"logical_xor", Combine<llvm::Instruction::Xor>},
          {"logical_not", LogicalNot},
          {"where", Where}};
}

}  // namespace hone
