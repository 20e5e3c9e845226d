#include "db/verdicts/best_lookup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "core/machine/llvm_cpu_name.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

Target X86(const std::string& cpu) { return {"x86_64-pc-linux-gnu", cpu, {}, 0}; }

Fingerprint Machine(const std::string& cpu_id) { return FingerprintOf(EpycOf(cpu_id)); }

// A row timed on the CPU `cpu_id`, which is vendor-family-model-stepping.
BestRow Row(const std::string& id, const std::string& cpu, const std::string& cpu_id, int threads, int64_t min_ns) {
  BestRow row;
  row.id = RecordId(id);
  row.setup = SharedSetup({X86(cpu), Machine(cpu_id), threads, CacheMode::kColdWeights});
  row.llvm_cpu = LlvmCpuOf(EpycOf(cpu_id));
  row.min_ns = min_ns;
  return row;
}

std::string Order(const std::vector<BestRow>& rows) {
  std::string text;
  for (const BestRow& row : rows) text += row.id.text() + std::to_string(row.rank) + " ";
  return text;
}

const char* const kZen3 = "AuthenticAMD-25-1-1";
const char* const kZen5 = "AuthenticAMD-26-2-1";
const BestWanted kWanted{X86("znver3"), Machine(kZen3), 4};

TEST(BestLookup, NearerMachinesComeFirst) {
  EXPECT_EQ(Order(RankRecords(
                {Row("d", "haswell", "GenuineIntel-6-63-2", 4, 1), Row("c", "znver3", "AuthenticAMD-25-1-2", 4, 2),
                 Row("b", "znver3", kZen3, 8, 3), Row("a", "znver3", kZen3, 4, 4)},
                kWanted)),
            "a0 b1 c2 d3 ");
}

TEST(BestLookup, WithinARankTheLeastSampleWinsThenTheId) {
  EXPECT_EQ(Order(RankRecords(
                {Row("c", "znver3", kZen3, 4, 7), Row("b", "znver3", kZen3, 4, 7), Row("a", "znver3", kZen3, 4, 9)},
                kWanted)),
            "b0 c0 a0 ");
}

TEST(BestLookup, ManyRowsComeInOrderHoweverTheyWereGiven) {
  std::vector<BestRow> rows;
  for (int i = 0; i < 100; ++i) {
    rows.push_back(Row(std::to_string(i), "znver3", i % 7 == 0 ? kZen5 : kZen3, 4, i % 5 == 0 ? 0 : 1000 - i));
    rows.back().candidate = std::to_string(i);
  }
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 20; ++turn) {
    std::shuffle(rows.begin(), rows.end(), random);
    const BestLookup lookup = LookUpBest(rows, kWanted);
    ASSERT_EQ(lookup.ranked.size(), 80U);
    EXPECT_EQ(lookup.left_out.size(), 20U);
    for (size_t i = 0; i < lookup.ranked.size(); ++i) {
      EXPECT_EQ(lookup.ranked[i].id.text(), lookup.ranked[i].candidate);
      if (i == 0) continue;
      const BestRow &ahead = lookup.ranked[i - 1], &row = lookup.ranked[i];
      EXPECT_LT(std::pair(ahead.rank, ahead.min_ns), std::pair(row.rank, row.min_ns));
    }
  }
}

TEST(BestLookup, LeavesOutWhatTheTargetCannotRun) {
  BestRow arm = Row("b", "cortex-a72", "0x41-8-0xd08-3", 4, 1);
  ChangeSetup(arm, [&](auto& setup) { setup.target.triple = "aarch64-linux-gnu"; });
  EXPECT_EQ(Order(RankRecords(
                {Row("a", "znver5", kZen3, 4, 1), arm, Row("c", "x86-64-v2", "GenuineIntel-6-44-2", 4, 5)}, kWanted)),
            "c3 ");
}

TEST(BestLookup, ExplicitFeaturesCount) {
  BestRow row = Row("a", "znver5", kZen3, 4, 1);
  ChangeSetup(row, [&](auto& setup) { setup.target.features = {"-avx512f"}; });
  EXPECT_EQ(Order(RankRecords({row}, kWanted)), "a0 ");
}

TEST(BestLookup, NeverMixesCacheModesInARank) {
  BestRow warm = Row("w", "znver3", kZen3, 4, 1), warm_far = Row("v", "haswell", "GenuineIntel-6-63-2", 4, 1);
  ChangeSetup(warm, [&](auto& setup) { setup.cache = CacheMode::kWarm; });
  ChangeSetup(warm_far, [&](auto& setup) { setup.cache = CacheMode::kWarm; });
  EXPECT_EQ(Order(RankRecords({warm, Row("c", "znver3", kZen3, 4, 9), warm_far}, kWanted)), "c0 v3 ");
  EXPECT_EQ(Order(RankRecords({warm}, kWanted)), "w0 ");
}

