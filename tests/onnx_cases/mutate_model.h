// Damages models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"

namespace hone {

// The model with one damage: flipped bits, a cut, a moved part, an extreme number, another model's node, or two
// exchanged values. `others` are one or more serialized models.
std::string MutatedModel(std::string_view model, const std::vector<std::string_view>& others, Random& random);

}  // namespace hone
