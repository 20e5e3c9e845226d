// How large a network's search spaces are.
#pragma once

#include <string>

namespace hone::bench {

// Prints a row per task of a zoo network on this machine: configs, how many of them constraints reject, and the seconds
// that compiling and timing all the others would take, from a few drawn ones that it compiles and times. Throws
// Error(kUsage) for a network that there is not.
void PrintModelSpaces(const std::string& model);

}  // namespace hone::bench
