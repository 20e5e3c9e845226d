// Which values are whole numbers: what quantised models compute with.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "compiler/relay/expr.h"

namespace hone {

// Every element is a whole number in [low, high], which may be infinite.
struct WholeRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool Within(double least, double most) const { return low >= least && high <= most; }
};

// Of a typed float32 expression: integers that were cast, rounded values, sums of an integral product, and what moving,
// clipping and shifting leaves of them. nullopt when nothing is known.
std::optional<WholeRange> WholeRangeOf(const relay::ExprPtr& expr);

// The nn.conv2d or nn.dense marked integral that the value is, with or without bias and relu; or null.
const relay::Call* IntegralProduct(const relay::ExprPtr& expr);

// Whether the value is a call of that operator, nn.dense or nn.batch_matmul, marked integral, in float32 or int32, or
// what a few elementwise operators made of one.
bool IsOfWhole(std::string_view product, const relay::ExprPtr& expr);

}  // namespace hone
