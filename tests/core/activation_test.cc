#include "core/activation.h"

#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

TEST(Activations, AreFoundByNumberAndByOperator) {
  std::set<std::string_view> names;
  for (const ActivationRow& row : Activations()) {
    EXPECT_EQ(FindActivation(row.activation), &row);
    EXPECT_EQ(FindActivation(row.op), &row);
    EXPECT_LE(row.parameters.size(), 2U) << row.name;
    names.insert(row.name);
  }
  EXPECT_EQ(names.size(), Activations().size());
  EXPECT_EQ(FindActivation(Activation::kNone), nullptr);
  EXPECT_EQ(FindActivation("nn.dense"), nullptr);
}

TEST(Activations, SayWhatTheyMakeOfZero) {
  const auto changes = [](Activation a, double lo = 0, double hi = 0) {
    return FindActivation(a)->ChangesZero(lo, hi);
  };
  EXPECT_TRUE(changes(Activation::kSigmoid));
  EXPECT_TRUE(changes(Activation::kClip, 1, 2));
  EXPECT_TRUE(changes(Activation::kClip, -2, -1));
  EXPECT_FALSE(changes(Activation::kClip, -1, 1));
  EXPECT_FALSE(changes(Activation::kRelu));
  EXPECT_FALSE(changes(Activation::kHardSwish));
  EXPECT_FALSE(changes(Activation::kGelu));
}

}  // namespace
}  // namespace hone
