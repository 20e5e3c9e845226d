// Random values that belong to a name.
#pragma once

#include <cstdint>
#include <string>

namespace hone::relay {

// The seed of one parameter's values: a function of the two alone, on every machine, so that a parameter keeps its
// values when others come or go.
uint64_t ParamSeed(const std::string& name, uint64_t seed);

}  // namespace hone::relay
