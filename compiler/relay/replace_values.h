// Other values for a model's parameters, by their names.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace hone {

// Puts each of `others` in the place of the value of its name; values without another stay. `origin` is where the
// others are from, for messages. Throws Error(kBadData), leaving `values` as they were, for a name that is not there,
// naming the nearest, and for another dtype or shape than the value has.
void ReplaceValues(std::vector<std::pair<std::string, Tensor>>& values, const std::map<std::string, Tensor>& others,
                   const std::string& origin);

}  // namespace hone
