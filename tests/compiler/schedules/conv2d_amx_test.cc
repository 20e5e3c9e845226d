// Kernels of tile registers give the bits of integer sums, for every shape and config. Every machine can compile and
// inspect their code.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule_list.h"
#include "core/machine/required_features.h"
#include "core/random.h"
#include "tests/support/random_workloads.h"
#include "tests/support/run_kernel.h"
#include "tests/support/whole_sums.h"

namespace hone {
namespace {

using testing::Between;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr ElementTypes kBFloat16s{DType::kBFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat32};

Target WithTiles() { return ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=sapphirerapids"); }

bool Runs(const Target& target) { return MissingFeature(target).empty(); }
#define HONE_NEEDS_TILES() \
  if (!Runs(WithTiles())) GTEST_SKIP() << "this machine has no " << MissingFeature(WithTiles())

Workload RandomWorkload(Random& r) {
  Workload w;
  w.op = "nn.conv2d";
  const bool pointwise = r.Below(3) == 0;
  const int64_t in = Between(r, 16, 150), kh = pointwise ? 1 : Between(r, 1, 4), kw = pointwise ? 1 : Between(r, 1, 4);
  w.strides = {Between(r, 1, 2), Between(r, 1, 2)};
  w.dilation = {Between(r, 1, 2), Between(r, 1, 2)};
  if (r.Below(2)) w.strides = w.dilation = {1, 1};
  if (r.Below(2)) w.padding = {Between(r, 0, 3), Between(r, 0, 3), Between(r, 0, 3), Between(r, 0, 3)};
  w.data = {Between(r, 1, 2), in, Between(r, 7, 20), Between(r, 7, 40)};
  w.weight = {Between(r, 1, 150), in, kh, kw};
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  w.types = ByteTypes(r.Below(3) == 0 ? DType::kFloat32 : DType::kUInt8);
  return w;
}

TEST(Conv2dAmx, SumsAreExact) {
  HONE_NEEDS_TILES();
  const Target target = WithTiles();
  const MachineModel machine = MachineModelFor(target);
  Random random(1);
  for (int round = 0; round < 80 && !HasFailure(); ++round) {
    const Workload w = RandomWorkload(random);
    const Config config = testing::ValidConfig(Conv2dAmx(), w, machine, random);
    testing::CheckBits({w, "conv2d_amx", config, target}, CanonicalEpilogue(w), random.Below(1000));
  }
}

// Up to four channels: one step covers the pixels of a kernel row, also for plain NCHW.
Workload RandomThinWorkload(Random& r) {
  Workload w = RandomWorkload(r);
  w.data[1] = w.weight[1] = Between(r, 1, 4);
  w.weight[2] = Between(r, 1, 7);
  w.weight[3] = Between(r, 1, 8);
  w.data[2] += 7, w.data[3] += 7;
  w.strides = {Between(r, 1, 3), Between(r, 1, 3)};
  w.dilation = {1, 1};
  return w;
}

TEST(Conv2dAmx, ThinInputsAreExactToo) {
  HONE_NEEDS_TILES();
  const Target target = WithTiles();
  const MachineModel machine = MachineModelFor(target);
  Random random(2);
  int plain = 0;
  for (int round = 0; round < 60 && !HasFailure(); ++round) {
    const Workload w = RandomThinWorkload(random);
    const Config config = testing::ValidConfig(Conv2dAmx(), w, machine, random);
    plain += config.Get("ic_block", 0) == 1 ? 1 : 0;
    testing::CheckBits({w, "conv2d_amx", config, target}, CanonicalEpilogue(w), random.Below(1000));
  }
  EXPECT_GT(plain, 10);
  EXPECT_LT(plain, 50);
}

// Every way to cut the outputs: rows apart and joined, with and without the outputs between them, tiles that repeat
// outputs, partial register tiles.
TEST(Conv2dAmx, EveryCutGivesTheSameBits) {
  HONE_NEEDS_TILES();
  const Target target = WithTiles();
  const MachineModel machine = MachineModelFor(target);
  for (const char* shape :
       {"data=1x70x7x7 weight=35x70x3x3 padding=1x1x1x1", "data=1x70x7x7 weight=35x70x1x1",
        "data=1x70x14x33 weight=35x70x1x1", "data=1x64x12x17 weight=40x64x3x3 strides=2x2 padding=1x1x1x1"}) {
    Workload w = Workload::Parse(fmt::format("nn.conv2d {} epilogue=residual", shape));
    w.types = ByteTypes(DType::kUInt8);
    const ConfigSpace space = Conv2dAmx().Space(w, machine);
    for (int64_t i = 0; i < space.size() && !HasFailure(); ++i) {
      const Config config = space.At(i);
      if (Conv2dAmx().Reject(w, machine, config) || config.Get("prefetch", 0) != i % 2) continue;
      if (config.Get("loop_order", 0) != i / 3 % 2) continue;
      testing::CheckBits({w, "conv2d_amx", config, target}, CanonicalEpilogue(w), 3);
    }
  }
}

TEST(Conv2dAmx, TakesEveryPartOfAnEpilogue) {
  HONE_NEEDS_TILES();
  Workload w = Workload::Parse("nn.conv2d data=1x20x7x9 weight=35x20x3x3 padding=1x1x1x1 epilogue=residual");
  w.types = ByteTypes(DType::kUInt8);
  for (const char* text :
       {"offset,scale,hold(-127,100,0.37),add(0.21,5),relu,quantise(0.5,3,200)", "scale,bias,quantise(700,17)",
        "offset,scale,bias,add(12.5,0),relu,quantise(300,0,127)", "scale,hold(-128,127,1),quantise(1,128)"}) {
    testing::CheckBits(testing::BestOf(Conv2dAmx(), w, WithTiles()), Epilogue::Parse(text), 5);
  }
}

// Integers whose sums float32 represents, so that the order of a sum does not matter.
TEST(Conv2dAmx, MultipliesBFloat16) {
  HONE_NEEDS_TILES();
  const Target target = WithTiles();
  Workload w = Workload::Parse("nn.conv2d data=1x37x9x11 weight=35x37x3x3 padding=1x1x1x1");
  w.types = kBFloat16s;
  Random random(4);
  for (int round = 0; round < 10; ++round) {
    const Config config = testing::ValidConfig(Conv2dAmx(), w, MachineModelFor(target), random);
    SCOPED_TRACE(config.ToText());
    const auto compiled = CompileKernel({w, "conv2d_amx", config, target}, Epilogue());
    ASSERT_TRUE(std::holds_alternative<Artifact>(compiled)) << std::get<Rejection>(compiled).reason;
    Tensor data(DType::kBFloat16, w.data), weight(DType::kBFloat16, w.weight);
    for (int64_t i = 0; i < data.elements(); ++i) data.Set(i, static_cast<double>(random.Below(33)) - 16);
    for (int64_t i = 0; i < weight.elements(); ++i) weight.Set(i, static_cast<double>(random.Below(17)) - 8);
    const std::vector<double> expected = testing::WholeValues(w, Epilogue(), {data, weight});
    const Tensor got = testing::RunArtifact(std::get<Artifact>(compiled), {data, weight})[0];
    for (int64_t i = 0; i < got.elements(); ++i) ASSERT_EQ(got.At(i), expected[static_cast<size_t>(i)]) << i;
  }
}

TEST(Conv2dAmx, KeepsEverythingInTiles) {
  Workload w = Workload::Parse("nn.conv2d data=1x256x14x14 weight=256x256x3x3 padding=1x1x1x1 epilogue=bias_act");
  w.types = ByteTypes(DType::kUInt8);
  const Config config = Config::Parse("oc_block=64 ic_block=64 tile_oc=2 tile_ow=32 tile_oh=2");
  const std::string code = CompileAssembly({w, "conv2d_amx", config, WithTiles()});
  EXPECT_THAT(code, HasSubstr("ldtilecfg"));
  EXPECT_THAT(code, HasSubstr("tilerelease"));
  // The block that multiplies: four loads, four products, no access to the stack.
  const size_t product = code.find("tdpbusd"), block = code.rfind(".LBB", product), end = code.find(".LBB", product);
  ASSERT_NE(product, std::string::npos);
  const std::string hot = code.substr(block, end - block);
  const auto count = [&](std::string_view what) {
    int found = 0;
    for (size_t at = hot.find(what); at != std::string::npos; at = hot.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("tdpbusd"), 4) << hot;
  EXPECT_EQ(count("tileloadd"), 4) << hot;
  EXPECT_EQ(count("tilestored"), 0) << hot;
  EXPECT_EQ(count("(%rsp)"), 0) << hot;
  w.types = kBFloat16s;
  EXPECT_THAT(
      CompileAssembly({w, "conv2d_amx", Config::Parse("oc_block=32 ic_block=32 tile_oc=2 tile_ow=32"), WithTiles()}),
      HasSubstr("tdpbf16ps"));
}

TEST(Conv2dAmx, AsksForWhatItNeeds) {
  Workload w = Workload::Parse("nn.conv2d data=1x64x14x14 weight=64x64x1x1");
  w.types = ByteTypes(DType::kUInt8);
  const auto features = [&](const Target& target) {
    const DefaultConfig best = AnalyticDefault(w, MachineModelFor(target));
    const auto compiled = CompileKernel({w, std::string(best.schedule->name()), best.config, target});
    return fmt::format("{}", fmt::join(std::get<Artifact>(compiled).required_features, " "));
  };
  EXPECT_THAT(features(WithTiles()), HasSubstr("amx-int8 amx-tile"));
  Target without = WithTiles();
  without.features = {"-amx-tile"};
  EXPECT_THAT(features(without), Not(HasSubstr("amx")));
  EXPECT_FALSE(Conv2dAmx().Fits(w, MachineModelFor(without)));
  without.features = {"-amx-bf16"};
  EXPECT_TRUE(Conv2dAmx().Fits(w, MachineModelFor(without)));
  w.types = kBFloat16s;
  EXPECT_FALSE(Conv2dAmx().Fits(w, MachineModelFor(without)));
}

TEST(Conv2dAmx, RefusesWhatTheRegistersDoNotHold) {
  Workload w = Workload::Parse("nn.conv2d data=1x64x14x14 weight=192x64x1x1");
  w.types = ByteTypes(DType::kUInt8);
  const auto refusal = [&](const char* config) {
    return Conv2dAmx().Reject(w, MachineModelFor(WithTiles()), Config::Parse(config)).value_or("");
  };
  EXPECT_EQ(refusal("oc_block=64 ic_block=64 tile_oc=2 tile_ow=32 tile_oh=2"), "");
  EXPECT_THAT(refusal("oc_block=64 ic_block=64 tile_oc=3 tile_ow=32 tile_oh=2"), HasSubstr("9 of 8 tiles"));
  EXPECT_THAT(refusal("oc_block=64 ic_block=48"), HasSubstr("does not divide the 64 channels"));
  EXPECT_THAT(refusal("oc_block=64 ic_block=64 tile_oc=5"), HasSubstr("tile_oc"));
  EXPECT_THAT(refusal("oc_block=64 ic_block=64 tile_oh=3"), HasSubstr("tile_oh"));
  EXPECT_THAT(refusal("oc_block=64 ic_block=64 tile_ow=32"), HasSubstr("tile_ow"));
}

}  // namespace
}  // namespace hone
