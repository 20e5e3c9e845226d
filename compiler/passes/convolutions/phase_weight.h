// Weights of the convolutions that replace a transposed convolution, made from its own weight.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

// The rows and columns of a transposed convolution's weight that a window has, in the window's order. The weight is
// (inputs, outputs / groups, rows, columns). -1 is a tap of zeros.
struct PhaseTaps {
  std::vector<int64_t> rows, columns;
};

// The weight of a window with these rows and columns, none of them -1: (outputs, inputs / groups, rows, columns). A
// constant gives a constant. Integers times scales, as in quantised models, keep that form.
relay::ExprPtr PhaseWeight(const relay::ExprPtr& weight, int64_t groups, const std::vector<int64_t>& rows,
                           const std::vector<int64_t>& columns);

// The weight of one convolution that computes all windows, which have equal sizes. Its outputs are ordered by group,
// then by window, then by output within the window.
relay::ExprPtr JointWeight(const relay::ExprPtr& weight, int64_t groups, const std::vector<PhaseTaps>& windows);

}  // namespace hone
