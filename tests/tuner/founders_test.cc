#include "tuner/search/strategies/founders.h"

#include <gtest/gtest.h>

#include "tests/tuner/fake_tuning.h"

namespace hone {
namespace {

using testing::FakeSchedule;
using testing::FakeTask;

// The founders among the ranked configs, in their order.
std::vector<Proposal> FoundersOf(const SearchSpace& space, Founders& founders) {
  std::vector<Proposal> chosen;
  for (const SearchSpace::Ranked& ranked : space.ranked()) {
    if (!founders.Wants(ranked.proposal)) continue;
    founders.Add(ranked.proposal);
    chosen.push_back(ranked.proposal);
  }
  return chosen;
}

TEST(Founders, BeginWithTheMostPromising) {
  const FakeSchedule schedule("schedule", 6);
  const SearchSpace space(FakeTask({&schedule}));
  Founders founders(space);
  const auto chosen = FoundersOf(space, founders);
  ASSERT_GT(chosen.size(), Founders::kFirst);
  for (size_t i = 0; i < Founders::kFirst; ++i) EXPECT_EQ(chosen[i], space.ranked()[i].proposal);
}

TEST(Founders, ShowEveryValueOfKnobsWithFewValues) {
  const FakeSchedule one("one", 4), other("other", 3);
  const SearchSpace space(FakeTask({&one, &other}));
  Founders founders(space);
  std::map<std::string, std::set<int64_t>> seen;
  for (const Proposal& proposal : FoundersOf(space, founders)) {
    for (const auto& [knob, value] : proposal.config.values()) seen[proposal.schedule + knob].insert(value);
  }
  EXPECT_TRUE(founders.done());
  ASSERT_EQ(seen.size(), 8U);
  for (const auto& [knob, values] : seen) EXPECT_EQ(values.size(), knob.starts_with("one") ? 4U : 3U) << knob;
}

TEST(Founders, ManyValuesAreNotShownOneByOne) {
  const FakeSchedule schedule("schedule", static_cast<int64_t>(Founders::kFewValues) + 1);
  const SearchSpace space(FakeTask({&schedule}));
  Founders founders(space);
  EXPECT_EQ(FoundersOf(space, founders).size(), Founders::kFirst);
}

TEST(Founders, AreNoMoreThanTheMost) {
  const FakeSchedule a("a", 7), b("b", 7), c("c", 7), d("d", 7);
  const SearchSpace space(FakeTask({&a, &b, &c, &d}));
  Founders founders(space);
  EXPECT_EQ(FoundersOf(space, founders).size(), Founders::kMost);
  EXPECT_TRUE(founders.done());
}

}  // namespace
}  // namespace hone
