#include <gtest/gtest.h>

#include "db/care/store_care.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

Record Failed(int number, Fate fate, const std::string& message) {
  Record record = SampleRecord(number);
  record.measurement.fate = fate;
  record.measurement.message = message;
  if (fate != Fate::kOk) record.measurement.samples_ns = record.measurement.batch = {};
  return Finish(record);
}

Record NoFolder(int number) {
  return Failed(number, Fate::kCompileFailed,
                "cannot create a folder like /gone/hone-link-XXXXXX: No such file or directory");
}

class Healing : public testing::Test {
 protected:
  void Fill(const std::vector<Record>& records) { place_.Open()->Append(records); }
  std::vector<int64_t> Left() {
    std::vector<int64_t> left;
    for (const Record& record : place_.Open()->Find({})) left.push_back(record.candidate.config.Get("tile_ow", 0));
    return left;
  }
  StorePlace place_;
};

TEST_F(Healing, TakesTheMachinesTroubleAndNoVerdict) {
  Fill({Failed(1, Fate::kOk, ""), NoFolder(2), Failed(3, Fate::kCompileFailed, "the compiler died of SIGSEGV"),
        Failed(4, Fate::kUnsupported, "the reference cannot run here: it died of SIGBUS"),
        Failed(5, Fate::kOutOfMemory, "it needs 9 bytes, 8 are allowed"), NoFolder(6),
        Failed(7, Fate::kWrongOutput, "its worst error is 9 times the bound")});
  EXPECT_EQ(CheckStore(place_.where()).to_heal, 3);
  EXPECT_EQ(HealStore(place_.where(), true).records, 3);
  EXPECT_EQ(Left().size(), 7U) << "a rehearsal takes nothing";
  const Healed healed = HealStore(place_.where(), false);
  EXPECT_EQ(healed.records, 3);
  EXPECT_EQ(healed.kept, 4);
  EXPECT_EQ(healed.causes.size(), 2U);
  EXPECT_EQ(Left(), (std::vector<int64_t>{1, 3, 5, 7}));
  EXPECT_EQ(CheckStore(place_.where()).to_heal, 0);
  EXPECT_EQ(HealStore(place_.where(), false).records, 0);
}

TEST_F(Healing, ReadersIgnoreWhatIsToHeal) {
  const Record good = Failed(1, Fate::kOk, "");
  Record blamed = good;
  blamed.session = "later";
  blamed.measurement.samples_ns = blamed.measurement.batch = {};
  blamed.measurement.fate = Fate::kCompileFailed;
  blamed.measurement.message = "lld wrote no output";
  Record verdict = blamed;
  verdict.measurement.message = "lld failed: undefined symbol: expf";
  const auto best = [&] {
    const Target& target = good.candidate.target;
    return place_.Open()->Best(kSampleWorkload, target, FingerprintOf(good.measurement.environment), 1).size();
  };
  Fill({good, Finish(blamed)});
  EXPECT_EQ(best(), 1U) << "the compiler found no room for its output";
  Fill({Finish(verdict)});
  EXPECT_EQ(best(), 0U) << "the candidate cannot be linked";
}

TEST_F(Healing, TheOrderOfArrivalGoesOn) {
  Fill({Failed(1, Fate::kOk, ""), NoFolder(2), NoFolder(3)});
  RecordQuery newest;
  newest.after = 3;
  HealStore(place_.where(), false);
  EXPECT_EQ(Left(), std::vector<int64_t>{1});
  Fill({Failed(4, Fate::kOk, "")});
  const std::vector<Record> come = place_.Open()->Find(newest);
  ASSERT_EQ(come.size(), 1U) << "whoever has seen three records is told of the fourth";
  EXPECT_EQ(come[0].candidate.config.Get("tile_ow", 0), 4);
}

TEST_F(Healing, AStoreOfNothingElseIsEmptyThen) {
  Fill({NoFolder(1), NoFolder(2)});
  EXPECT_EQ(HealStore(place_.where(), false).kept, 0);
  EXPECT_TRUE(Left().empty());
  EXPECT_TRUE(CheckStore(place_.where()).problems.empty());
}

}  // namespace
}  // namespace hone
