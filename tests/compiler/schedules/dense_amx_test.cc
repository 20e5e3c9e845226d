// Dense layers in tile registers give the bits of integer sums for bytes, for every shape and config.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/codegen/target/host.h"
#include "compiler/compile_kernel.h"
#include "compiler/schedules/schedule_list.h"
#include "core/machine/required_features.h"
#include "core/random.h"
#include "tests/support/random_workloads.h"
#include "tests/support/whole_sums.h"

namespace hone {
namespace {

using testing::Between;
using ::testing::HasSubstr;

Target WithTiles() { return ResolveTarget("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=sapphirerapids"); }

#define HONE_NEEDS_TILES() \
  if (!MissingFeature(WithTiles()).empty()) GTEST_SKIP() << "this machine has no " << MissingFeature(WithTiles())

// These include rows and columns that fill no tile, and register tiles of one row of tiles.
Workload RandomBytes(Random& r) {
  Workload w;
  w.op = "nn.dense";
  w.data = {Between(r, 4, 90), 64 * Between(r, 1, 5)};
  w.weight = {Between(r, 1, 200), w.data[1]};
  if (r.Below(2) == 0) w.weight[0] = 32 * Between(r, 1, 6);
  w.epilogue = static_cast<EpilogueClass>(Between(r, 0, 2));
  w.types = ByteTypes(r.Below(3) == 0 ? DType::kFloat32 : DType::kUInt8);
  return w;
}

TEST(DenseAmx, SumsOfBytesAreExact) {
  HONE_NEEDS_TILES();
  const MachineModel machine = MachineModelFor(WithTiles());
  Random random(1);
  for (int round = 0; round < 120 && !HasFailure(); ++round) {
    const Workload w = RandomBytes(random);
    ASSERT_TRUE(DenseAmx().Fits(w, machine)) << w.ToText();
    const Config config = testing::ValidConfig(DenseAmx(), w, machine, random);
    testing::CheckBits({w, "dense_amx", config, WithTiles()}, CanonicalEpilogue(w), random.Below(1000));
  }
}

TEST(DenseAmx, EveryConfigGivesTheSameBits) {
  HONE_NEEDS_TILES();
  const MachineModel machine = MachineModelFor(WithTiles());
  for (const char* shape : {"data=37x128 weight=83x128", "data=64x64 weight=96x64", "data=5x192 weight=20x192"}) {
    Workload w = Workload::Parse(std::string("nn.dense ") + shape + " epilogue=residual");
    w.types = ByteTypes(DType::kUInt8);
    const ConfigSpace space = DenseAmx().Space(w, machine);
    for (int64_t i = 0; i < space.size() && !HasFailure(); ++i) {
      if (DenseAmx().Reject(w, machine, space.At(i))) continue;
      testing::CheckBits({w, "dense_amx", space.At(i), WithTiles()}, CanonicalEpilogue(w), 3);
    }
  }
}

TEST(DenseAmx, TakesEveryPartOfAnEpilogue) {
  HONE_NEEDS_TILES();
  Workload w = Workload::Parse("nn.dense data=21x128 weight=64x128 epilogue=residual");
  w.types = ByteTypes(DType::kUInt8);
  for (const char* text :
       {"offset,scale,hold(-127,100,0.37),add(0.21,5),relu,quantise(0.5,3,200)", "scale,bias,quantise(700,17)",
        "offset,scale,bias,add(12.5,0),relu,quantise(300,0,127)", "scale,hold(-128,127,1),quantise(1,128)"}) {
    testing::CheckBits(testing::BestOf(DenseAmx(), w, WithTiles()), Epilogue::Parse(text), 5);
  }
}

TEST(DenseAmx, MultipliesBytesInTiles) {
  Workload w = Workload::Parse("nn.dense data=128x768 weight=768x768 epilogue=bias_act");
  w.types = ByteTypes(DType::kUInt8);
  EXPECT_THAT(CompileAssembly(testing::BestOf(DenseAmx(), w, WithTiles())), HasSubstr("tdpbusd"));
  w.types = FloatTypes(DType::kBFloat16, DType::kBFloat16, DType::kFloat32);
  EXPECT_THAT(CompileAssembly(testing::BestOf(DenseAmx(), w, WithTiles())), HasSubstr("tdpbf16ps"));
}

TEST(DenseAmx, TakesWholeRowsOfTilesOnMachinesThatHaveThem) {
  const auto fits = [](const char* shape, const Target& target) {
    Workload w = Workload::Parse(std::string("nn.dense ") + shape);
    w.types = ByteTypes(DType::kUInt8);
    return DenseAmx().Fits(w, MachineModelFor(target));
  };
  EXPECT_TRUE(fits("data=4x64 weight=7x64", WithTiles()));
  EXPECT_FALSE(fits("data=3x64 weight=7x64", WithTiles()));
  EXPECT_FALSE(fits("data=4x96 weight=7x96", WithTiles()));
  Target without = WithTiles();
  without.features = {"-amx-int8"};
  EXPECT_FALSE(fits("data=4x64 weight=7x64", without));
}

}  // namespace
}  // namespace hone