TEST(BestLookup, AnEmulatedMachineIsAnother) {
  BestRow emulated = Row("e", "znver3", kZen3, 4, 1);
  ChangeSetup(emulated, [&](auto& setup) { setup.machine.emulated = true; });
  BestWanted wanted = kWanted;
  wanted.machine.emulated = true;
  EXPECT_EQ(Order(RankRecords({emulated, Row("a", "znver3", kZen3, 4, 9)}, kWanted)), "a0 e3 ");
  EXPECT_EQ(Order(RankRecords({emulated, Row("a", "znver3", kZen3, 4, 9)}, wanted)), "e0 a3 ");
}

TEST(BestLookup, AnotherCpuIsNotThisOneThoughItsCodeWasTheSame) {
  EXPECT_EQ(Order(RankRecords({Row("a", "znver3", kZen5, 4, 157), Row("b", "znver3", kZen3, 4, 315)}, kWanted)),
            "b0 a3 ");
}

TEST(BestLookup, WhatMeasuredTellsTheMicroarchitectureNotWhatItMeasured) {
  const BestWanted haswell{X86("haswell"), Machine("GenuineIntel-6-63-2"), 4};
  EXPECT_EQ(Order(RankRecords({Row("a", "haswell", kZen3, 4, 1), Row("b", "x86-64-v3", "GenuineIntel-6-63-1", 4, 9)},
                              haswell)),
            "b2 a3 ");
  const BestWanted unknown{X86("haswell"), {}, 4};
  EXPECT_EQ(Order(RankRecords({Row("a", "haswell", kZen3, 4, 1), Row("b", "x86-64-v3", "GenuineIntel-6-63-2", 4, 9)},
                              unknown)),
            "b2 a3 ");
}

TEST(BestLookup, AGenericTargetHasNoMicroarchitecture) {
  BestRow row = Row("a", "x86-64-v3", "HygonGenuine-24-0-1", 4, 1);
  row.llvm_cpu = "x86-64-v3";
  EXPECT_EQ(Order(RankRecords({row}, {X86("x86-64-v3"), {}, 4})), "a3 ");
}

TEST(BestLookup, OfAnotherMicroarchitectureTheSameCodeComesFirst) {
  EXPECT_EQ(Order(RankRecords({Row("a", "haswell", kZen5, 4, 1), Row("b", "x86-64-v3", kZen3, 4, 9)},
                              {X86("x86-64-v3"), {}, 4})),
            "b3 a3 ");
}

TEST(BestLookup, OfTheSameCodeTheSameThreadCountComesFirst) {
  EXPECT_EQ(
      Order(RankRecords({Row("a", "znver3", kZen3, 2, 1), Row("b", "znver3", kZen3, 1, 9)}, {X86("znver3"), {}, 1})),
      "b2 a2 ");
}

TEST(BestLookup, WhatTheTargetLacksIsNeverTakenNotEvenFromItsOwnModel) {
  BestWanted hidden = kWanted;
  hidden.target.cpu = "x86-64-v2";
  EXPECT_EQ(Order(RankRecords({Row("a", "znver3", "AuthenticAMD-25-1-2", 4, 1)}, hidden)), "");
}

TEST(BestLookup, AMachineThatIsNotKnownIsLikeNone) {
  EXPECT_EQ(Order(RankRecords({Row("a", "znver3", "", 4, 1)}, {X86("znver3"), {}, 4})), "a3 ");
}

TEST(BestLookup, RowsWithoutATimeAreLeftOut) {
  EXPECT_EQ(Order(RankRecords({Row("a", "znver3", kZen3, 4, 0)}, kWanted)), "");
}

