// What devices cost.
#pragma once

#include <string>
#include <vector>

#include "cli/comparison/comparison.h"

namespace hone {

// Sets price_per_hour by texts as "KEY=0.17/h": KEY is a runner's key or label, a host, or a fingerprint's short id,
// and names every row of that machine. Throws Error(kUsage) on another text, or when no device has such a name.
void SetPrices(const std::vector<std::string>& texts, Comparison& comparison);

// Whether people mean the device by `name`: its key, label, host or short id.
bool IsNamed(const ComparedDevice& device, const std::string& name);

}  // namespace hone
