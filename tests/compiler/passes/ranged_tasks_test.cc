// Tuning tasks of a model with a range, and the kernels that a build takes from their records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "compiler/build.h"
#include "core/nth.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> RowsOf(const std::vector<Task>& tasks) {
  std::vector<int64_t> rows;
  for (const Task& task : tasks) rows.push_back(task.workload.data[0]);
  return rows;
}

TEST(RangedTasks, AreTheLayerAtAFewLengths) {
  BuildContext context = TestContext().build;
  const std::vector<Task> usual = ExtractTasks(DenseOfRangedRows(), context);
  EXPECT_THAT(RowsOf(usual), ElementsAre(1, 8, 32, 128, 512));
  for (const Task& task : usual) EXPECT_EQ(task.share, 1);
  EXPECT_EQ(usual[1].workload.ToText().substr(0, 33), "nn.dense data=8x64 weight=256x64 ");
  context.lengths = {{{{"rows", 20}}, 30}, {{{"rows", 100}}, 10}};
  const std::vector<Task> given = ExtractTasks(DenseOfRangedRows(), context);
  EXPECT_THAT(RowsOf(given), ElementsAre(20, 100, 512));
  EXPECT_EQ(given[0].share, 0.75);
  EXPECT_EQ(given[1].share, 0.25);
  EXPECT_EQ(given[2].share, 0);
}

// Knows a tile of so many rows for each length.
class TilesByRows : public ConfigSource {
 public:
  explicit TilesByRows(std::map<int64_t, int64_t> tiles) : tiles_(std::move(tiles)) {}
  std::optional<ConfigChoice> Choose(const Workload& workload, const Target&, int,
                                     const std::function<bool(const std::string&, const Config&)>& valid) override {
    const auto tile = tiles_.find(workload.data[0]);
    const Config config({{"oc_block", 16}, {"tile_m", tile == tiles_.end() ? 1 : tile->second}});
    if (tile == tiles_.end() || !valid("dense_pack", config)) return std::nullopt;
    return ConfigChoice{"dense_pack", config, "record", std::to_string(tile->first), 100 * workload.data[0]};
  }

 private:
  std::map<int64_t, int64_t> tiles_;
};

TEST(RangedTasks, ABuildTakesTheRecordsOfEachLength) {
  TilesByRows records({{1, 1}, {8, 4}, {32, 4}, {128, 6}, {512, 6}});
  BuildOptions options;
  options.context = TestContext().build;
  options.configs = &records;
  const Plan plan = Build(DenseOfRangedRows(), options).plan;
  const PlanCall& call = plan.calls.at(0);
  const auto record_of = [&](int kernel) { return Nth(plan.kernels, kernel).dispatch.record; };
  EXPECT_EQ(record_of(call.kernel), "512");
  ASSERT_EQ(call.variants.size(), 2U);
  EXPECT_EQ(record_of(call.variants[0].kernel), "1");
  EXPECT_GE(call.variants[0].limits.at(0).most, 1);
  EXPECT_LT(call.variants[0].limits[0].most, 8);
  EXPECT_GE(call.variants[1].limits.at(0).most, 32);
  EXPECT_LT(call.variants[1].limits[0].most, 128);
}

}  // namespace
}  // namespace hone::testing
