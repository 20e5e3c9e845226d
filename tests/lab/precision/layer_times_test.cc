#include <gtest/gtest.h>

#include "lab/precision/choose_assignment.h"

namespace hone {
namespace {

using Times = std::map<std::string, double>;

Plan PlanOf(const std::vector<std::vector<std::string>>& nodes) {
  Plan plan;
  for (const auto& of_call : nodes) {
    PlanCall call;
    call.nodes = of_call;
    plan.calls.push_back(call);
  }
  return plan;
}

TEST(LayerTimes, CountOtherOperatorsWithTheNextLayer) {
  const Plan plan = PlanOf({{"cast"}, {"conv1", "relu1"}, {"pool"}, {}, {"conv2"}, {"softmax"}});
  EXPECT_EQ(LayerTimes(plan, {1, 10, 2, 3, 20, 4}, {"conv1", "conv2"}), (Times{{"conv1", 11}, {"conv2", 29}}));
}

TEST(LayerTimes, ACallOfSeveralLayersIsSharedAndALayerOfSeveralCallsSummed) {
  const Plan plan = PlanOf({{"a", "b"}, {"c"}, {"c"}});
  EXPECT_EQ(LayerTimes(plan, {10, 3, 4}, {"a", "b", "c", "d"}), (Times{{"a", 5}, {"b", 5}, {"c", 7}}));
}

TEST(LayerTimes, WithoutLayersThereAreNone) { EXPECT_EQ(LayerTimes(PlanOf({{"a"}}), {10}, {"other"}), Times()); }

}  // namespace
}  // namespace hone
