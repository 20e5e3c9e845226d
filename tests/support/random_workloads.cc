#include "tests/support/random_workloads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>

#include "core/block_format.h"

namespace hone::testing {
namespace {

Shape InOrder(std::string_view axes, const std::map<char, int64_t>& extents) {
  Shape shape;
  for (const char axis : axes) shape.push_back(extents.at(axis));
  return shape;
}

}  // namespace

// A config that the schedule does not reject.
Config ValidConfig(const Schedule& schedule, const Workload& w, const MachineModel& machine, Random& random) {
  const ConfigSpace space = schedule.Space(w, machine);
  for (int tries = 0; tries < 2000; ++tries) {
    Config config = space.Sample(random);
    if (!schedule.Reject(w, machine, config)) return config;
  }
  ADD_FAILURE() << "no valid config for " << w.ToText();
  return {};
}

int64_t Between(Random& random, int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(random.Below(static_cast<uint64_t>(hi - lo + 1)));
}

Workload RandomConv(Random& r) {
  Workload w;
  w.op = "nn.conv2d";
  w.groups = Between(r, 0, 3) == 0 ? Between(r, 2, 4) : 1;
  const int64_t in = Between(r, 1, 40), out = Between(r, 1, 40);
  w.strides = {Between(r, 1, 3), Between(r, 1, 3)};
  w.dilation = {Between(r, 1, 2), Between(r, 1, 2)};
  w.padding = {Between(r, 0, 3), Between(r, 0, 3), Between(r, 0, 3), Between(r, 0, 3)};
  const int64_t kh = Between(r, 1, 5), kw = Between(r, 1, 5);
  w.data = {Between(r, 1, 3), in * w.groups, Between(r, 10, 20), Between(r, 10, 20)};
  w.weight = {out * w.groups, in, kh, kw};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

Workload RandomFewOutputs(Random& r) {
  Workload w = RandomConv(r);
  w.groups = 1;
  w.weight[0] = Between(r, 1, 9);
  w.data[1] = w.weight[1] = Between(r, 4, 70);
  return w;
}

// On images that may be smaller than the kernel, so some taps never meet data.
Workload OnSmallImages(Workload w, Random& r) {
  for (const size_t axis : {0, 1}) {
    const int64_t extent = Between(r, 1, 4), window = (w.weight[axis + 2] - 1) * w.dilation[axis] + 1;
    w.data[axis + 2] = extent;
    w.padding[axis] = Between(r, 0, 3);
    w.padding[axis + 2] = std::max(Between(r, 0, 3), window - extent - w.padding[axis]);
  }
  return w;
}

Workload RandomThreeByThree(Random& r) {
  Workload w;
  w.op = "nn.conv2d";
  w.padding = {Between(r, 0, 2), Between(r, 0, 2), Between(r, 0, 2), Between(r, 0, 2)};
  const int64_t in = Between(r, 8, 40);
  w.data = {Between(r, 1, 3), in, Between(r, 3, 20), Between(r, 3, 20)};
  w.weight = {Between(r, 1, 70), in, 3, 3};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

Workload RandomPointwise(Random& r) {
  Workload w;
  w.op = "nn.conv2d";
  const int64_t in = Between(r, 1, 90);
  w.data = {Between(r, 1, 2), in, Between(r, 1, 14), Between(r, 1, 14)};
  w.weight = {Between(r, 1, 90), in, 1, 1};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

Workload RandomPrologue(Random& r) {
  Workload w = RandomPointwise(r);
  w.data[1] = w.weight[1] = Between(r, 16, 90);
  w.strides = {Between(r, 1, 2), Between(r, 1, 2)};
  w.prologue = static_cast<Prologue>(Between(r, 1, 2));
  return w;
}

Workload RandomDepthwise(Random& r) {
  Workload w = RandomConv(r);
  w.groups = Between(r, 2, 50);
  w.data[1] = w.groups;
  w.weight[0] = w.groups;
  w.weight[1] = 1;
  return w;
}

Workload RandomDense(Random& r) {
  Workload w;
  w.op = "nn.dense";
  const int64_t k = Between(r, 9, 200);
  w.data = {Between(r, 1, 20), k};
  w.weight = {Between(r, 1, 150), k};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

Workload RandomDenseBlocks(Random& r) {
  BlockFormat format;
  format.bits = int64_t{2} << r.Below(3);
  format.block = format.per_word() * Between(r, 1, 4);
  format.zeros = r.Below(2) == 1;
  const int64_t k = Between(r, 1, 200);
  Workload w;
  w.op = "nn.dense_blocks";
  w.types.weight = DType::kInt32;
  if (r.Below(3) == 0) w.types.accumulator = DType::kInt32;
  w.layouts = format.ToText();
  w.data = {r.Below(3) == 0 ? 1 : Between(r, 1, 20), k};
  w.weight = {Between(r, 1, 150), format.Words(k)};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  return w;
}

Workload RandomBatchMatmul(Random& r) {
  constexpr std::array<const char*, 4> kData = {"BMK", "BKM", "MBK", "KBM"};
  constexpr std::array<const char*, 4> kWeight = {"BNK", "BKN", "NBK", "KBN"};
  const std::string data = kData.at(r.Below(4)), weight = kWeight.at(r.Below(4)), output = r.Below(2) ? "BMN" : "MBN";
  const int64_t lanes = 16, n = r.Below(2) ? Between(r, 1, 70) : lanes * Between(r, 1, 5);
  std::map<char, int64_t> extents{
      {'B', Between(r, 1, 4)}, {'M', Between(r, 1, 30)}, {'N', n}, {'K', Between(r, 9, 70)}};
  Workload w;
  w.op = "nn.batch_matmul";
  w.layouts = data + "," + weight + "," + output;
  w.data = InOrder(data, extents);
  if (r.Below(4) == 0) extents['B'] = 1;
  w.weight = InOrder(weight, extents);
  return w;
}

}  // namespace hone::testing
