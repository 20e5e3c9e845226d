// nn.conv2d, nn.dense and nn.batch_matmul of bytes: the integer products that can use them, and their parts.
//
// Data are stored as bytes q = value - low, weights as they are. Summed over the taps and channels of one output:
//
//    sum of value * w   =   sum of q * w           uint8 times int8, added in int32: the kernel's product
//                           + low * (sum of w)     the offset of its output channel, known before the run
//
// A border of zeros consists of the byte -low. If both matrices are computed, the sums of the second are known only in
// the run. The kernel then takes both zero points (-low) as an operand.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Integers as they are stored: value = byte + low, where low <= 0.
struct StoredBytes {
  relay::ExprPtr bytes;  // uint8
  int low = 0;
};

// For an integral convolution or dense layer, whether its weights are int8 and its sums fit the kernels' accumulators.
// The sums include any offset that fits its marks. Only its data must still be bytes. For an integral nn.batch_matmul,
// whether both matrices are computed, hold integers that fit bytes, and the first is not transposed.
bool MultipliesBytes(const relay::Call& product);

// A product of bytes, in int32, and the offsets to be added to each of its output channels.
struct ByteProduct {
  relay::ExprPtr sums;
  std::vector<int64_t> offsets;
};
// `data` are the stored data of the product. A convolution's padding becomes an explicit nn.pad if 0 is not stored as a
// byte of 0.
ByteProduct MakeByteProduct(const relay::Call& product, const StoredBytes& data);

// The product of two computed matrices, as float32.
relay::ExprPtr ProductOfPairs(const relay::Call& product, const StoredBytes& data, const StoredBytes& weight);

// The sums with their offsets and, if given, `bias` (integers, one per channel), as float32.
relay::ExprPtr OffsetSums(const ByteProduct& product, const Tensor* bias);

}  // namespace hone
