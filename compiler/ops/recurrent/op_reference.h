// The definition of nn.recurrent in plain loops.
#pragma once

#include <vector>

#include "compiler/relay/attrs.h"
#include "core/tensor.h"

namespace hone::relay {

// Sums, gates and both states are float64 from the first step to the last. Arguments and results are described in
// compiler/ops/recurrent/op.cc.
std::vector<Tensor> RecurrentReference(const std::vector<Tensor>& args, const Attrs& attrs);

}  // namespace hone::relay
