#include "db/best_lookup.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

Target X86(const std::string& cpu) { return {"x86_64-pc-linux-gnu", cpu, {}, 0}; }

BestRow Row(const std::string& id, const std::string& cpu, const std::string& cpu_model, int threads, int64_t min_ns) {
  BestRow row;
  row.id = id;
  row.target = X86(cpu);
  row.cpu_model = cpu_model;
  row.threads = threads;
  row.min_ns = min_ns;
  return row;
}

std::string Order(const std::vector<BestRow>& rows) {
  std::string text;
  for (const BestRow& row : rows) text += row.id + std::to_string(row.rank) + " ";
  return text;
}

const BestWanted kWanted{X86("znver3"), "EPYC", 4};

TEST(BestLookup, NearerMachinesComeFirst) {
  EXPECT_EQ(Order(RankRecords({Row("d", "haswell", "Xeon", 4, 1), Row("c", "znver3", "Ryzen", 4, 2),
                               Row("b", "znver3", "EPYC", 8, 3), Row("a", "znver3", "EPYC", 4, 4)},
                              kWanted)),
            "a0 b1 c2 d3 ");
}

TEST(BestLookup, WithinARankTheLeastSampleWinsThenTheId) {
  EXPECT_EQ(Order(RankRecords(
                {Row("c", "znver3", "EPYC", 4, 7), Row("b", "znver3", "EPYC", 4, 7), Row("a", "znver3", "EPYC", 4, 9)},
                kWanted)),
            "b0 c0 a0 ");
}

TEST(BestLookup, LeavesOutWhatTheTargetCannotRun) {
  BestRow arm = Row("b", "cortex-a72", "Cortex", 4, 1);
  arm.target.triple = "aarch64-linux-gnu";
  EXPECT_EQ(Order(RankRecords({Row("a", "znver5", "EPYC", 4, 1), arm, Row("c", "x86-64-v2", "Old", 4, 5)}, kWanted)),
            "c3 ");
}

TEST(BestLookup, ExplicitFeaturesCount) {
  BestRow row = Row("a", "znver5", "EPYC", 4, 1);
  row.target.features = {"-avx512f"};
  EXPECT_EQ(Order(RankRecords({row}, kWanted)), "a0 ");
}

TEST(BestLookup, NeverMixesCacheModesInARank) {
  BestRow warm = Row("w", "znver3", "EPYC", 4, 1), warm_far = Row("v", "haswell", "Xeon", 4, 1);
  warm.cache = warm_far.cache = CacheMode::kWarm;
  EXPECT_EQ(Order(RankRecords({warm, Row("c", "znver3", "EPYC", 4, 9), warm_far}, kWanted)), "c0 v3 ");
  EXPECT_EQ(Order(RankRecords({warm}, kWanted)), "w0 ");
}

TEST(BestLookup, EmulatedTimesComeLastInTheirRank) {
  BestRow emulated = Row("e", "znver3", "EPYC", 4, 1);
  emulated.emulated = true;
  EXPECT_EQ(Order(RankRecords({emulated, Row("a", "znver3", "EPYC", 4, 9)}, kWanted)), "a0 e0 ");
}

TEST(BestLookup, UnknownCpuModelMatchesNone) {
  EXPECT_EQ(Order(RankRecords({Row("a", "znver3", "", 4, 1)}, {X86("znver3"), "", 4})), "a2 ");
}

TEST(BestLookup, RowsWithoutATimeAreLeftOut) {
  EXPECT_EQ(Order(RankRecords({Row("a", "znver3", "EPYC", 4, 0)}, kWanted)), "");
}

}  // namespace
}  // namespace hone
