#include "compiler/schedules/epilogue_emit.h"

#include "compiler/codegen/math.h"

namespace hone {
namespace {

int LanesOf(Value* v) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
  return vector ? static_cast<int>(vector->getNumElements()) : 1;
}

// x * clip(x + 3, 0, 6) / 6
Value* HardSwish(KernelBuilder& b, Value* x, int n) {
  Value* gate = b.FMin(b.FMax(b.FAdd(x, b.FloatVec(3, n)), b.FloatVec(0, n)), b.FloatVec(6, n));
  return b.FMul(b.FMul(x, gate), b.FloatVec(1.0F / 6.0F, n));
}

Value* LeakyRelu(KernelBuilder& b, Value* x, float slope, int n) {
  Value* negative = b.ir().CreateFCmpOLT(x, b.FloatVec(0, n));
  return b.ir().CreateSelect(negative, b.FMul(x, b.FloatVec(slope, n)), x);
}

}  // namespace

Value* EmitActivation(KernelBuilder& b, const Epilogue& epilogue, Value* x) {
  const int n = LanesOf(x);
  switch (epilogue.activation) {
    case Activation::kNone:
      return x;
    case Activation::kRelu:
      return b.FMax(x, b.FloatVec(0, n));
    case Activation::kClip:
      return b.FMin(b.FMax(x, b.FloatVec(epilogue.lo, n)), b.FloatVec(epilogue.hi, n));
    case Activation::kSigmoid:
      return EmitSigmoid(b, x);
    case Activation::kTanh:
      return EmitTanh(b, x);
    case Activation::kLeakyRelu:
      return LeakyRelu(b, x, epilogue.lo, n);
    case Activation::kHardSwish:
      return HardSwish(b, x, n);
    case Activation::kSilu:
      return EmitSilu(b, x);
    case Activation::kGelu:
      return EmitGelu(b, x);
  }
  return x;
}

Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, Value* acc, const EpilogueOperands& operands) {
  const int n = LanesOf(acc);
  if (epilogue.bias) acc = b.FAdd(acc, b.Load(operands.bias, n));
  if (epilogue.residual) acc = b.FAdd(acc, b.Load(operands.residual, n));
  return EmitActivation(b, epilogue, acc);
}

bool ChangesZero(const Epilogue& epilogue) {
  if (epilogue.activation == Activation::kSigmoid) return true;
  return epilogue.activation == Activation::kClip && (epilogue.lo > 0 || epilogue.hi < 0);
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
