#include "runtime/threads/work_shares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace hone {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Takers = WorkShares::Takers;

// The parts that the worker gets when no other takes any.
std::vector<int> PartsOf(WorkShares& shares, int worker) {
  std::vector<int> parts;
  while (const std::optional<int> part = shares.Begin(worker)) {
    parts.push_back(*part);
    shares.End(worker);
  }
  return parts;
}

class WorkSharesTest : public ::testing::Test {
 protected:
  WorkShares shares_{3};
};

TEST_F(WorkSharesTest, AWorkerTakesItsOwnShareFirstThenWhatOthersHaveNotBegun) {
  shares_.Deal(6, Takers::kAnyone);
  EXPECT_THAT(PartsOf(shares_, 1), ElementsAre(2, 3, 4, 5, 0, 1));
  EXPECT_TRUE(shares_.Done());
}

TEST_F(WorkSharesTest, AShareOfItsOwnersOnlyWaitsForThem) {
  shares_.Deal(3, Takers::kOwner);
  EXPECT_THAT(PartsOf(shares_, 0), ElementsAre(0));
  EXPECT_THAT(PartsOf(shares_, 2), ElementsAre(2));
  EXPECT_FALSE(shares_.Done());
  EXPECT_THAT(PartsOf(shares_, 1), ElementsAre(1));
  EXPECT_TRUE(shares_.Done());
}

TEST_F(WorkSharesTest, FewerPartsThanWorkersAreAnybodys) {
  shares_.Deal(1, Takers::kAnyone);
  EXPECT_THAT(PartsOf(shares_, 2), ElementsAre(0));
  EXPECT_TRUE(shares_.Done());
}

TEST_F(WorkSharesTest, IsDoneWhenThePartsThatAreHeldHaveEnded) {
  shares_.Deal(6, Takers::kAnyone);
  const std::optional<int> held = shares_.Begin(1);
  EXPECT_TRUE(shares_.Holds(1));
  EXPECT_THAT(PartsOf(shares_, 0), UnorderedElementsAre(0, 1, 3, 4, 5));
  EXPECT_EQ(held, 2);
  EXPECT_FALSE(shares_.Done());
  shares_.End(1);
  EXPECT_FALSE(shares_.Holds(1));
  EXPECT_TRUE(shares_.Done());
}

// The worker is frozen before it looks, or between Look and Take. The others do everything, and it joins the next
// stage.
TEST_F(WorkSharesTest, AWorkerThatWakesLateGetsNothingOfAStageThatIsOver) {
  shares_.Deal(6, Takers::kAnyone);
  const std::optional<WorkShares::Offer> seen = shares_.Look(1);
  ASSERT_TRUE(seen);
  EXPECT_EQ(PartsOf(shares_, 0).size(), 6U);
  ASSERT_TRUE(shares_.Done());
  EXPECT_FALSE(shares_.Take(1, *seen));
  EXPECT_FALSE(shares_.Look(1));
  shares_.Deal(6, Takers::kAnyone);  // the same parts are left; only the stage's number differs
  EXPECT_FALSE(shares_.Take(1, *seen));
  EXPECT_THAT(PartsOf(shares_, 1), ElementsAre(2, 3, 4, 5, 0, 1));
}

TEST_F(WorkSharesTest, AWorkerFrozenAtAnyStepOfAStageLeavesTheNextWhole) {
  for (int steps = 0; steps <= 6; ++steps) {
    shares_.Deal(6, Takers::kAnyone);
    for (int i = 0; i < steps; ++i) {
      ASSERT_TRUE(shares_.Begin(1));
      shares_.End(1);
    }
    const std::optional<WorkShares::Offer> seen = shares_.Look(1);
    PartsOf(shares_, 0);
    PartsOf(shares_, 2);
    ASSERT_TRUE(shares_.Done());
    EXPECT_FALSE(seen && shares_.Take(1, *seen)) << steps;
  }
}

TEST(ShareOf, CoversTheExtentOnceAtMultiplesOfGrain) {
  for (const int64_t extent : {0, 1, 7, 64, 1000}) {
    for (const int64_t grain : {1, 3, 16, 2000}) {
      for (const int workers : {1, 2, 3, 8}) {
        int64_t next = 0;
        for (int worker = 0; worker < workers; ++worker) {
          const WorkRange range = ShareOf(extent, grain, worker, workers);
          ASSERT_EQ(range.begin, next);
          ASSERT_TRUE(range.begin % grain == 0 || range.begin == extent);
          ASSERT_LE(range.begin, range.end);
          next = range.end;
        }
        ASSERT_EQ(next, extent);
      }
    }
  }
}

TEST(ShareOf, IsEvenToOnePiece) {
  for (int worker = 0; worker < 4; ++worker) {
    const WorkRange range = ShareOf(10, 1, worker, 4);
    EXPECT_GE(range.end - range.begin, 2);
    EXPECT_LE(range.end - range.begin, 3);
  }
}

TEST(ShareOf, HugeExtentsDoNotOverflow) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ShareOf(most, most - 1, 1, 2).end, most);
  EXPECT_EQ(ShareOf(most, 1, 4095, 4096).end, most);
}

TEST(PiecesOf, CountsTheShortOne) {
  EXPECT_EQ(PiecesOf(0, 4), 0);
  EXPECT_EQ(PiecesOf(8, 4), 2);
  EXPECT_EQ(PiecesOf(9, 4), 3);
  EXPECT_EQ(PiecesOf(std::numeric_limits<int64_t>::max(), 1), std::numeric_limits<int64_t>::max());
}

}  // namespace
}  // namespace hone
