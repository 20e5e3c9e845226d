// Prints what a tuning run measured in the built model: its finals, and what the run was worth.
#pragma once

#include <string>

#include "core/json/serialize.h"
#include "core/stats/sample_statistics.h"
#include "tuner/finals/network_finals.h"
#include "tuner/finals/package_gain.h"
#include "tuner/tuner.h"

namespace hone {

// {"median_ns", "ci95_ns": [low, high]}.
Json MedianJson(const MedianInterval& m);

// The decisions of finals in the built model: one line; empty if no finals were asked for.
std::string NetworkFinalsText(const NetworkFinals& finals);
// null if no finals were asked for.
Json NetworkFinalsJson(const NetworkFinals& finals);

// The verdict on the run: "package: X to Y, 3.1 % faster (p 0.001)", or why it was not measured. A second line if the
// package runs other configs than the best of single tasks.
std::string PackageGainText(const PackageGain& gain, const TuneReport& report);
Json PackageGainJson(const PackageGain& gain);

}  // namespace hone
