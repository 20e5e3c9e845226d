#include "runtime/item_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/random.h"
#include "tests/runtime/counted_allocations.h"

namespace hone {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Pairs RunsIn(const ItemRuns& runs, int64_t begin, int64_t end) {
  Pairs all;
  runs.ForRuns(begin, end, [&](int64_t from, int64_t to) {
    all.emplace_back(from, to);
    return 0;
  });
  return all;
}

TEST(ItemRuns, TakesTheFirstItemsOfAnInnerAxis) {
  int64_t rows = 3;
  ItemRuns runs({{0, 0, {{3}, {4, 7, 1, 2}}}}, {nullptr, &rows}, 12);
  EXPECT_EQ(RunsIn(runs, 0, 12), (Pairs{{0, 12}})) << "all items before the extents are read";
  runs.Update();
  EXPECT_EQ(runs.items(), 6);
  EXPECT_EQ(RunsIn(runs, 0, 6), (Pairs{{0, 2}, {4, 6}, {8, 10}}));
  EXPECT_EQ(RunsIn(runs, 1, 4), (Pairs{{1, 2}, {4, 6}}));
  rows = 8;
  runs.Update();
  EXPECT_EQ(RunsIn(runs, 0, 12), (Pairs{{0, 12}}));
  rows = 0;
  runs.Update();
  EXPECT_EQ(runs.items(), 0);
  EXPECT_EQ(RunsIn(runs, 0, 0), (Pairs{}));
}

TEST(ItemRuns, StopsAtTheFirstFailure) {
  int64_t rows = 1;
  ItemRuns runs({{0, 0, {{3}, {2, 0}}}}, {nullptr, &rows}, 6);
  runs.Update();
  int calls = 0;
  EXPECT_EQ(runs.ForRuns(0, 3, [&](int64_t, int64_t) { return ++calls == 2 ? 5 : 0; }), 5);
  EXPECT_EQ(calls, 2);
}

// Against a walk over all items, with extents that no run may have among them.
TEST(ItemRuns, AreTheItemsThatEveryAxisNeeds) {
  Random random(7);
  for (int round = 0; round < 500; ++round) {
    const auto below = [&](int64_t n) { return static_cast<int64_t>(random.Below(static_cast<uint64_t>(n))); };
    std::vector<int64_t> values{below(12) - 1, below(12), below(4) == 0 ? INT64_MAX : below(9)};
    std::vector<ItemBox> boxes;
    std::vector<const int64_t*> extents;
    std::vector<bool> needed;
    const auto add = [&](int64_t items) { needed.insert(needed.end(), static_cast<size_t>(items), true); };
    for (int64_t box = below(3); box >= 0; --box) {
      add(below(4));
      ItemBox next{0, static_cast<int64_t>(needed.size()), {}};
      std::vector<std::vector<int64_t>> places{{}};
      for (int64_t axis = below(3); axis >= 0; --axis) {
        const int64_t which = below(4) - 1;
        next.axes.push_back({below(4) + 1, static_cast<int>(which), below(3) + 1, below(3) + 1, below(3)});
        extents.push_back(which < 0 ? nullptr : &values[static_cast<size_t>(which)]);
        std::vector<std::vector<int64_t>> longer;
        for (const auto& place : places) {
          for (int64_t i = 0; i < next.axes.back().items; ++i) {
            longer.push_back(place);
            longer.back().push_back(i);
          }
        }
        places = std::move(longer);
      }
      for (const auto& place : places) {
        bool all = true;
        for (size_t a = 0; a < place.size(); ++a) {
          const ItemAxis& axis = next.axes[a];
          if (axis.extent < 0) continue;
          const int64_t n = std::clamp<int64_t>(values[static_cast<size_t>(axis.extent)], 0, 1000);
          all = all && place[a] * axis.step < n * axis.scale + axis.plus;
        }
        needed.push_back(all);
      }
      boxes.push_back(std::move(next));
    }
    add(below(3));
    ItemRuns runs(boxes, extents, static_cast<int64_t>(needed.size()));
    const int64_t before = testing::Allocations();
    runs.Update();
    EXPECT_EQ(testing::Allocations(), before);
    std::vector<bool> done(needed.size());
    const int64_t cut = runs.items() == 0 ? 0 : below(runs.items() + 1);
    const auto mark = [&](int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i) {
        EXPECT_FALSE(done[static_cast<size_t>(i)]);
        done[static_cast<size_t>(i)] = true;
      }
      return 0;
    };
    runs.ForRuns(0, cut, mark);
    runs.ForRuns(cut, runs.items(), mark);
    ASSERT_EQ(done, needed) << "round " << round;
  }
}

}  // namespace
}  // namespace hone
