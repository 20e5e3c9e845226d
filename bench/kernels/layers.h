// The layers of a network, each with the kernel that a build would choose.
#pragma once

#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/candidate.h"

namespace hone::bench {

struct Layer {
  Workload workload;
  int uses = 0;
  ConfigChoice choice;
};
// Every anchor of a zoo network. A stride-1 3x3 layer that Winograd would compute comes twice: the second, with no
// uses, is as conv2d_direct computes it (which `--math exact` builds). If `records` is null, the configs are analytic
// defaults.
std::vector<Layer> LayersOf(const std::string& model, const Target& target, ConfigSource* records);

// A zoo network's convolutions without groups as bytes: uint8 data and outputs, int8 weights. Analytic defaults.
std::vector<Layer> ByteLayersOf(const std::string& model, const Target& target);

}  // namespace hone::bench