TEST(BestLookup, SaysWhyItLeavesOut) {
  BestRow failed = Row("f", "znver3", kZen3, 4, 0), noisy = Row("n", "znver3", kZen3, 4, 5);
  failed.fate = Fate::kCrashed;
  failed.candidate = "that one";
  noisy.noisy = true;
  BestRow warm = Row("w", "znver3", kZen3, 4, 5);
  ChangeSetup(warm, [&](auto& setup) { setup.cache = CacheMode::kWarm; });
  BestRow arm = Row("a", "cortex-a72", "0x41-8-0xd08-3", 4, 1);
  ChangeSetup(arm, [&](auto& setup) { setup.target.triple = "aarch64-linux-gnu"; });
  const BestLookup lookup =
      LookUpBest({failed, noisy, warm, arm, Row("z", "znver5", kZen5, 4, 1), Row("r", "znver3", kZen3, 4, 9)}, kWanted);
  EXPECT_EQ(Order(lookup.ranked), "r0 ");
  ASSERT_EQ(lookup.left_out.size(), 5U);
  const std::vector<LeftOut> wanted = {LeftOut::kFailed, LeftOut::kNoisy, LeftOut::kOtherCache,
                                       LeftOut::kOtherArchitecture, LeftOut::kLacksFeatures};
  for (size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(lookup.left_out[i].why, wanted[i]) << lookup.left_out[i].row.id.view();
  EXPECT_NE(lookup.left_out[4].detail.find("avx512f"), std::string::npos) << lookup.left_out[4].detail;
}

TEST(BestLookup, WhatIsForItsOwnKindIsTakenThereAlone) {
  std::vector<BestRow> rows = {Row("o", "x86-64-v3", kZen5, 4, 1), Row("s", "znver3", "AuthenticAMD-25-1-2", 4, 9)};
  for (BestRow& row : rows) row.own_kind = true;
  const BestLookup lookup = LookUpBest(rows, kWanted);
  EXPECT_EQ(Order(lookup.ranked), "s2 ");
  ASSERT_EQ(lookup.left_out.size(), 1U);
  EXPECT_EQ(lookup.left_out[0].why, LeftOut::kOtherKind);
}

// The hub has such records: code for AVX2 that was measured on a machine with AVX-512.
TEST(BestLookup, CodeForFewerFeaturesServesTheKindThatMeasuredItWhereTheOthersAreHidden) {
  BestRow avx2 = Row("2", "x86-64-v3", kZen5, 1, 9), avx512 = Row("5", "znver5", kZen5, 1, 5);
  avx2.own_kind = avx512.own_kind = true;
  const BestWanted all{X86("znver5"), Machine("AuthenticAMD-26-2-0"), 1};
  BestWanted hidden = all, elsewhere = all;
  hidden.target.features = {"-avx512f"};
  elsewhere.target = X86("haswell");
  elsewhere.machine = Machine("GenuineIntel-6-63-2");
  EXPECT_EQ(Order(RankRecords({avx2, avx512}, all)), "52 22 ");
  EXPECT_EQ(Order(RankRecords({avx2, avx512}, hidden)), "22 ");
  EXPECT_EQ(Order(RankRecords({avx2, avx512}, elsewhere)), "");
}

TEST(BestLookup, LeavesOutWhatFailedSince) {
  BestRow failed = Row("f", "znver3", kZen3, 4, 0);
  failed.fate = Fate::kCrashed;
  failed.seq = 1;
  const BestLookup lookup = LookUpBest({Row("a", "znver3", kZen3, 4, 5), failed}, kWanted);
  EXPECT_TRUE(lookup.ranked.empty());
  EXPECT_EQ(lookup.left_out[0].why, LeftOut::kFailedSince);
  EXPECT_EQ(lookup.left_out[0].detail, "f");
}

TEST(BestLookup, LeavesOutWhatIsDoubted) {
  const BestRow row = Row("a", "znver3", kZen3, 4, 5);
  BestRow doubt = row, other = row;
  doubt.id = RecordId("d");
  doubt.noisy = true;
  other.id = RecordId("b");
  other.session = "another";
  // The order in which stores were merged does not matter.
  for (const bool first : {true, false}) {
    const BestLookup lookup =
        first ? LookUpBest({doubt, row, other}, kWanted) : LookUpBest({row, other, doubt}, kWanted);
    EXPECT_EQ(Order(lookup.ranked), "b0 ");
    ASSERT_EQ(lookup.left_out.size(), 2U);
    const LeftOutRow& left_out = lookup.left_out[first ? 1 : 0];
    EXPECT_EQ(left_out.why, LeftOut::kDoubtedSince);
    EXPECT_EQ(left_out.detail, "d");
  }
}

TEST(BestLookup, DoubtsNoOtherTimeOfTheKernel) {
  BestRow noisy = Row("n", "znver3", kZen3, 4, 6), config = Row("c", "znver3", kZen3, 4, 5), version = config;
  noisy.noisy = config.noisy = version.noisy = true;
  config.candidate = "another one";
  ++version.schedule_version;
  EXPECT_EQ(Order(LookUpBest({Row("a", "znver3", kZen3, 4, 5), noisy, config, version}, kWanted).ranked), "a0 ");
}

TEST(BestLookup, TellsWhatDecided) {
  const auto decided = [](const BestRow& a, const BestRow& b) {
    const auto rows = RankRecords({a, b}, kWanted);
    return DecidedBy(rows.front(), rows.back(), kWanted);
  };
  const BestRow own = Row("a", "znver3", kZen3, 4, 9);
  BestRow emulated = own, final = own;
  ChangeSetup(emulated, [&](auto& setup) { setup.machine.emulated = true; });
  final.held = 1;
  EXPECT_EQ(decided(own, Row("b", "znver3", kZen3, 2, 1)), Criterion::kRank);
  EXPECT_EQ(decided(own, Row("b", "znver3", kZen3, 4, 10)), Criterion::kWorth);
  EXPECT_EQ(decided(own, final), Criterion::kFinals);
  EXPECT_EQ(decided(own, Row("b", "znver3", kZen3, 4, 9)), Criterion::kId);
  EXPECT_EQ(decided(own, Row("b", "haswell", kZen3, 4, 1)), Criterion::kCode);
  EXPECT_EQ(decided(Row("a", "znver3", kZen5, 4, 9), Row("b", "znver3", kZen5, 2, 9)), Criterion::kThreads);
}

}  // namespace
}  // namespace hone
