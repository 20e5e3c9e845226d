#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "rpc_runner/executor/judge/judge_results.h"

namespace hone {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

ChildNote Note(std::initializer_list<std::pair<int64_t, int64_t>> samples) {
  ChildNote note{};
  for (const auto& [ns, batch] : samples) {
    note.samples_ns[note.samples] = ns;
    note.batch[note.samples++] = batch;
  }
  return note;
}

TEST(BelievableTimes, FitIntoTheExecutorsOwn) {
  EXPECT_TRUE(AreBelievable(Note({{100, 3}, {50, 4}}), 500));
  EXPECT_FALSE(AreBelievable(Note({{100, 3}, {50, 4}}), 499));
  EXPECT_FALSE(AreBelievable(Note({{100, 3}, {50, 4}, {1, 1}}), 500));
  EXPECT_FALSE(AreBelievable(Note({{1, 1}}), 0));
  EXPECT_FALSE(AreBelievable(Note({{1, 1}}), -1));
}

TEST(BelievableTimes, AreNeitherNothingNorNegative) {
  for (const auto& sample : std::initializer_list<std::pair<int64_t, int64_t>>{
           {0, 1}, {1, 0}, {0, 0}, {-1, 1}, {1, -1}, {-1, -1}, {std::numeric_limits<int64_t>::min(), -1}}) {
    EXPECT_FALSE(AreBelievable(Note({{10, 1}, sample}), 1000)) << sample.first << " x " << sample.second;
  }
}

TEST(BelievableTimes, OfProductsBeyondAnyNumberAreNot) {
  EXPECT_FALSE(AreBelievable(Note({{kMost, 2}}), kMost));
  EXPECT_FALSE(AreBelievable(Note({{int64_t{1} << 32, int64_t{1} << 32}}), kMost));
  EXPECT_FALSE(AreBelievable(Note({{kMost, 1}, {1, 1}}), kMost));
  EXPECT_TRUE(AreBelievable(Note({{kMost, 1}}), kMost));
}

TEST(BelievableTimes, AreAsManyAsANoteHolds) {
  ChildNote note{};
  for (int i = 0; i < kMaxNoteSamples; ++i) note.samples_ns[i] = note.batch[i] = 1;
  for (const int32_t samples : {0, -1, kMaxNoteSamples + 1, std::numeric_limits<int32_t>::max()}) {
    note.samples = samples;
    EXPECT_FALSE(AreBelievable(note, 1000)) << samples;
  }
  note.samples = kMaxNoteSamples;
  EXPECT_TRUE(AreBelievable(note, kMaxNoteSamples));
  EXPECT_FALSE(AreBelievable(note, kMaxNoteSamples - 1));
}

TEST(BelievableTimes, OfCallsAreSummed) {
  EXPECT_EQ(BelievableSum(std::vector<int64_t>{}, 0), 0);
  EXPECT_EQ(BelievableSum(std::vector<int64_t>{3, 0, 4}, 7), 7);
  EXPECT_EQ(BelievableSum(std::vector<int64_t>{3, 0, 4}, 6), std::nullopt);
  EXPECT_EQ(BelievableSum(std::vector<int64_t>{3, -1, 4}, 100), std::nullopt);
  EXPECT_EQ(BelievableSum(std::vector<int64_t>{kMost, 1}, kMost), std::nullopt);
}

}  // namespace
}  // namespace hone
