// The layers of a network, each with the kernel that a build would take.
#pragma once

#include <string>
#include <vector>

#include "compiler/build.h"
#include "core/config_source.h"

namespace hone::bench {

struct Layer {
  Workload workload;
  int uses = 0;
  ConfigChoice choice;
};
// Every anchor of a zoo network. A stride-1 3x3 layer that Winograd would compute comes twice: the second time, with no
// uses, as conv2d_direct would (what `--math exact` builds). `records` may be null: analytic defaults.
std::vector<Layer> LayersOf(const std::string& model, const Target& target, ConfigSource* records);

// The convolutions without groups of a zoo network as bytes: uint8 data and outputs, int8 weights. Analytic defaults.
std::vector<Layer> ByteLayersOf(const std::string& model, const Target& target);

}  // namespace hone::bench
