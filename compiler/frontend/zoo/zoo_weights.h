// Seeded values for the zoo's parameters.
#pragma once

#include <cstdint>
#include <string>

#include "core/tensor.h"

namespace hone {

// Depends only on its arguments and is the same on every machine. The end of the name gives the kind of parameter. Here
// u is uniform in [0, 1), and n is standard normal:
//
//    conv weight                 normal with variance 2 / fan-in (rank 4, for volumes 5), times gain; see He et al.,
//                                "Delving Deep into Rectifiers", 2015
//    dense weight                normal with variance 1 / fan-in, times gain
//    batch norm                  gamma 1 + 0.1 u, variance 0.5 + u, mean and beta 0.1 n
//    bias                        0.05 n
Tensor ZooWeight(const std::string& name, const Shape& shape, uint64_t seed, float gain);

}  // namespace hone
