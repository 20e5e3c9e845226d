// A network's time, layer by layer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan.h"

namespace hone {

// `call_ns` has the time of each of the plan's calls. A call that computes one of `layers` (names of the model's nodes)
// is of that layer, of several in equal parts. One that computes none (a pool, a conversion) is of the layer that is
// computed next, or where none is of the last. So the layers' times add up to the network's. A layer that no call
// computes is not there; empty when none is.
std::map<std::string, double> LayerTimes(const Plan& plan, const std::vector<int64_t>& call_ns,
                                         const std::vector<std::string>& layers);

}  // namespace hone
