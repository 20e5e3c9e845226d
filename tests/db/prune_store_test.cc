#include <gtest/gtest.h>

#include "db/care/store_care.h"
#include "db/verdicts/row_verdicts.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

// A record of a given config and age.
Record Timed(int number, int64_t min_ns, int64_t unix_ms, Fate fate = Fate::kOk) {
  Record record = SampleRecord(number);
  record.unix_ms = unix_ms;
  record.measurement.fate = fate;
  record.measurement.samples_ns = {min_ns};
  if (fate != Fate::kOk) record.measurement.samples_ns = record.measurement.batch = {};
  return Finish(record);
}

class Pruning : public testing::Test {
 protected:
  void Fill(const std::vector<Record>& records) { place_.Open()->Append(records); }
  std::vector<int64_t> Left() {
    std::vector<int64_t> left;
    for (const Record& record : place_.Open()->Find({})) left.push_back(record.candidate.config.Get("tile_ow", 0));
    return left;
  }
  StorePlace place_;
};

TEST_F(Pruning, ByRankKeepsTheFastest) {
  Fill({Timed(1, 50, 1), Timed(2, 10, 1), Timed(3, 30, 1), Timed(4, 20, 1), Timed(5, 40, 1), Timed(6, 60, 1)});
  EXPECT_EQ(PruneStore(place_.where(), {.beyond_rank = 2}, true).records, 3);
  EXPECT_EQ(Left().size(), 6U) << "a rehearsal takes nothing";
  EXPECT_EQ(PruneStore(place_.where(), {.beyond_rank = 2}, false).kept, 3);
  EXPECT_EQ(Left(), (std::vector<int64_t>{2, 4, 6})) << "the two fastest, and the last that came";
}

TEST_F(Pruning, ByAgeNeverTakesTheBest) {
  Fill({Timed(1, 10, 1), Timed(2, 20, 1), Timed(3, 30, 100), Timed(4, 40, 100)});
  EXPECT_EQ(PruneStore(place_.where(), {.before_unix_ms = 50}, false).records, 1);
  EXPECT_EQ(Left(), (std::vector<int64_t>{1, 3, 4}));
}

TEST_F(Pruning, ByFateAndAgeTogether) {
  Fill({Timed(1, 10, 1), Timed(2, 0, 1, Fate::kCrashed), Timed(3, 0, 100, Fate::kCrashed),
        Timed(4, 0, 1, Fate::kTimedOut), Timed(5, 20, 1)});
  EXPECT_EQ(PruneStore(place_.where(), {.before_unix_ms = 50, .fate = Fate::kCrashed}, false).records, 1);
  EXPECT_EQ(Left(), (std::vector<int64_t>{1, 3, 4, 5}));
}

TEST_F(Pruning, WhatFinalsWereHeldOverStays) {
  Record final = Timed(2, 25, 1);
  final.finals = {1, 1, 1, false};
  Fill({Timed(1, 10, 1), Timed(2, 90, 1), Timed(3, 80, 1), Finish(final), Timed(4, 99, 1)});
  PruneStore(place_.where(), {.beyond_rank = 1}, false);
  EXPECT_EQ(Left(), (std::vector<int64_t>{1, 2, 2, 4}));
}

TEST_F(Pruning, ADoubtedRecordIsNotKeptAsTheBest) {
  const Record doubted = Timed(1, 10, 1);
  Fill({doubted, Timed(2, 20, 1), Doubted(doubted, "slow"), Timed(3, 30, 1)});
  PruneStore(place_.where(), {.beyond_rank = 1}, false);
  EXPECT_EQ(Left(), (std::vector<int64_t>{2, 3})) << "the fastest that is believed, and the last that came";
}

TEST_F(Pruning, TheOrderOfArrivalGoesOn) {
  Fill({Timed(1, 10, 1), Timed(2, 20, 1)});
  const auto store = place_.Open();
  const int64_t before = store->Arrived();
  PruneStore(place_.where(), {.beyond_rank = 1}, false);
  store->Append({Timed(3, 30, 1)});
  EXPECT_GT(store->Arrived(), before);
}

}  // namespace
}  // namespace hone
