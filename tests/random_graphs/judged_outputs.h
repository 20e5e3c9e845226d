// Whether outputs are right: compared with the reference, and where they differ with how well the graph determines
// them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// Says which output is wrong and by how much; nullopt when all are right. An output is right within 2e-5 of its largest
// magnitude. One that is further off is right as well within four times of what the reference itself moves by when
// every result in the graph is moved at random by 1e-5 of its largest magnitude: a sum of what nearly cancels is known
// no better than that.
std::optional<std::string> WrongOutput(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                                       const std::vector<Tensor>& expected, const std::vector<Tensor>& got);

}  // namespace hone
