#include "runtime/generate/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "core/error.h"

namespace hone {
namespace {

using ::testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The share of each token among many draws.
std::map<int64_t, double> SharesOf(SamplingOptions options, const std::vector<float>& logits) {
  constexpr int kDraws = 20'000;
  Sampler sampler(options);
  std::map<int64_t, double> shares;
  for (int i = 0; i < kDraws; ++i) shares[sampler.Next(logits)] += 1.0 / kDraws;
  return shares;
}

TEST(Sampler, GreedyTakesTheLowestOfTheMostLikely) {
  Sampler sampler({});
  EXPECT_EQ(sampler.Next(std::vector<float>{1, 3, 2, 3}), 1);
  EXPECT_EQ(sampler.Next(std::vector<float>{-kInfinity, NAN, -5}), 2);
  EXPECT_EQ(sampler.Next(std::vector<float>{0, kInfinity}), 1);
}

TEST(Sampler, DrawsByTheSoftmaxOfTheLogitsOverTheTemperature) {
  const std::vector<float> logits = {0, 1, 2};
  const double sum = std::exp(0) + std::exp(2) + std::exp(4);
  const auto shares = SharesOf({.temperature = 0.5}, logits);
  for (int id = 0; id < 3; ++id) EXPECT_NEAR(shares.at(id), std::exp(2 * id) / sum, 0.015) << id;
}

TEST(Sampler, TopKAndTopPLeaveOutTheUnlikely) {
  const std::vector<float> logits = {std::log(0.1F), std::log(0.5F), std::log(0.15F), std::log(0.25F)};
  const auto two = SharesOf({.temperature = 1, .top_k = 2}, logits);
  EXPECT_EQ(two.size(), 2U);
  EXPECT_NEAR(two.at(1), 2.0 / 3, 0.015);
  // 0.5 and 0.25 reach 0.7; 0.8 needs the third.
  EXPECT_EQ(SharesOf({.temperature = 1, .top_p = 0.7}, logits).size(), 2U);
  EXPECT_EQ(SharesOf({.temperature = 1, .top_p = 0.8}, logits).size(), 3U);
  EXPECT_EQ(SharesOf({.temperature = 1, .top_p = 1e-9}, logits).size(), 1U);
}

TEST(Sampler, TopPFindsEnoughAmongManyTokens) {
  std::vector<float> logits(5000, 0);  // all alike, so that 0.9 takes 4,500 of them
  Sampler sampler({.temperature = 1, .top_p = 0.9});
  for (int i = 0; i < 200; ++i) EXPECT_LT(sampler.Next(logits), 4500);
}

TEST(Sampler, ThePenaltyMakesTokensThatOccurredLessLikely) {
  Sampler sampler({.repetition_penalty = 2});
  sampler.See(0);
  sampler.See(2);
  EXPECT_EQ(sampler.Next(std::vector<float>{3, 2, -1}), 1);
  EXPECT_EQ(sampler.Next(std::vector<float>{-3, -5, -2}), 2);  // -6, -5, -4
  EXPECT_EQ(sampler.Next(std::vector<float>{-3, -3, -2}), 1);  // -6, -3, -4
}

TEST(Sampler, EqualSeedsDrawEqualTokens) {
  const std::vector<float> logits(100, 0);
  Sampler a({.temperature = 1, .seed = 7}), b({.temperature = 1, .seed = 7}), c({.temperature = 1, .seed = 8});
  bool differs = false;
  for (int i = 0; i < 50; ++i) {
    const int64_t drawn = a.Next(logits);
    EXPECT_EQ(b.Next(logits), drawn);
    differs |= c.Next(logits) != drawn;
  }
  EXPECT_TRUE(differs);
}

TEST(Sampler, RefusesOptionsAndLogitsThatMeanNothing) {
  const auto text_of = [](const SamplingOptions& options) -> std::string {
    try {
      Sampler sampler(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(text_of({.temperature = -1}), HasSubstr("the temperature is -1; it is 0 or more"));
  EXPECT_THAT(text_of({.temperature = NAN}), HasSubstr("the temperature"));
  EXPECT_THAT(text_of({.top_p = 0}), HasSubstr("top_p is 0; it is above 0 and at most 1"));
  EXPECT_THAT(text_of({.top_k = -1}), HasSubstr("top_k is -1"));
  EXPECT_THAT(text_of({.repetition_penalty = 0}), HasSubstr("the repetition penalty is 0"));
  Sampler sampler({.temperature = 1});
  EXPECT_THROW(sampler.Next(std::vector<float>{NAN, -kInfinity}), Error);
  EXPECT_THROW(sampler.Next({}), Error);
}

}  // namespace
}  // namespace hone
