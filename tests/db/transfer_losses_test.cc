#include "db/transfer_losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/machine/llvm_cpu_name.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

const char* const kHere = "AuthenticAMD-25-1-1";  // the target of the build
const char* const kLeft = "AuthenticAMD-26-2-1";  // two other kinds of machine
const char* const kRight = "GenuineIntel-6-85-7";

Target X86() { return {"x86_64-pc-linux-gnu", "x86-64-v3", {}, 0}; }

const BestWanted kWanted{X86(), FingerprintOf(EpycOf(kHere)), 1};

BestRow Row(const std::string& cpu_id, const std::string& candidate, int64_t min_ns, int threads = 1) {
  BestRow row;
  row.id = RecordId(candidate);
  row.setup = SharedSetup({X86(), FingerprintOf(EpycOf(cpu_id)), threads, CacheMode::kColdWeights});
  row.llvm_cpu = LlvmCpuOf(EpycOf(cpu_id));
  row.candidate = candidate;
  row.min_ns = min_ns;
  return row;
}

BestRow Ranked(const BestRow& row) { return RankRecords({row}, kWanted).at(0); }

std::string Order(const std::vector<BestRow>& rows) {
  std::string text;
  for (const BestRow& row : rows) text += row.id.text() + " ";
  return text;
}

// The losses drawn in transfer_losses.h.
TransferLosses ThatOfThePage() {
  TransferLosses losses(kWanted);
  losses.Add({Row(kLeft, "4", 50), Row(kLeft, "8", 60), Row(kHere, "4", 110), Row(kHere, "8", 100)});
  losses.Add({Row(kLeft, "2", 40), Row(kHere, "2", 90), Row(kHere, "6", 90)});
  losses.Add({Row(kLeft, "8", 40), Row(kHere, "4", 70), Row(kHere, "6", 75)});
  return losses;
}

TEST(TransferLosses, IsTheGeometricMeanOverTheTasksThatBothMeasured) {
  const auto loss = ThatOfThePage().Of(Ranked(Row(kLeft, "any", 1)));
  ASSERT_TRUE(loss);
  EXPECT_EQ(loss->tasks, 2);
  EXPECT_NEAR(loss->share, std::sqrt(1.1) - 1, 1e-12);
}

TEST(TransferLosses, AreUnknownForTheSameKindAndForUnconnectedKinds) {
  const TransferLosses losses = ThatOfThePage();
  EXPECT_FALSE(losses.Of(Ranked(Row(kHere, "any", 1))));
  EXPECT_FALSE(losses.Of(Ranked(Row("AuthenticAMD-25-1-2", "any", 1)))) << "another stepping is the same kind";
  EXPECT_FALSE(losses.Of(Ranked(Row(kRight, "any", 1))));
  EXPECT_FALSE(losses.Of(Ranked(Row(kLeft, "any", 1, 2)))) << "with other threads it is another kind";
  EXPECT_FALSE(losses.Of(Ranked(Row("", "any", 1)))) << "a machine that is not known";
}

TEST(TransferLosses, OneCandidateHereIsNoBest) {
  TransferLosses losses(kWanted);
  losses.Add({Row(kLeft, "4", 50), Row(kHere, "4", 110)});
  EXPECT_FALSE(losses.Of(Ranked(Row(kLeft, "4", 1))));
}

TEST(TransferLosses, OtherVersionsAndOtherCacheModesDoNotConnect) {
  BestRow newer = Row(kLeft, "4", 50);
  newer.schedule_version = 2;
  BestRow warm = Row(kRight, "4", 50);
  ChangeSetup(warm, [](auto& setup) { setup.cache = CacheMode::kWarm; });
  TransferLosses losses(kWanted);
  losses.Add({newer, warm, Row(kHere, "4", 110), Row(kHere, "8", 100)});
  EXPECT_FALSE(losses.Of(Ranked(newer)));
  EXPECT_FALSE(losses.Of(Ranked(Row(kRight, "4", 1))));
}

TEST(TransferLosses, WhatMayNotBeUsedConnectsNothing) {
  BestRow noisy = Row(kHere, "4", 110), failed = Row(kHere, "4", 0);
  noisy.noisy = true;
  failed.fate = Fate::kCrashed;
  failed.id = RecordId("failed");
  TransferLosses losses(kWanted);
  losses.Add({Row(kLeft, "4", 50), noisy, Row(kHere, "6", 100), Row(kHere, "8", 100)});
  losses.Add({Row(kLeft, "4", 50), failed, Row(kHere, "6", 100), Row(kHere, "8", 100)});
  EXPECT_FALSE(losses.Of(Ranked(Row(kLeft, "4", 1))));
}

TEST(TransferLosses, AnotherThreadCountOfThisMachineIsAKindToo) {
  TransferLosses losses(kWanted);
  losses.Add({Row(kHere, "4", 30, 2), Row(kHere, "4", 120), Row(kHere, "8", 100)});
  const auto loss = losses.Of(Ranked(Row(kHere, "any", 1, 2)));
  ASSERT_TRUE(loss);
  EXPECT_NEAR(loss->share, 0.2, 1e-12);
}

TEST(TransferLosses, TheKindThatLosesLeastIsFirstWhateverItsTimes) {
  TransferLosses losses = ThatOfThePage();
  losses.Add({Row(kRight, "4", 50), Row(kHere, "4", 200), Row(kHere, "8", 100)});
  std::vector<BestRow> rows = RankRecords(
      {Row(kRight, "a", 10), Row(kLeft, "b", 90), Row(kLeft, "c", 80), Row("AuthenticAMD-23-49-0", "d", 5)}, kWanted);
  EXPECT_EQ(Order(rows), "d a c b ");
  losses.Order(rows);
  EXPECT_EQ(Order(rows), "c b a d ");
  EXPECT_EQ(DecidedBy(rows[1], rows[2], kWanted), Criterion::kLoss);
  EXPECT_EQ(rows.back().expected_loss, kLossNotKnown);
}

TEST(TransferLosses, WithoutAConnectionTheOrderStays) {
  std::vector<BestRow> rows = RankRecords({Row(kRight, "a", 10), Row(kLeft, "b", 5)}, kWanted);
  const std::vector<BestRow> before = rows;
  TransferLosses(kWanted).Order(rows);
  EXPECT_EQ(rows, before);
}

}  // namespace
}  // namespace hone
