#include "compiler/schedules/parts/epilogue_addresses.h"

namespace hone {
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
