#include <gtest/gtest.h>

#include <set>

#include "core/machine/machine_rows.h"

namespace hone {
namespace {

MachineModel X86(const std::string& cpu, std::vector<std::string> features = {}) {
  return MachineModelFor({"x86_64-pc-linux-gnu", cpu, std::move(features), 0});
}

TEST(MachineModel, FollowsTheCpu) {
  EXPECT_EQ(X86("x86-64").name, "sse4");
  EXPECT_EQ(X86("x86-64-v2").name, "sse4");
  for (const char* cpu : {"x86-64-v3", "haswell", "broadwell", "skylake", "znver1", "znver2", "znver3"}) {
    EXPECT_EQ(X86(cpu).name, "avx2") << cpu;
  }
  for (const char* cpu : {"x86-64-v4", "skylake-avx512", "cascadelake", "icelake-client", "icelake-server",
                          "sapphirerapids", "znver4", "znver5"}) {
    EXPECT_EQ(X86(cpu).name, "avx512") << cpu;
  }
  EXPECT_EQ(X86("znver5").l1_bytes, 48 << 10);
  EXPECT_EQ(X86("znver5").l2_bytes, 1 << 20);
}

TEST(MachineModel, FeaturesMoveTheRow) {
  EXPECT_EQ(X86("znver5", {"-avx512f"}).name, "avx2");
  EXPECT_EQ(X86("znver5", {"-avx512f"}).l1_bytes, 48 << 10);
  EXPECT_EQ(X86("haswell", {"+avx512f"}).name, "avx512");
  EXPECT_EQ(X86("znver3", {"-avx2"}).name, "sse4");
  EXPECT_EQ(X86("x86-64", {"+avx2", "+fma"}).name, "avx2");
  EXPECT_TRUE(X86("x86-64", {"+avx2", "+fma"}).has_fma);
  EXPECT_FALSE(X86("x86-64", {"+avx2"}).has_fma);
  EXPECT_FALSE(X86("haswell", {"-fma"}).has_fma);
}

TEST(MachineModel, FeaturesBringWhatTheyNeedAndTakeWhatNeedsThem) {
  EXPECT_EQ(X86("haswell", {"+avx512bw"}).name, "avx512");
  EXPECT_EQ(X86("znver5", {"-avx512vl"}).name, "avx2");
  EXPECT_EQ(X86("haswell", {"+avx512f", "-avx512dq"}).name, "avx2");
  EXPECT_EQ(X86("znver5", {"-fma"}).vector_lanes, 8);
  EXPECT_FALSE(X86("znver5", {"-fma"}).has_fma);
  for (const char* away : {"-avx", "-sse4.2", "-ssse3", "-sse2"}) EXPECT_EQ(X86("znver5", {away}).name, "sse4") << away;
  EXPECT_EQ(X86("x86-64", {"+fma"}).name, "sse4");
  EXPECT_EQ(X86("x86-64", {"+avx2", "-avx2"}).name, "sse4");
}

TEST(MachineModel, AnInstructionSetIsOneRow) {
  std::vector<MachineRow> rows = MachineRows();
  rows.push_back({"x86_64", {.name = "wide", .vector_lanes = 32, .required_features = {"avx512f", "wide"}}});
  const auto among = [&](const char* triple, const char* cpu, std::vector<std::string> features) {
    return ModelAmong(rows, {triple, cpu, std::move(features), 0});
  };
  MachineModel wide = rows.back().model;
  wide.l1_bytes = 48 << 10;
  wide.l2_bytes = 1 << 20;
  wide.l3_bytes = 4 << 20;
  wide.byte_dots = ByteDots::kMixedFours;
  wide.byte_dots_feature = "avx512vnni";
  wide.adds_pairs = true;
  wide.bfloat_dots_feature = "avx512bf16";
  wide.half_loads_feature = "f16c";
  EXPECT_TRUE(among("x86_64-pc-linux-gnu", "znver5", {"+wide"}) == wide);
  EXPECT_EQ(among("x86_64-pc-linux-gnu", "zen9", {"+avx512f", "+wide"}).name, "wide");
  EXPECT_EQ(among("x86_64-pc-linux-gnu", "haswell", {"+wide"}).name, "avx2");
  EXPECT_EQ(among("x86_64-pc-linux-gnu", "znver5", {}).name, "avx512");
  EXPECT_EQ(among("aarch64-linux-gnu", "cortex-a72", {"+avx512f", "+wide"}).name, "neon");
}

TEST(MachineModel, RowsHaveNamesOfTheirOwnAndFiguresToDivideBy) {
  std::set<std::string> names;
  for (const auto& [architecture, m] : MachineRows()) {
    EXPECT_TRUE(names.insert(m.name).second) << m.name;
    EXPECT_GE(m.vector_lanes, 4) << m.name;
    for (const double figure :
         {m.clock_ghz, m.multiply_adds_per_cycle, m.multiply_add_latency, m.loads_per_cycle, m.moved_bytes_per_cycle.l1,
          m.moved_bytes_per_cycle.l2, m.moved_bytes_per_cycle.l3, m.moved_bytes_per_cycle.memory,
          m.cold_bytes_per_cycle, m.shared_bytes_per_cycle, static_cast<double>(m.line_bytes)}) {
      EXPECT_GT(figure, 0) << m.name;
    }
  }
}

TEST(MachineModel, UnknownCpuGetsTheModestRow) {
  EXPECT_EQ(X86("zen9").name, "sse4");
  EXPECT_EQ(X86("zen9", {"+avx512f"}).name, "avx512");
  EXPECT_EQ(MachineModelFor({"aarch64-linux-gnu", "cortex-z1", {}, 0}).name, "neon");
  EXPECT_EQ(MachineModelFor({"sparc-sun-solaris", "x", {}, 0}).name, "plain");
  EXPECT_EQ(MachineModelFor({}).name, "plain");
}

TEST(MachineModel, CpuOfAnotherArchitectureIsUnknown) {
  EXPECT_EQ(MachineModelFor({"aarch64-linux-gnu", "znver5", {}, 0}).name, "neon");
  EXPECT_EQ(X86("generic").name, "sse4");
}

TEST(MachineModel, RowsSayWhatTheyNeed) {
  EXPECT_EQ(X86("znver3").required_features, (std::vector<std::string>{"avx2", "fma"}));
  EXPECT_TRUE(X86("x86-64").required_features.empty());
  const MachineModel neon = MachineModelFor({"aarch64-linux-gnu", "cortex-a72", {}, 0});
  EXPECT_EQ(neon.vector_lanes, 4);
  EXPECT_EQ(neon.vector_registers, 32);
  EXPECT_TRUE(neon.broadcast == Broadcast::kLane && neon.has_fma);
}

TEST(MachineModel, BytesAreMultipliedInFoursWhereAFeatureSaysSo) {
  EXPECT_EQ(X86("x86-64-v4").byte_dots, ByteDots::kPairs);
  EXPECT_EQ(X86("x86-64-v4").byte_dots_feature, "");
  EXPECT_EQ(X86("x86-64").byte_dots, ByteDots::kPairs);
  for (const char* cpu : {"znver4", "cascadelake"}) {
    EXPECT_EQ(X86(cpu).byte_dots, ByteDots::kMixedFours) << cpu;
    EXPECT_EQ(X86(cpu).byte_dots_feature, "avx512vnni") << cpu;
  }
  EXPECT_EQ(X86("alderlake").byte_dots_feature, "avxvnni");
  EXPECT_TRUE(X86("alderlake").adds_pairs);
  EXPECT_FALSE(X86("x86-64-v4").adds_pairs);
  const auto model = [](const char* cpu, const char* feature) {
    return MachineModelFor({"x86_64-pc-linux-gnu", cpu, {feature}, 0});
  };
  EXPECT_EQ(model("x86-64-v4", "+avx512vnni").byte_dots, ByteDots::kMixedFours);
  EXPECT_EQ(model("znver4", "-avx512vnni").byte_dots, ByteDots::kPairs);
  EXPECT_EQ(model("znver4", "-avx512f").byte_dots, ByteDots::kPairs);
  const auto arm = [](const char* cpu, std::vector<std::string> features) {
    return MachineModelFor({"aarch64-linux-gnu", cpu, std::move(features), 0}).byte_dots_feature;
  };
  EXPECT_EQ(arm("neoverse-v1", {}), "i8mm");
  EXPECT_EQ(arm("cortex-a72", {}), "");
  EXPECT_EQ(MachineModelFor({"aarch64-linux-gnu", "cortex-a72", {}, 0}).byte_dots, ByteDots::kWidened);
  EXPECT_EQ(arm("cortex-a72", {"+dotprod"}), "dotprod");
  EXPECT_EQ(arm("neoverse-n1", {}), "dotprod");
  EXPECT_EQ(arm("neoverse-n1", {"-dotprod"}), "");
  EXPECT_EQ(arm("neoverse-n1", {"+i8mm"}), "i8mm") << "the better one";
  EXPECT_EQ(MachineModelFor({"aarch64-linux-gnu", "neoverse-n1", {}, 0}).byte_dots, ByteDots::kSignedFours);
  EXPECT_EQ(MachineModelFor({"aarch64-linux-gnu", "neoverse-v1", {}, 0}).byte_dots, ByteDots::kMixedFours);
  EXPECT_EQ(MachineModelFor({"armv7-linux-gnueabihf", "cortex-a7", {"+dotprod"}, 0}).byte_dots_feature, "")
      << "kernels use AArch64's instruction alone";
}

TEST(MachineModel, PairsOfBFloat16AreWhatTheFeaturesMultiply) {
  const auto dots = [](const char* triple, const char* cpu, std::vector<std::string> features) {
    return MachineModelFor({triple, cpu, std::move(features), 0}).bfloat_dots_feature;
  };
  for (const char* cpu : {"cooperlake", "sapphirerapids", "znver4", "znver5"}) {
    EXPECT_EQ(dots("x86_64-pc-linux-gnu", cpu, {}), "avx512bf16") << cpu;
  }
  EXPECT_EQ(dots("x86_64-pc-linux-gnu", "icelake-server", {}), "");
  EXPECT_EQ(MachineModelFor({"x86_64-pc-linux-gnu", "sapphirerapids", {}, 0}).bfloat_dot_cost, 2);
  EXPECT_EQ(MachineModelFor({"x86_64-pc-linux-gnu", "znver5", {}, 0}).bfloat_dot_cost, 1);
  EXPECT_EQ(dots("x86_64-pc-linux-gnu", "rocketlake", {"+avx512bf16"}), "avx512bf16");
  EXPECT_EQ(dots("x86_64-pc-linux-gnu", "znver4", {"-avx512f"}), "");
  EXPECT_EQ(dots("aarch64-linux-gnu", "neoverse-n2", {}), "bf16");
  EXPECT_EQ(dots("aarch64-linux-gnu", "cortex-a76", {}), "");
}

TEST(MachineModel, DivisionsTakeWhatTheCpuTakesForThem) {
  const auto cost = [](const char* cpu) { return MachineModelFor({"x86_64-pc-linux-gnu", cpu, {}, 0}).division_cost; };
  EXPECT_EQ(cost("graniterapids"), 32);
  EXPECT_EQ(cost("znver4"), 3.2);
  EXPECT_EQ(cost("x86-64-v4"), MachineModel().division_cost);
}

TEST(MachineModel, GathersAreFastOnTheRapidsCpusAlone) {
  for (const char* cpu : {"sapphirerapids", "emeraldrapids", "graniterapids"}) EXPECT_TRUE(HasFastGathers(cpu)) << cpu;
  for (const char* cpu : {"znver4", "skylake-avx512", "x86-64-v4", "cortex-a76", ""}) {
    EXPECT_FALSE(HasFastGathers(cpu)) << cpu;
  }
}

TEST(MachineModel, TilesAreWhatTheirFeaturesSay) {
  const auto model = [](const char* cpu, std::vector<std::string> features) {
    return MachineModelFor({"x86_64-pc-linux-gnu", cpu, std::move(features), 0});
  };
  const auto tiles = [](const MachineModel& m) { return std::pair(m.byte_tiles, m.bfloat16_tiles); };
  EXPECT_EQ(tiles(X86("sapphirerapids")), std::pair(true, true));
  EXPECT_EQ(tiles(X86("rocketlake")), std::pair(false, false));
  EXPECT_EQ(tiles(model("rocketlake", {"+amx-int8"})), std::pair(true, false));
  EXPECT_EQ(tiles(model("sapphirerapids", {"-amx-int8"})), std::pair(false, true));
  EXPECT_EQ(tiles(model("sapphirerapids", {"-amx-tile"})), std::pair(false, false));
  EXPECT_EQ(tiles(model("sapphirerapids", {"-avx512f"})), std::pair(false, false)) << "vectors finish what tiles sum";
}

TEST(MachineModel, KnownTargetsNameThemselves) {
  for (const Target& target : KnownTargets()) {
    EXPECT_NE(MachineModelFor(target).name, "plain") << target.cpu;
    EXPECT_GE(MachineModelFor(target).l2_bytes, MachineModelFor(target).l1_bytes) << target.cpu;
  }
}

TEST(MachineModel, OfArmsInstructionSetsEachHasItsRows) {
  const auto model = [](const char* triple, const char* cpu, std::vector<std::string> features = {}) {
    return MachineModelFor({triple, cpu, std::move(features), 0});
  };
  const char* arm = "armv7-linux-gnueabihf";
  EXPECT_EQ(model(arm, "").name, "neon32_nofma");
  EXPECT_EQ(model(arm, "cortex-a9").name, "neon32_nofma");
  EXPECT_FALSE(model(arm, "cortex-a9").has_fma);
  EXPECT_EQ(model(arm, "cortex-a9", {"+vfp4"}).name, "neon32");
  EXPECT_EQ(model(arm, "cortex-a7").required_features, (std::vector<std::string>{"neon", "vfp4"}));
  EXPECT_EQ(model(arm, "cortex-a7", {"-neon"}).name, "neon32_nofma");
  EXPECT_EQ(model(arm, "cortex-a72").vector_registers, 14);
  EXPECT_EQ(model("aarch64-linux-gnu", "cortex-a72").vector_registers, 32);
  EXPECT_EQ(model("aarch64-linux-gnu", "cortex-a7").l2_bytes, 256 << 10) << "no such CPU there";
}

TEST(MachineModel, ArithmeticCostsWhatTheCoreHas) {
  const auto rate = [](const char* triple, const char* cpu, std::vector<std::string> features = {}) {
    return MachineModelFor({triple, cpu, std::move(features), 0}).multiply_adds_per_cycle;
  };
  const char *arm64 = "aarch64-linux-gnu", *riscv = "riscv64-linux-gnu";
  EXPECT_EQ(rate(arm64, "cortex-a53"), 1);
  EXPECT_EQ(rate("armv7-linux-gnueabihf", "cortex-a53"), 1) << "the same core under a 32-bit system";
  EXPECT_EQ(rate(arm64, "neoverse-v1"), 4);
  EXPECT_EQ(rate(arm64, "cortex-z1"), rate(arm64, "cortex-a76")) << "as the row's other CPUs";
  EXPECT_EQ(rate(riscv, "sifive-u74"), 0.25);
  EXPECT_EQ(rate(riscv, "sifive-u74", {"+v"}), rate(riscv, "generic-rv64", {"+v"}))
      << "its scalar costs are no vector's";
  EXPECT_EQ(X86("znver5").multiply_adds_per_cycle, MachineModel().multiply_adds_per_cycle);
  EXPECT_EQ(X86("znver4").multiply_adds_per_cycle, 1) << "512 bits are two passes";
  EXPECT_EQ(X86("znver4", {"-avx512f"}).multiply_adds_per_cycle, 2) << "256 are one";
  EXPECT_LT(X86("sapphirerapids").cold_bytes_per_cycle, X86("znver5").cold_bytes_per_cycle / 2) << "its memory is far";
  EXPECT_EQ(X86("sapphirerapids").moved_bytes_per_cycle.l1, X86("znver5").moved_bytes_per_cycle.l1);
}

TEST(MachineModel, ACoreOfTwoArchitecturesIsListedOnce) {
  std::set<std::string> cpus;
  for (const Target& target : KnownTargets()) EXPECT_TRUE(cpus.insert(target.cpu).second) << target.cpu;
}

TEST(MachineModel, RiscvLanesFollowFromTheVectorExtension) {
  const auto model = [](std::vector<std::string> features) {
    return MachineModelFor({"riscv64-linux-gnu", "generic-rv64", std::move(features), 0});
  };
  EXPECT_EQ(model({"+d", "+f"}).name, "riscv64");
  EXPECT_EQ(model({"+d", "+v"}).name, "rvv");
  EXPECT_EQ(model({"+d", "+v"}).vector_lanes, 4);
  EXPECT_TRUE(model({"+d", "+v"}).scalable_vectors);
  EXPECT_FALSE(model({"+d"}).scalable_vectors);
  EXPECT_EQ(model({"+d", "+v"}).required_features, (std::vector<std::string>{"v"}));
  EXPECT_EQ(model({"+v", "+zvl256b"}).vector_lanes, 8);
  EXPECT_EQ(model({"+v", "+zvl256b"}).required_features, (std::vector<std::string>{"v", "zvl256b"}));
  EXPECT_EQ(model({"+v", "+zvl512b"}).vector_lanes, 16);
  EXPECT_EQ(model({"+d", "+zvl256b"}).name, "riscv64");
}

}  // namespace
}  // namespace hone
