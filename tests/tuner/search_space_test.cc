#include "tuner/search/search_space.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tuner/fake_tuning.h"

namespace hone {
namespace {

using testing::FakeSchedule;
using testing::FakeTask;

class SearchSpaceTest : public ::testing::Test {
 protected:
  SearchSpaceTest() : one_("one", 4), two_("two", 3), space_(FakeTask({&one_, &two_})) {}
  FakeSchedule one_, two_;
  SearchSpace space_;
};

TEST_F(SearchSpaceTest, RanksEveryValidConfigOfEveryScheduleByEstimate) {
  EXPECT_EQ(space_.size(), 256 + 81);
  EXPECT_EQ(space_.ranked().size(), 256U - 16 + 81 - 9);
  EXPECT_TRUE(std::is_sorted(space_.ranked().begin(), space_.ranked().end(),
                             [](const auto& a, const auto& b) { return a.estimate_ns < b.estimate_ns; }));
}

TEST_F(SearchSpaceTest, AKeyDoesNotDependOnTheOrderOfKnobs) {
  EXPECT_EQ(space_.Key({"one", Config::Parse("a=1 b=2 c=3 d=1")}),
            space_.Key({"one", Config::Parse("d=1 b=2 a=1 c=3")}));
  EXPECT_EQ(space_.Key({"one", Config::Parse("a=99 b=2")}), space_.Key({"one", Config::Parse("b=2 a=99")}));
  EXPECT_NE(space_.Key({"one", Config::Parse("a=1 b=2 c=3 d=1")}),
            space_.Key({"two", Config::Parse("a=1 b=2 c=3 d=1")}));
}

TEST_F(SearchSpaceTest, AMutationChangesOneKnobAtMost) {
  Random random(1);
  const Proposal parent{"one", Config::Parse("a=2 b=2 c=3 d=4")};
  for (int i = 0; i < 100; ++i) {
    const Proposal child = space_.Mutate(parent, random);
    int changed = 0;
    for (const auto& [knob, value] : child.config.values()) changed += parent.config.Get(knob, 0) != value ? 1 : 0;
    EXPECT_LE(changed, 1);
    EXPECT_EQ(child.schedule, "one");
  }
}

TEST_F(SearchSpaceTest, AChildsKnobsAreItsParents) {
  Random random(1);
  const Proposal a{"one", Config::Parse("a=1 b=1 c=1 d=1")}, b{"one", Config::Parse("a=2 b=2 c=2 d=2")};
  const Proposal child = space_.Cross(a, b, random);
  for (const auto& [knob, value] : child.config.values()) EXPECT_TRUE(value == 1 || value == 2);
}

TEST_F(SearchSpaceTest, RefusesConfigsThatNoScheduleHas) {
  EXPECT_FALSE(space_.Valid({"three", Config()}));
  EXPECT_FALSE(space_.Valid({"one", Config::Parse("a=4 b=4 c=1 d=1")}));
  EXPECT_EQ(space_.Find("three"), nullptr);
}

}  // namespace
}  // namespace hone
