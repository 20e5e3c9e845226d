// Prices of devices.
#pragma once

#include <string>
#include <vector>

#include "lab/comparison/comparison.h"

namespace hone {

// Sets price_per_hour from texts such as "KEY=0.17/h". KEY is a runner's key or label, a host, or a fingerprint's short
// id, and applies to every row of that machine. Throws Error(kUsage) on another form, or if no device has such a name.
void SetPrices(const std::vector<std::string>& texts, Comparison& comparison);

// Whether `name` is the device's key, label, host or short id.
bool IsNamed(const ComparedDevice& device, const std::string& name);

}  // namespace hone
