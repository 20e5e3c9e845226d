// Values that are known to be integers, which quantised models compute with.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "compiler/relay/expr.h"

namespace hone {

inline constexpr double kLargestByte = 255;  // the largest uint8

// Every element is an integer in [low, high], which may be infinite.
struct WholeRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool Within(double least, double most) const { return low >= least && high <= most; }
};

// The range of a typed float32 expression whose elements are known to be integers; else nullopt. They are cast
// integers, rounded values, sums of an integral product, and moved, clipped or shifted ones.
std::optional<WholeRange> WholeRangeOf(const relay::ExprPtr& expr);

// The nn.conv2d or nn.dense marked integral that makes the value, perhaps with bias and relu; else null.
const relay::Call* IntegralProduct(const relay::ExprPtr& expr);

// Whether the value is a call of that operator, nn.dense or nn.batch_matmul, marked integral, in float32 or int32. A
// few elementwise operators may follow.
bool IsOfWhole(std::string_view product, const relay::ExprPtr& expr);

}  // namespace hone
