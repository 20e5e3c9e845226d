// The conclusion of a comparison about one model, in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/comparison/comparison_json.h"

namespace hone {

// An answer in a few words, and what it rests on, in sentences.
struct Answer {
  std::string short_text, details;
};

// The answers that a reader wants first. Without a time of any device all but `summary` are empty.
struct Conclusion {
  std::string summary;  // which machine is fastest, by how much and how sure; which is cheapest; what was left out
  Answer fastest;       // the quickest and the next, with their intervals
  Answer cheapest;      // money for a million inferences
  Answer why;           // roofs and their shares, and the layers that make the difference
  Answer unsure;        // overlapping and wide intervals, estimates, assumed roofs, missing layers, what was left out
};
// `order` has the devices with a time, as OrderOfDevices.
Conclusion ConclusionOf(const ComparisonReport& report, size_t model, const std::vector<size_t>& order);

// The device's place beside the fastest one that has all layers: "fastest", "slower", "cannot tell" (its interval and
// the fastest's overlap), "incomplete" (some layers have no time) or "not compared". It is "alone" without another
// device.
std::string VerdictOf(const ComparisonReport& report, size_t model, const std::vector<size_t>& order, size_t device);

// The operator and its operands, which name a workload well enough: "nn.dense data=1x64 weight=10x64".
std::string ShortWorkload(const std::string& workload);

// The names of a layer's nodes in the model: "conv1 + relu1". Without names its short workload, else its operator.
std::string LayerNodes(const ComparedLayer& layer);

}  // namespace hone
