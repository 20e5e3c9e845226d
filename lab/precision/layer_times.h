// Splits a network's time by layer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/package/plan.h"

namespace hone {

// `call_ns` has the time of each of the plan's calls, and `layers` are names of the model's nodes. A call counts
// towards the layer that it computes, or in equal parts towards several. A call that computes none (a pool, a
// conversion) counts towards the next layer computed, or else the last one. So the layers' times add up to the
// network's. Layers that no call computes are left out; the result is empty if no layer is computed.
std::map<std::string, double> LayerTimes(const Plan& plan, const std::vector<int64_t>& call_ns,
                                         const std::vector<std::string>& layers);

}  // namespace hone
