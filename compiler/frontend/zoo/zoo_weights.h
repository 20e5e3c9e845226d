// Seeded values for the zoo's parameters.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace hone {

// A function of its arguments alone, the same on every machine. What the parameter is follows from its name's end: a
// conv weight (rank 4, of volumes 5) is normal with variance 2 / fan-in (He et al., "Delving Deep into Rectifiers",
// 2015), a dense weight 1 / fan-in, both times gain; a batch norm's gamma is 1 + 0.1 u, its variance 0.5 + u, its mean
// and beta 0.1 n, and a bias 0.05 n, with u uniform in [0, 1) and n standard normal.
Tensor ZooWeight(const std::string& name, const Shape& shape, uint64_t seed, float gain);

}  // namespace hone
