#include "lab/records/diff_records.h"

#include <gtest/gtest.h>

#include "tests/db/sample_record.h"

namespace hone {
namespace {

// A record of a machine, with samples of about `ns`.
Record Timed(int64_t ns, const std::string& cpu_id = "AuthenticAMD-25-1-1") {
  Record record = SampleRecord(1);
  record.measurement.environment = EpycOf(cpu_id);
  record.measurement.samples_ns.clear();
  for (int64_t i = 0; i < 9; ++i) record.measurement.samples_ns.push_back(ns + i);
  record.measurement.batch.assign(9, 1);
  return Finish(record);
}

RecordChange ChangeOf(const std::vector<Record>& before, const std::vector<Record>& after) {
  const std::vector<RecordDiff> diffs = DiffRecords(before, after);
  EXPECT_EQ(diffs.size(), 1U);
  return diffs.empty() ? RecordChange::kSame : diffs[0].change;
}

TEST(DiffRecords, SaysWhatIsNewAndGone) {
  EXPECT_EQ(ChangeOf({}, {Timed(1000)}), RecordChange::kNew);
  EXPECT_EQ(ChangeOf({Timed(1000)}, {}), RecordChange::kGone);
  EXPECT_TRUE(DiffRecords({}, {}).empty());
}

TEST(DiffRecords, SaysWhatIsFasterAndSlower) {
  EXPECT_EQ(ChangeOf({Timed(2000)}, {Timed(1000)}), RecordChange::kFaster);
  EXPECT_EQ(ChangeOf({Timed(1000)}, {Timed(2000)}), RecordChange::kSlower);
}

TEST(DiffRecords, LessThanOnePerCentIsTheSame) {
  EXPECT_EQ(ChangeOf({Timed(10'000)}, {Timed(10'050)}), RecordChange::kSame);
  EXPECT_EQ(ChangeOf({Timed(1000)}, {Timed(1000)}), RecordChange::kSame);
}

TEST(DiffRecords, AFewSamplesProveNothing) {
  Record before = Timed(1000), after = Timed(2000);
  before.measurement.samples_ns.resize(1);
  before.measurement.batch.resize(1);
  EXPECT_EQ(ChangeOf({Finish(before)}, {after}), RecordChange::kSame);
}

TEST(DiffRecords, MachinesAreNotMixed) {
  const std::vector<RecordDiff> diffs = DiffRecords({Timed(1000)}, {Timed(2000, "AuthenticAMD-26-2-1")});
  ASSERT_EQ(diffs.size(), 2U);
  EXPECT_EQ(diffs[0].change, RecordChange::kNew);
  EXPECT_EQ(diffs[1].change, RecordChange::kGone);
}

}  // namespace
}  // namespace hone
