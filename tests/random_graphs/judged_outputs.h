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
// magnitude. One that is further off is right as well within four times of what the reference itself moves by, in
// magnitude and in number of elements, when every result in the graph is moved at random by 1e-5 of its largest
// magnitude: a sum of what nearly cancels, and a value between two steps of a quantised model, are known no better than
// that. What is a whole number by itself is not moved.
std::optional<std::string> WrongOutput(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                                       const std::vector<Tensor>& expected, const std::vector<Tensor>& got);

}  // namespace hone
