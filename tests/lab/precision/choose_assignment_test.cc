#include "lab/precision/choose_assignment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/random.h"

namespace hone {
namespace {

constexpr LayerPrecision kFloat = LayerPrecision::kFloat32, kBFloat = LayerPrecision::kBFloat16,
                         kInt8 = LayerPrecision::kInt8;

LayerOptions Layer(const std::string& name, double float_ns, double int8_ns, double int8_error, double change_ns = 0) {
  return {name, {{kFloat, float_ns, 0}, {kInt8, int8_ns, int8_error}}, change_ns};
}

struct Cost {
  double ns = 0, squared_error = 0;
};
Cost CostOf(const std::vector<LayerOptions>& layers, const Assignment& assignment) {
  Cost cost;
  LayerPrecision before = PrecisionIn(assignment, layers[0].layer);
  for (const LayerOptions& layer : layers) {
    const LayerPrecision own = PrecisionIn(assignment, layer.layer);
    for (const PrecisionOption& option : layer.options) {
      if (option.precision != own) continue;
      cost.ns += option.ns + (own != before ? layer.change_ns : 0);
      cost.squared_error += option.squared_error;
    }
    before = own;
  }
  return cost;
}

TEST(ChooseAssignment, TakesTheFastestWhereTheBudgetAllowsAll) {
  const std::vector<LayerOptions> layers{Layer("a", 10, 4, 1), Layer("b", 10, 12, 1)};
  EXPECT_EQ(ChooseAssignment(layers, 2), (Assignment{{"a", kInt8}, {"b", kFloat}}));
  EXPECT_EQ(ChooseAssignment(layers, std::numeric_limits<double>::infinity()),
            (Assignment{{"a", kInt8}, {"b", kFloat}}));
}

TEST(ChooseAssignment, OfABudgetOfZeroOnlyWhatIsExactIsTaken) {
  const std::vector<LayerOptions> layers{Layer("a", 10, 4, 1e-12), Layer("b", 10, 4, 0)};
  EXPECT_EQ(ChooseAssignment(layers, 0), (Assignment{{"a", kFloat}, {"b", kInt8}}));
}

// The greedy choice by time takes a, which spends the budget; the best choice is b and c.
TEST(ChooseAssignment, SpendsTheBudgetWhereItSavesMost) {
  const std::vector<LayerOptions> layers{Layer("a", 10, 3, 1), Layer("b", 10, 5, 0.5), Layer("c", 10, 5, 0.49)};
  EXPECT_EQ(ChooseAssignment(layers, 1), (Assignment{{"a", kFloat}, {"b", kInt8}, {"c", kInt8}}));
}

TEST(ChooseAssignment, AChangeThatCostsMoreThanItSavesIsNotMade) {
  std::vector<LayerOptions> layers{Layer("a", 10, 9, 0, 5), Layer("b", 10, 12, 0, 5), Layer("c", 10, 9, 0, 5)};
  EXPECT_EQ(ChooseAssignment(layers, 1), (Assignment{{"a", kFloat}, {"b", kFloat}, {"c", kFloat}}));
  layers[0].options[1].ns = 4;
  layers[2].options[1].ns = 8;
  EXPECT_EQ(ChooseAssignment(layers, 1), (Assignment{{"a", kInt8}, {"b", kInt8}, {"c", kInt8}}));
}

TEST(ChooseAssignment, AnErrorWithoutBoundIsNeverTaken) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ChooseAssignment({Layer("a", 10, 1, infinite), Layer("b", 10, 1, std::nan(""))}, 1),
            (Assignment{{"a", kFloat}, {"b", kFloat}}));
}

TEST(ChooseAssignment, NothingToChooseIsNothing) { EXPECT_TRUE(ChooseAssignment({}, 1).empty()); }

// Compared with all combinations: never over the budget, and no slower than the best one under a slightly smaller
// budget.
TEST(ChooseAssignment, IsTheBestOfAllCombinations) {
  Random random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<LayerOptions> layers;
    for (int i = 0; i < 6; ++i) {
      LayerOptions layer{std::to_string(i), {{kFloat, 5 + random.Uniform(), 0}}, random.Uniform()};
      for (const LayerPrecision other : {kBFloat, kInt8}) {
        layer.options.push_back({other, 7 * random.Uniform(), random.Uniform()});
      }
      layers.push_back(layer);
    }
    const double budget = 3 * random.Uniform();
    const Cost chosen = CostOf(layers, ChooseAssignment(layers, budget));
    EXPECT_LE(chosen.squared_error, budget);
    double best = std::numeric_limits<double>::infinity();
    for (int code = 0; code < 729; ++code) {
      Assignment assignment;
      for (int i = 0, rest = code; i < 6; ++i, rest /= 3) {
        assignment[std::to_string(i)] = static_cast<LayerPrecision>(rest % 3);
      }
      const Cost cost = CostOf(layers, assignment);
      if (cost.squared_error <= budget * (1 - 6.0 / 4096)) best = std::min(best, cost.ns);
    }
    EXPECT_LE(chosen.ns, best + 1e-9) << round;
  }
}

}  // namespace
}  // namespace hone
