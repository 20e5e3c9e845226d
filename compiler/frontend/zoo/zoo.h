// Test networks, built as Relay with seeded weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/expr.h"

namespace hone {

struct ZooOptions {
  int64_t batch = 1;
  int64_t classes = 0;  // 0: the network's own, 1000 for most
  // Channels, height, width, or as layout says; of volumes channels, depth, height, width. Empty: the network's own,
  // {3, 224, 224} for most.
  Shape image_shape{};
  std::string layout = "NCHW";  // of images and of what follows from them; some networks can be of NHWC, too
  uint64_t seed = 0;
};

struct ZooEntry {
  std::string name;
  std::string description;
};
const std::vector<ZooEntry>& ZooEntries();

// Parameter names and their order are TVM's relay.testing ones. Weights are He-scaled normal, batch-norm statistics
// random (an identity batch norm would hide a wrong fold), all a function of the seed and the parameter's name. Throws
// Error(kNoInput) with the nearest name when there is none of that name, Error(kUsage) for options that it cannot take.
relay::IRModule BuildZoo(std::string_view name, const ZooOptions& options = {});

}  // namespace hone
