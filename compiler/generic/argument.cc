#include "compiler/generic/argument.h"

#include <fmt/format.h>

#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {

Value* Argument(Evaluator& e, const relay::Call& call, size_t i, const Coordinates& at, Lanes lanes) {
  const Shape &from = TensorTypeOf(call.args[i]).shape, &to = call.type->shape;
  const size_t added = to.size() - from.size();
  Coordinates source;
  for (size_t d = 0; d < from.size(); ++d) {
    source.push_back(from[d] == 1 && to[added + d] != 1 ? At(e.b(), 0) : at[added + d]);
  }
  return e.Eval(call.args[i], source, lanes);
}

bool IsUnsigned(const relay::Call& call, size_t i) {
  const DType dtype = TensorTypeOf(call.args[i]).dtype;
  return dtype == DType::kUInt8 || dtype == DType::kBool;
}

bool IsFloat(Value* v) { return v->getType()->isFPOrFPVectorTy(); }

Value* Like(Value* v, double c) {
  return IsFloat(v) ? llvm::ConstantFP::get(v->getType(), c)
                    : llvm::ConstantInt::get(v->getType(), static_cast<uint64_t>(static_cast<int64_t>(c)), true);
}

Value* RequireFloat(Value* x, const relay::Call& call) {
  if (x->getType()->getScalarType()->isFloatTy()) return x;
  throw Error(ExitCode::kBadData,
              fmt::format("{} is compiled for float32 only, the argument is {}", relay::AsOp(call.op)->def->name,
                          DTypeName(TensorTypeOf(call.args[0]).dtype)));
}

}  // namespace hone
