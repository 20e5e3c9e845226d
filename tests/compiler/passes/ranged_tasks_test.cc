// Tuning tasks of a model with a range, and the kernels that a build takes from their records.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "compiler/build.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/ranged_inputs.h"
#include "core/nth.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using ::testing::ElementsAre;

// A dense layer of 1 to 512 rows.
relay::IRModule Rows() {
  const relay::ExprPtr x = Input("x", {512, 64});
  const relay::ExprPtr rows = relay::MakeVar("rows", relay::TensorType({}, DType::kInt64));
  const relay::ExprPtr y = relay::MakeCall("nn.dense", {x, RandomConstant({256, 64}, 1)});
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers({{0, 0, 1, 1}}));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers({{0, 0, 1, 512}}));
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(x),
                                                     std::static_pointer_cast<const relay::Var>(rows)},
      relay::MakeTuple({y, rows}), attrs);
  return relay::InferType(module);
}

std::vector<int64_t> RowsOf(const std::vector<Task>& tasks) {
  std::vector<int64_t> rows;
  for (const Task& task : tasks) rows.push_back(task.workload.data[0]);
  return rows;
}

TEST(RangedTasks, AreTheLayerAtAFewLengths) {
  BuildContext context = TestContext().build;
  const std::vector<Task> usual = ExtractTasks(Rows(), context);
  EXPECT_THAT(RowsOf(usual), ElementsAre(1, 8, 32, 128, 512));
  for (const Task& task : usual) EXPECT_EQ(task.share, 1);
  EXPECT_EQ(usual[1].workload.ToText().substr(0, 33), "nn.dense data=8x64 weight=256x64 ");
  context.lengths = {{{{"rows", 20}}, 30}, {{{"rows", 100}}, 10}};
  const std::vector<Task> given = ExtractTasks(Rows(), context);
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
  const Plan plan = Build(Rows(), options).plan;
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
