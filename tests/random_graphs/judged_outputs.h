// Judges outputs: compares them with the reference and, where they differ, with how well the graph determines them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

// Says which output is wrong and by how much; nullopt when all are right. An output within 2e-5 of its largest
// magnitude is right. An output further off is compared with a moved reference: every result in the graph moves at
// random by 1e-5 of its largest magnitude. It is right within four times the reference's own movement, in both
// magnitude and number of elements. Cancelling sums, and values between two steps of a quantised model, are determined
// no better than that. Results that are integers by themselves are not moved.
std::optional<std::string> WrongOutput(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                                       const std::vector<Tensor>& expected, const std::vector<Tensor>& got);

}  // namespace hone
