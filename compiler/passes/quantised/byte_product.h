// nn.conv2d, nn.dense and nn.batch_matmul of bytes: which products of whole numbers are such, and their parts.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Whole numbers as they are stored: value = byte + low, where low <= 0.
struct StoredBytes {
  relay::ExprPtr bytes;  // uint8
  int low = 0;
};

// Whether the weights of an integral convolution or dense layer are int8 and its sums, with any offset that fits its
// marks, fit the accumulators of kernels: what is left is that its data are bytes. Of an integral nn.batch_matmul,
// whether both matrices are computed, of numbers that bytes hold, and no rows lie apart.
bool MultipliesBytes(const relay::Call& product);

// A product of bytes, in int32, and what is still to be added to each of its output channels.
struct ByteProduct {
  relay::ExprPtr sums;
  std::vector<int64_t> offsets;
};
// `data` are those of the product's data. A convolution's padding is written out where it is not a byte of 0.
ByteProduct MakeByteProduct(const relay::Call& product, const StoredBytes& data);

// Of two computed matrices, as float32.
relay::ExprPtr ProductOfPairs(const relay::Call& product, const StoredBytes& data, const StoredBytes& weight);

// The sums with their offsets, and `bias` when given (whole numbers, one per channel), as float32.
relay::ExprPtr OffsetSums(const ByteProduct& product, const Tensor* bias);

}  // namespace hone
