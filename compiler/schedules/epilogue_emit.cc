#include "compiler/schedules/epilogue_emit.h"

#include "compiler/codegen/activation.h"

namespace hone {
namespace {

int LanesOf(Value* v) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

}  // namespace

Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, Value* acc, const EpilogueOperands& operands) {
  const int n = LanesOf(acc);
  if (epilogue.bias) acc = b.FAdd(acc, b.Load(operands.bias, n));
  if (epilogue.residual) acc = b.FAdd(acc, b.Load(operands.residual, n));
  return EmitActivation(b, epilogue.activation, epilogue.lo, epilogue.hi, acc);
}

bool ChangesZero(const Epilogue& epilogue) {
  const ActivationRow* row = FindActivation(epilogue.activation);
  return row != nullptr && row->ChangesZero(epilogue.lo, epilogue.hi);
}

Value* MaskTailLanes(KernelBuilder& b, const Epilogue& epilogue, Value* value, Value* first_channel, int64_t channels,
                     int64_t block) {
  if (!ChangesZero(epilogue) || channels % block == 0) return value;
  auto& ir = b.ir();
  const auto lanes = static_cast<unsigned>(LanesOf(value));
  if (lanes == 1) return ir.CreateSelect(ir.CreateICmpSLT(first_channel, b.Index(channels)), value, b.Float(0));
  auto* type = llvm::FixedVectorType::get(b.i64(), lanes);
  Value* channel = ir.CreateAdd(ir.CreateVectorSplat(lanes, first_channel), ir.CreateStepVector(type));
  Value* inside = ir.CreateICmpSLT(channel, llvm::ConstantInt::get(type, static_cast<uint64_t>(channels)));
  return ir.CreateSelect(inside, value, b.FloatVec(0, static_cast<int>(lanes)));
}

}  // namespace hone
