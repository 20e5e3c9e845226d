#include <gtest/gtest.h>

#include <algorithm>

#include "db/verdicts/row_verdicts.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

class JudgeByFinalsTest : public testing::Test {
 protected:
  void Trial(const std::string& session, const std::string& candidate, int64_t min_ns) {
    BestRow row;
    row.seq = static_cast<int64_t>(rows_.size());
    row.id = RecordId(candidate);
    row.session = session;
    row.candidate = candidate;
    row.min_ns = min_ns;
    row.setup = SharedSetup({{"x86_64-pc-linux-gnu", "znver3", {}, 0}, machine_});
    rows_.push_back(row);
  }
  void Final(const std::string& session, int held, const std::string& candidate, int place, int64_t min_ns) {
    Trial(session, candidate, min_ns);
    rows_.back().held = held;
    rows_.back().place = place;
  }
  // The candidate and worth of the first row by RankRecords, and whether it is of finals.
  std::string First() const {
    const BestRow row = RankRecords(rows_, {{"x86_64-pc-linux-gnu", "znver3", {}, 0}, machine_, 1}).front();
    return row.candidate + " " + std::to_string(row.worth_ns) + (row.held > 0 ? " final" : "");
  }

  const Fingerprint machine_ = FingerprintOf(EpycOf("AuthenticAMD-25-1-1"));
  std::vector<BestRow> rows_;
};

TEST_F(JudgeByFinalsTest, WithoutFinalsTheLeastSampleCounts) {
  Trial("s", "a", 100);
  Trial("s", "b", 90);
  EXPECT_EQ(First(), "b 90");
}

TEST_F(JudgeByFinalsTest, TheWinnerOutranksLuckyTrialsOfItsRun) {
  Trial("s", "a", 100);
  Trial("s", "lucky", 80);
  Trial("s", "not in them", 85);
  Final("s", 1, "lucky", 2, 99);
  Final("s", 1, "a", 1, 101);
  Final("s", 1, "a", 1, 98);
  EXPECT_EQ(First(), "a 98 final");
}

TEST_F(JudgeByFinalsTest, ATrialThatCameLaterWasNotJudged) {
  Final("s", 1, "a", 1, 98);
  Final("s", 1, "b", 2, 99);
  Trial("s", "c", 95);
  EXPECT_EQ(First(), "c 95");
  Final("s", 2, "c", 2, 99);
  Final("s", 2, "a", 1, 98);
  EXPECT_EQ(First(), "a 98 final");
}

TEST_F(JudgeByFinalsTest, NoEarlierTrialOfAnyRunIsAMatchForThem) {
  Trial("other", "lucky", 80);
  Trial("other", "fast", 90);
  Final("s", 1, "a", 1, 98);
  Final("s", 1, "lucky", 2, 99);
  EXPECT_EQ(First(), "a 98 final");
}

TEST_F(JudgeByFinalsTest, OtherFinalsAreOvertakenOnlyByThoseThatHadTheirCandidates) {
  Final("one", 1, "b", 1, 95);
  Final("one", 1, "c", 2, 97);
  Final("two", 1, "a", 1, 98);
  Final("two", 1, "d", 2, 99);
  EXPECT_EQ(First(), "b 95 final");
}

TEST_F(JudgeByFinalsTest, TheRowThatGaveTheWorthComesFirst) {
  Final("s", 1, "a", 1, 95);
  Final("s", 1, "b", 2, 99);
  Final("s", 2, "a", 1, 98);
  Final("s", 2, "b", 2, 99);
  const BestRow first = RankRecords(rows_, {{"x86_64-pc-linux-gnu", "znver3", {}, 0}, machine_, 1}).front();
  EXPECT_EQ(first.worth_ns, 98) << "the last finals count";
  EXPECT_EQ(first.min_ns, 98) << "every reader takes its worth as its time";
}

TEST_F(JudgeByFinalsTest, FinalsThatHadTheEarlierWinnerCoverWhatThatBeat) {
  Final("one", 1, "a", 1, 98);
  Final("one", 1, "second", 2, 90);  // a better sample, but not significant
  Final("two", 1, "b", 1, 100);
  Final("two", 1, "a", 2, 103);
  EXPECT_EQ(First(), "b 100 final");
}

TEST_F(JudgeByFinalsTest, ATimeOfAnotherCpuOfOneNameDoesNotDisplaceTheWinner) {
  Final("s", 1, "a", 1, 315);
  Final("s", 1, "b", 2, 320);
  Trial("other", "far", 157);
  ChangeSetup(rows_.back(), [&](auto& setup) { setup.machine = FingerprintOf(EpycOf("AuthenticAMD-26-2-1")); });
  ChangeSetup(rows_.back(), [&](auto& setup) { setup.target.cpu = "x86-64-v3"; });
  EXPECT_EQ(First(), "a 315 final");
}

TEST_F(JudgeByFinalsTest, OtherCodeOfThisMachineDoesNotDisplaceTheWinner) {
  Final("s", 1, "a", 1, 315);
  Final("s", 1, "b", 2, 320);
  Trial("other", "narrow", 157);
  ChangeSetup(rows_.back(), [&](auto& setup) { setup.target.cpu = "x86-64-v3"; });
  EXPECT_EQ(First(), "a 315 final");
}

TEST_F(JudgeByFinalsTest, AnotherMachinesFinalsSayNothing) {
  Trial("s", "a", 80);
  Trial("s", "b", 90);
  for (int i = 0; i < 5; ++i) {
    Final("s", 1, "b", 1, 95);
    Final("s", 1, "a", 2, 99);
    BestRow* rows[] = {&rows_[rows_.size() - 2], &rows_.back()};
    for (BestRow* row : rows) {
      if (i == 0) ChangeSetup(*row, [&](auto& setup) { setup.machine.model = "2"; });
      if (i == 1) ChangeSetup(*row, [&](auto& setup) { setup.threads = 2; });
      if (i == 2) ChangeSetup(*row, [&](auto& setup) { setup.cache = CacheMode::kWarm; });
      if (i == 3) ChangeSetup(*row, [&](auto& setup) { setup.machine.emulated = true; });
      if (i == 4) ChangeSetup(*row, [&](auto& setup) { setup.target.features = {"+avx2"}; });
    }
  }
  EXPECT_EQ(First(), "a 80");
}

TEST_F(JudgeByFinalsTest, FinalsWhoseWinnerIsMissingDecideNothing) {
  Trial("s", "a", 80);
  Final("s", 1, "a", 2, 99);
  EXPECT_EQ(First(), "a 80");
}

}  // namespace
}  // namespace hone
