#include "core/activation.h"

#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

TEST(Activations, AreFoundByNameAndByOperator) {
  std::set<std::string_view> names;
  for (const ActivationRow& row : Activations()) {
    EXPECT_EQ(ActivationNamed(row.name), &row);
    EXPECT_EQ(ActivationOfOp(row.op), &row);
    EXPECT_LE(row.parameters.size(), 2U) << row.name;
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), Activations().size());
  EXPECT_EQ(ActivationNamed("none"), nullptr);
  EXPECT_EQ(ActivationOfOp("nn.dense"), nullptr);
}

TEST(Activations, SayWhatTheyMakeOfZero) {
  const auto changes = [](std::string_view name, double lo = 0, double hi = 0) {
    return ActivationNamed(name)->ChangesZero(lo, hi);
  };
  EXPECT_TRUE(changes("sigmoid"));
  EXPECT_TRUE(changes("clip", 1, 2));
  EXPECT_TRUE(changes("clip", -2, -1));
  EXPECT_FALSE(changes("clip", -1, 1));
  EXPECT_FALSE(changes("relu"));
  EXPECT_FALSE(changes("hard_swish"));
  EXPECT_FALSE(changes("gelu"));
}

TEST(Activations, SayWhatTheirFormulasNeed) {
  EXPECT_EQ(KindOf(*ActivationNamed("clip")), FormulaKind::kBounds);
  EXPECT_EQ(KindOf(*ActivationNamed("hard_swish")), FormulaKind::kArithmetic);
  EXPECT_EQ(KindOf(*ActivationNamed("gelu")), FormulaKind::kFunctions);
}

}  // namespace
}  // namespace hone
