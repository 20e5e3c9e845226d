#include "tuner/search/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "core/error.h"
#include "tests/tuner/fake_tuning.h"
#include "tuner/search/search_space.h"

namespace hone {

// Prints the parameter's name in the list of tests.
void PrintTo(const StrategyEntry& strategy, std::ostream* out) { *out << strategy.name; }

namespace {

using testing::FakeSchedule;
using testing::FakeTask;

// Every strategy of the table is held to the contract of Strategy.
class StrategyTest : public ::testing::TestWithParam<StrategyEntry> {
 protected:
  StrategyTest() : wide_("wide", 6), narrow_("narrow", 3), task_(FakeTask({&wide_, &narrow_})) {}
  std::unique_ptr<Strategy> Make(uint64_t seed) const { return MakeStrategy(GetParam().name, task_, seed); }
  int64_t CostOf(const Proposal& proposal) const {
    return (proposal.schedule == "wide" ? wide_ : narrow_).CostNs(proposal.config);
  }
  // Proposes and observes `rounds` times.
  std::vector<Proposal> Walk(Strategy& strategy, int rounds, int batch = 8) const {
    std::vector<Proposal> all;
    for (int i = 0; i < rounds; ++i) {
      for (const Proposal& proposal : strategy.Propose(batch)) {
        all.push_back(proposal);
        const bool ok = all.size() % 7 != 0;
        strategy.Observe({proposal, ok, ok ? CostOf(proposal) : 0});
      }
    }
    return all;
  }
  FakeSchedule wide_, narrow_;
  SearchTask task_;
};

TEST_P(StrategyTest, ProposesTheAnalyticDefaultFirst) {
  const auto first = Make(1)->Propose(1);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0], SearchSpace(task_).ranked().front().proposal);
}

TEST_P(StrategyTest, NeverRepeatsNorProposesWhatIsRejected) {
  const SearchSpace space(task_);
  auto strategy = Make(3);
  std::set<std::string> seen;
  for (const Proposal& proposal : Walk(*strategy, 100)) {
    ASSERT_TRUE(space.Valid(proposal)) << proposal.config.ToText();
    ASSERT_TRUE(seen.insert(space.Key(proposal)).second) << proposal.config.ToText();
  }
  EXPECT_EQ(seen.size(), 800U);
}

TEST_P(StrategyTest, TheSameSeedGivesTheSameDecisions) {
  auto one = Make(5), two = Make(5);
  EXPECT_EQ(Walk(*one, 30), Walk(*two, 30));
}

TEST_P(StrategyTest, SpendsTheWholeSpaceAndThenProposesNothing) {
  auto strategy = Make(2);
  const size_t valid = SearchSpace(task_).ranked().size();
  EXPECT_EQ(Walk(*strategy, 200, 16).size(), valid);
  EXPECT_TRUE(strategy->Propose(4).empty());
}

TEST_P(StrategyTest, DoesNotProposeWhatWasObservedFromElsewhere) {
  auto strategy = Make(4);
  const SearchSpace space(task_);
  for (size_t i = 0; i < 40; ++i) strategy->Observe({space.ranked()[i].proposal, true, 1000});
  std::set<std::string> known;
  for (size_t i = 0; i < 40; ++i) known.insert(space.Key(space.ranked()[i].proposal));
  for (const Proposal& proposal : Walk(*strategy, 50)) EXPECT_EQ(known.count(space.Key(proposal)), 0U);
}

TEST_P(StrategyTest, ObservingAnUnknownScheduleIsHarmless) {
  auto strategy = Make(4);
  strategy->Observe({{"no_such_schedule", Config::Parse("z=1")}, true, 1});
  EXPECT_EQ(strategy->Propose(20).size(), 20U);
}

TEST_P(StrategyTest, SearchesASpaceTooLargeToList) {
  const FakeSchedule huge("huge", 40);
  SearchTask task = FakeTask({&huge});
  auto strategy = MakeStrategy(GetParam().name, task, 1);
  const SearchSpace space(task);
  EXPECT_FALSE(space.complete());
  std::set<std::string> seen;
  for (const Proposal& proposal : strategy->Propose(300)) {
    EXPECT_TRUE(space.Valid(proposal));
    EXPECT_TRUE(seen.insert(space.Key(proposal)).second);
  }
  EXPECT_EQ(seen.size(), 300U);
}

INSTANTIATE_TEST_SUITE_P(All, StrategyTest, ::testing::ValuesIn(AllStrategies()),
                         [](const auto& strategy) { return std::string(strategy.param.name); });

int64_t BestOf(std::string_view name, uint64_t seed, int trials) {
  const FakeSchedule schedule("schedule", 8);
  auto strategy = MakeStrategy(name, FakeTask({&schedule}), seed);
  int64_t best = 0;
  for (int done = 0; done < trials; done += 8) {
    for (const Proposal& proposal : strategy->Propose(8)) {
      const int64_t cost = schedule.CostNs(proposal.config);
      strategy->Observe({proposal, true, cost});
      if (best == 0 || cost < best) best = cost;
    }
  }
  return best;
}

TEST(Evolutionary, FindsBetterConfigsThanRandomSearchOnAverage) {
  int64_t evolved = 0, random = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    evolved += BestOf("evolutionary", seed, 96);
    random += BestOf("random", seed, 96);
  }
  EXPECT_LT(evolved, random);
}

TEST(ModelGuided, FindsBetterConfigsThanRandomSearchOnAverage) {
  int64_t guided = 0, random = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    guided += BestOf("model", seed, 64);
    random += BestOf("random", seed, 64);
  }
  EXPECT_LT(guided, random);
}

TEST(ModelGuided, LearnsFromOtherTasks) {
  const FakeSchedule schedule("schedule", 8);
  const SearchTask task = FakeTask({&schedule});
  SearchTask other = task;
  other.workload = testing::FakeWorkload(7);
  std::vector<Observation> known;
  const SearchSpace space(other);
  for (size_t i = 0; i < space.ranked().size(); i += 5) {
    const Proposal& proposal = space.ranked()[i].proposal;
    known.push_back({proposal, true, 3 * schedule.CostNs(proposal.config)});
  }
  const auto best_of_first = [&](bool warm) {
    auto strategy = MakeStrategy("model", task, 1);
    if (warm) strategy->Transfer(other, known);
    int64_t best = 0;
    for (const Proposal& proposal : strategy->Propose(8)) {
      const int64_t cost = schedule.CostNs(proposal.config);
      if (best == 0 || cost < best) best = cost;
    }
    return best;
  };
  EXPECT_LT(best_of_first(true), best_of_first(false));
}

TEST(MakeStrategy, AnUnknownNameIsAUsageErrorWithTheNearest) {
  try {
    MakeStrategy("evolutionnary", SearchTask{}, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("did you mean evolutionary?"));
  }
}

}  // namespace
}  // namespace hone
