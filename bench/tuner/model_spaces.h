// Prints the sizes of a network's search spaces.
#pragma once

#include <string>

namespace hone::bench {

// Prints a row per task of a zoo network on this machine: the number of configs, of those that the constraints reject,
// and the seconds to compile and time the rest. The seconds are extrapolated from a few configs that it compiles and
// times. Throws Error(kUsage) if there is no such network.
void PrintModelSpaces(const std::string& model);

}  // namespace hone::bench
