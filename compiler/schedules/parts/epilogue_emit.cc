#include "compiler/schedules/parts/epilogue_emit.h"

#include "compiler/codegen/element.h"
#include "compiler/codegen/math/float_bits.h"
#include "compiler/codegen/math/math.h"
#include "compiler/codegen/math/rounding.h"

namespace hone {
namespace {

// Clamps finite values, such as integer sums times scales.
Value* Within(KernelBuilder& b, Value* x, double least, double most) {
  auto& ir = b.ir();
  x = ir.CreateSelect(ir.CreateFCmpOGT(x, ConstantLike(x, least)), x, ConstantLike(x, least));
  return ir.CreateSelect(ir.CreateFCmpOLT(x, ConstantLike(x, most)), x, ConstantLike(x, most));
}

Value* Quantised(KernelBuilder& b, const Epilogue& epilogue, Value* x, DType to) {
  const bool is_unsigned = to == DType::kUInt8;
  const double most = epilogue.most > 0 ? epilogue.most : is_unsigned ? 255 : 127;
  const double least = is_unsigned ? 0 : -128;
  if (DividesByProducts(b.machine(), epilogue.step)) {
    // Clamps to one step beyond the bounds before the division; such values still lie beyond the bounds after it.
    const double step = epilogue.step;
    x = Within(b, x, (least - epilogue.zero_point - 1) * step, (most - epilogue.zero_point + 1) * step);
  }
  if (epilogue.step != 1) x = EmitDivideBy(b, x, epilogue.step);
  // Clamping before rounding gives the same result as after it, because the bounds are integers. The zero point is
  // added after rounding, because halves go to the quotient's even neighbour, not to the sum's.
  Value* number = EmitNearestWhole(b, Within(b, x, least - epilogue.zero_point, most - epilogue.zero_point));
  auto& ir = b.ir();
  if (epilogue.zero_point != 0) {
    number = ir.CreateAdd(number, llvm::ConstantInt::getSigned(number->getType(), epilogue.zero_point));
  }
  return ir.CreateTrunc(number, x->getType()->getWithNewType(ir.getInt8Ty()));
}

Value* Residual(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* ptr, int lanes) {
  Value* r = LoadConverted(b, types.output, ptr, lanes, DType::kFloat32);
  if (epilogue.residual_zero != 0) r = b.FSub(r, ConstantLike(r, epilogue.residual_zero));
  return epilogue.residual_scale > 0 ? b.FMul(r, ConstantLike(r, epilogue.residual_scale)) : r;
}

}  // namespace

Value* EmitUnstored(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands) {
  const int n = LaneCount(acc);
  // The value that is rounded to an integer must not depend on which products were fused with a sum.
  const llvm::IRBuilderBase::FastMathFlagGuard restores(b.ir());
  if (types.whole()) b.ir().clearFastMathFlags();
  const auto of_channels = [&](Value* ptr) { return operands.one_channel ? b.Splat(b.Load(ptr), n) : b.Load(ptr, n); };
  Value* x = Converted(b, acc, types.accumulator, DType::kFloat32);
  if (epilogue.scale) x = b.FMul(x, of_channels(operands.scale));
  if (epilogue.hold.scale > 0) {
    x = b.FMul(EmitRound(b, Within(b, x, epilogue.hold.lo, epilogue.hold.hi)), ConstantLike(x, epilogue.hold.scale));
  }
  if (epilogue.bias) x = b.FAdd(x, of_channels(operands.bias));
  if (epilogue.residual) x = b.FAdd(x, Residual(b, epilogue, types, operands.residual, n));
  return EmitActivation(b, epilogue.activation, epilogue.lo, epilogue.hi, x);
}

Value* EmitEpilogue(KernelBuilder& b, const Epilogue& epilogue, const ElementTypes& types, Value* acc,
                    const EpilogueOperands& operands) {
  if (types.output == DType::kInt32) return acc;
  Value* x = EmitUnstored(b, epilogue, types, acc, operands);
  const llvm::IRBuilderBase::FastMathFlagGuard restores(b.ir());
  if (types.whole()) b.ir().clearFastMathFlags();
  return epilogue.step > 0 ? Quantised(b, epilogue, x, types.output) : Converted(b, x, DType::kFloat32, types.output);
}

void AddChannelOperands(const Workload& workload, const Epilogue& epilogue, const Layout& outputs, const Layout& images,
                        std::vector<KernelOperand>& operands) {
  const int64_t channels = workload.weight[0];
  if (epilogue.offset) operands.push_back({OperandRole::kBias, DType::kInt32, {channels}, outputs});
  if (epilogue.scale && workload.is_conv()) {
    operands.push_back({OperandRole::kScale, DType::kFloat32, {channels, 1, 1}, images});
  } else if (epilogue.scale) {
    operands.push_back({OperandRole::kScale, DType::kFloat32, {channels}, outputs});
  }
  if (epilogue.bias) operands.push_back({OperandRole::kBias, DType::kFloat32, {channels}, outputs});
}

bool ChangesZero(const Epilogue& epilogue) {
  const ActivationRow* row = epilogue.activation;
  const bool quantised_off_zero = epilogue.step > 0 && epilogue.zero_point != 0;
  const bool shifted = epilogue.residual_scale > 0 && epilogue.residual_zero != 0;
  return quantised_off_zero || shifted || (row != nullptr && row->ChangesZero(epilogue.lo, epilogue.hi));
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

namespace {

// Offsets are int32, scales and biases float32.
constexpr int64_t kChannelBytes = 4;

}  // namespace

ChannelAddresses ChannelAddresses::Skip(KernelBuilder& b, Value* index, int64_t channels) const {
  const auto skip = [&](Value* values) {
    return values != nullptr ? b.At(values, b.Mul(index, channels * kChannelBytes)) : nullptr;
  };
  return {skip(offset), skip(scale), skip(bias)};
}

EpilogueOperands ChannelAddresses::At(KernelBuilder& b, int64_t first, Value* residual) const {
  const auto at = [&](Value* values) { return values != nullptr ? b.At(values, first * kChannelBytes) : nullptr; };
  return {at(scale), at(bias), residual};
}

Value* EpilogueAddresses::Output(KernelBuilder& b, Value* n) const { return b.At(out, b.Mul(n, out_stride)); }

Value* EpilogueAddresses::Residual(KernelBuilder& b, Value* n) const {
  return residual != nullptr ? b.At(residual, b.Mul(n, residual_stride)) : nullptr;
}

EpilogueAddresses ReadEpilogueAddresses(KernelBuilder& b, const StageArgs& args, const Epilogue& epilogue, int first) {
  int next = first;
  EpilogueAddresses read;
  if (epilogue.offset) read.channels.offset = b.Operand(args, next++);
  if (epilogue.scale) read.channels.scale = b.Operand(args, next++);
  if (epilogue.bias) read.channels.bias = b.Operand(args, next++);
  if (epilogue.residual) {
    read.residual_stride = b.BatchStride(args, next);
    read.residual = b.Operand(args, next++);
  }
  read.out_stride = b.BatchStride(args, next);
  read.out = b.Operand(args, next);
  return read;
}

}  // namespace hone
