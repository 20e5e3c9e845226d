#include "compiler/schedules/epilogue_emit.h"

#include "compiler/codegen/activation.h"
#include "compiler/codegen/element.h"
#include "compiler/codegen/float_bits.h"
#include "compiler/codegen/rounding.h"

namespace hone {
namespace {

Value* Quantised(KernelBuilder& b, const Epilogue& epilogue, Value* x, DType to) {
  const auto constant = [&](float value) { return llvm::ConstantFP::get(x->getType(), value); };
  // Rounded before the zero point is added: halves go to the even neighbour of the quotient, not of the sum.
  Value* quotient = EmitRound(b, b.FDiv(x, constant(epilogue.step)));
  return Saturated(b, b.FAdd(quotient, constant(static_cast<float>(epilogue.zero_point))), to);
}

}  // namespace

Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands) {
  const int n = LaneCount(acc);
  Value* x = Converted(b, acc, types.accumulator, DType::kFloat32);
  if (epilogue.scale) x = b.FMul(x, b.Load(operands.scale, n));
  if (epilogue.bias) x = b.FAdd(x, b.Load(operands.bias, n));
  if (epilogue.residual) {
    x = b.FAdd(x, LoadConverted(b, types.output, operands.residual, n, DType::kFloat32));
  }
  x = EmitActivation(b, epilogue.activation, epilogue.lo, epilogue.hi, x);
  return epilogue.step > 0 ? Quantised(b, epilogue, x, types.output) : Converted(b, x, DType::kFloat32, types.output);
}

bool ChangesZero(const Epilogue& epilogue) {
  const ActivationRow* row = epilogue.activation;
  const bool quantised_off_zero = epilogue.step > 0 && epilogue.zero_point != 0;
  return quantised_off_zero || (row != nullptr && row->ChangesZero(epilogue.lo, epilogue.hi));
}

Value* MaskTailLanes(KernelBuilder& b, const Epilogue& epilogue, Value* value, Value* first_channel, int64_t channels,
                     int64_t block) {
  if (!ChangesZero(epilogue) || channels % block == 0) return value;
  auto& ir = b.ir();
  const auto lanes = static_cast<unsigned>(LaneCount(value));
  llvm::Constant* zero = llvm::Constant::getNullValue(value->getType());
  if (lanes == 1) return ir.CreateSelect(ir.CreateICmpSLT(first_channel, b.Index(channels)), value, zero);
  auto* type = llvm::FixedVectorType::get(b.i64(), lanes);
  Value* channel = ir.CreateAdd(ir.CreateVectorSplat(lanes, first_channel), ir.CreateStepVector(type));
  Value* inside = ir.CreateICmpSLT(channel, llvm::ConstantInt::get(type, static_cast<uint64_t>(channels)));
  return ir.CreateSelect(inside, value, zero);
}

}  // namespace hone
