// Damages models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"

namespace hone {

// The model with a few bits flipped, cut off, with a part moved, with a number set to an extreme one, with a node of
// another model, or with two values exchanged. `others`: serialized models, one or more.
std::string MutatedModel(std::string_view model, const std::vector<std::string_view>& others, Random& random);

}  // namespace hone
