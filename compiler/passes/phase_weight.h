// Weights of the convolutions that a transposed convolution is, from its own.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// Which rows and columns of a transposed convolution's weight, (inputs, outputs / groups, rows, columns), a window
// has, in its order; -1 is a tap of zeros.
struct Taps {
  std::vector<int64_t> rows, columns;
};

// The weight of such a window, (outputs, inputs / groups, rows, columns): a constant of a constant. Integers times
// scales, as quantised models have them, stay that. No tap is -1.
relay::ExprPtr PhaseWeight(const relay::ExprPtr& weight, int64_t groups, const std::vector<int64_t>& rows,
                           const std::vector<int64_t>& columns);

// The weight of one convolution that computes all windows, which are of one size: of each group, the outputs of the
// first, then those of the second, ...
relay::ExprPtr JointWeight(const relay::ExprPtr& weight, int64_t groups, const std::vector<Taps>& windows);

}  // namespace hone
