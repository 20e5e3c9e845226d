// Replaces a model's parameter values by name.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace hone {

// Replaces the value of each name in `others`; other values stay. `origin` says in messages where the others come from.
// Throws Error(kBadData) for an unknown name, with the nearest one, and for a dtype or shape other than the value's. It
// then leaves `values` as they were.
void ReplaceValues(std::vector<std::pair<std::string, Tensor>>& values, const std::map<std::string, Tensor>& others,
                   const std::string& origin);

}  // namespace hone
