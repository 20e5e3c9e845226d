#include "lab/bench/start_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace hone {
namespace {

TEST(StartOrder, IsOfChanceAndThenTheReverse) {
  StartOrder orders(4);
  std::set<std::vector<size_t>> seen;
  std::vector<size_t> first(4);
  for (int pair = 0; pair < 50; ++pair) {
    const std::vector<size_t> order = orders.Next(), next = orders.Next();
    EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2, 3));
    EXPECT_EQ(std::vector<size_t>(order.rbegin(), order.rend()), next);
    seen.insert(order);
    ++first[order[0]];
  }
  EXPECT_GT(seen.size(), 10);
  EXPECT_THAT(first, testing::Each(testing::Gt(4)));
}

TEST(StartOrder, MayHaveOneOrNone) {
  EXPECT_THAT(StartOrder(1).Next(), testing::ElementsAre(0));
  EXPECT_THAT(StartOrder(0).Next(), testing::IsEmpty());
}

}  // namespace
}  // namespace hone
