// A table of which rows are picked and which a product reads is stored once, and gives the same results.
#include "compiler/passes/layouts/share_tables.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::MakeCall;

// No multiple of the panels that a product packs.
constexpr int64_t kWords = 3001, kWidth = 96, kTableBytes = kWords * kWidth * 4;

ExprPtr Ids() { return relay::MakeVar("ids", relay::TensorType({5}, DType::kInt64)); }

ExprPtr Rows(const ExprPtr& table, const ExprPtr& ids) {
  return MakeCall("take", {table, ids}, {{"axis", int64_t{0}}});
}

relay::IRModule WithIds(const ExprPtr& ids, const ExprPtr& body) {
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(ids)}, body);
  return relay::InferType(module);
}

BuildResult BuiltHere(const relay::IRModule& module) {
  BuildOptions options;
  options.context = TestContext().build;
  options.context.target = HostTarget();
  return Build(module, options);
}

// Rows of both ends, by positions from the front and from the back.
void ExpectReference(const relay::IRModule& module, const BuildResult& built) {
  const Tensor ids = Tensor::FromVector<int64_t>(DType::kInt64, {5}, {0, kWords - 1, 77, -1, -kWords});
  const Tensor want = RunReference(module, {{"ids", ids}}).at(0);
  Session session(Package::FromBytes(built.package, "tied"), {.threads = 1});
  session.SetInput("ids", ids);
  session.Run();
  const Tensor got = session.Output(0);
  ASSERT_EQ(got.shape(), want.shape());
  for (int64_t i = 0; i < want.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 1e-3) << i;
}

TEST(ShareTables, ATiedTableIsStoredOnce) {
  const ExprPtr table = RandomConstant({kWords, kWidth}, 7), ids = Ids();
  const relay::IRModule module =
      WithIds(ids, MakeCall("nn.dense", {MakeCall("tanh", {Rows(table, ids)}), table}, {{"units", kWords}}));
  const BuildResult built = BuiltHere(module);
  EXPECT_LT(built.plan.params_bytes, kTableBytes * 51 / 50);
  ExpectReference(module, built);
}

// Equal elements are found wherever the second table comes from.
TEST(ShareTables, ATableThatIsStoredTwiceByTheModelIsStoredOnce) {
  const ExprPtr ids = Ids();
  const relay::IRModule module = WithIds(
      ids, MakeCall("nn.dense", {Rows(RandomConstant({kWords, kWidth}, 7), ids), RandomConstant({kWords, kWidth}, 7)},
                    {{"units", kWords}}));
  EXPECT_LT(BuiltHere(module).plan.params_bytes, kTableBytes * 51 / 50);
}

TEST(ShareTables, OtherTablesAndOtherUsesStayApart) {
  const ExprPtr table = RandomConstant({kWords, kWidth}, 7), ids = Ids();
  const auto times = [&](const ExprPtr& rows, const ExprPtr& by) {
    return MakeCall("nn.dense", {rows, by}, {{"units", kWords}});
  };
  const relay::IRModule other = WithIds(ids, times(Rows(table, ids), RandomConstant({kWords, kWidth}, 8)));
  const BuildResult built = BuiltHere(other);
  EXPECT_GE(built.plan.params_bytes, 2 * kTableBytes);
  ExpectReference(other, built);
  const ExprPtr scale =
      MakeCall("tanh", {MakeCall("sum", {MakeCall("cast", {ids}, {{"dtype", std::string("float32")}})})});
  const ExprPtr sums =
      MakeCall("sum", {MakeCall("exp", {MakeCall("multiply", {table, scale})})}, {{"axis", std::vector<int64_t>{1}}});
  const relay::IRModule also = WithIds(ids, MakeCall("add", {times(Rows(table, ids), table), sums}));
  const BuildResult kept = BuiltHere(also);
  EXPECT_GE(kept.plan.params_bytes, 2 * kTableBytes) << "the sums read it row by row";
  ExpectReference(also, kept);
}

}  // namespace
}  // namespace hone::testing
