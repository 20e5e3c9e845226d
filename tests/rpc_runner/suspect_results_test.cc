#include <gtest/gtest.h>

#include "rpc_runner/remote/job_queue.h"

namespace hone {
namespace {

std::string Taken(SuspectResults& results) {
  std::string text;
  for (const SuspectResult& suspect : results.Take()) text += std::to_string(suspect.id) + suspect.why + " ";
  return text;
}

TEST(SuspectResults, AreToldOnceAndNotBeforeTheResult) {
  SuspectResults results;
  results.Add(1, 7);
  results.Add(1, 8);
  results.MarkDelivered(7);
  results.MarkSuspect(1, {7, 8}, "slow");
  EXPECT_EQ(Taken(results), "7slow ");
  results.MarkSuspect(1, {7, 8}, "slower");
  EXPECT_EQ(Taken(results), "");
  results.MarkDelivered(8);
  EXPECT_EQ(Taken(results), "8slow ");
}

TEST(SuspectResults, AreTheirOwnRunnersAlone) {
  SuspectResults results;
  results.Add(1, 7);
  results.MarkDelivered(7);
  results.MarkSuspect(2, {7}, "slow");
  results.MarkSuspect(1, {9}, "slow");
  EXPECT_EQ(Taken(results), "");
}

TEST(SuspectResults, TheOldestAreForgotten) {
  SuspectResults results;
  for (JobId job = 1; job <= SuspectResults::kMost + 1; ++job) {
    results.Add(1, job);
    results.MarkDelivered(job);
  }
  results.MarkSuspect(1, {1, 2}, "slow");
  EXPECT_EQ(Taken(results), "2slow ");
}

}  // namespace
}  // namespace hone
