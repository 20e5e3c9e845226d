// Random seeds that belong to a name.
#pragma once

#include <cstdint>
#include <string>

namespace hone::relay {

// The seed of one parameter's values. It depends only on the two arguments, on every machine. So a parameter keeps its
// values if others are added or removed.
uint64_t ParamSeed(const std::string& name, uint64_t seed);

}  // namespace hone::relay
