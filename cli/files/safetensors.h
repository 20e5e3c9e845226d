// A package's parameters as a .safetensors file.
#pragma once

#include <string>

#include "core/plan.h"

namespace hone {

// Every parameter under its name (made unique with _N where two are alike), in the memory layout that the kernels read:
// the shape is the physical one, and the metadata tell each layout that is not row-major. `params` is the package's
// section. Throws Error(kBadData) when a parameter lies outside it.
std::string SafetensorsBytes(const Plan& plan, std::string_view params);

}  // namespace hone
