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
  int64_t classes = 0;  // 0: the network's own number, 1000 for most
  // Channels, height, width, or as `layout` says; for volumes channels, depth, height, width. Empty: the network's own,
  // {3, 224, 224} for most.
  Shape image_shape{};
  std::string layout = "NCHW";  // layout of images and of values computed from them; some networks also support NHWC
  uint64_t seed = 0;
};

struct ZooEntry {
  std::string name;
  std::string description;
};
const std::vector<ZooEntry>& ZooEntries();

// Parameter names and their order are those of TVM's relay.testing. Weights are He-scaled normal, and batch-norm
// statistics random, because an identity batch norm would hide a wrong fold. All are a function of the seed and the
// parameter's name. Throws Error(kNoInput) with the nearest name if there is no such network, and Error(kUsage) for
// unsupported options.
relay::IRModule BuildZoo(std::string_view name, const ZooOptions& options = {});

}  // namespace hone
