#include "rpc_runner/remote/doubted_results.h"

#include <gtest/gtest.h>

namespace hone {
namespace {

std::string Taken(DoubtedResults& results) {
  std::string text;
  for (const Doubt& doubt : results.Take()) text += std::to_string(doubt.id) + doubt.why + " ";
  return text;
}

TEST(DoubtedResults, AreToldOnceAndNotBeforeTheResult) {
  DoubtedResults results;
  results.Came(1, 7);
  results.Came(1, 8);
  results.Told(7);
  results.SpeakAgainst(1, {7, 8}, "slow");
  EXPECT_EQ(Taken(results), "7slow ");
  results.SpeakAgainst(1, {7, 8}, "slower");
  EXPECT_EQ(Taken(results), "");
  results.Told(8);
  EXPECT_EQ(Taken(results), "8slow ");
}

TEST(DoubtedResults, AreTheirOwnRunnersAlone) {
  DoubtedResults results;
  results.Came(1, 7);
  results.Told(7);
  results.SpeakAgainst(2, {7}, "slow");
  results.SpeakAgainst(1, {9}, "slow");
  EXPECT_EQ(Taken(results), "");
}

TEST(DoubtedResults, TheOldestAreForgotten) {
  DoubtedResults results;
  for (JobId job = 1; job <= DoubtedResults::kMost + 1; ++job) {
    results.Came(1, job);
    results.Told(job);
  }
  results.SpeakAgainst(1, {1, 2}, "slow");
  EXPECT_EQ(Taken(results), "2slow ");
}

}  // namespace
}  // namespace hone
