#include <bit>
#include <cmath>

#include "compiler/ops/trees/op_tree_node.h"
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor Int32s(Shape shape, const std::vector<int32_t>& values) {
  return Tensor::FromVector(DType::kInt32, std::move(shape), values);
}

int32_t Word(int32_t feature, int32_t outcomes) { return feature << kTreeOutcomeBits | outcomes; }
int32_t Bits(float threshold) { return std::bit_cast<int32_t>(threshold); }

// x0 < 1 ? leaf 0 : x1 >= 2 ? leaf 1 : leaf 2, and a tree that is leaf 1. Each leaf has a weight for both targets.
struct Example {
  Tensor data = Floats({3, 2}, {0, 9, 1, 2, 1, 1});
  Tensor nodes = Int32s({2, 4}, {Word(0, kLess), Bits(1), ~0, 1, Word(1, kGreater | kEqual), Bits(2), ~1, ~2});
  Tensor roots = Int32s({2}, {0, ~1});
  Tensor weights = Floats({3, 2}, {1, 10, 2, 20, 4, -40});
  Attrs attrs{{"targets", int64_t{2}}, {"varies", kAllTreeOutcomes}};
};

TEST(TreeEnsemble, JoinsTheLeavesThatRowsComeTo) {
  Example e;
  EXPECT_THAT(RunFor("tree_ensemble", {e.data, e.nodes, e.roots, e.weights}, e.attrs),
              ElementsAre(3, 30, 4, 40, 6, -20));
  e.attrs.Set("aggregate", std::string("max"));
  EXPECT_THAT(RunFor("tree_ensemble", {e.data, e.nodes, e.roots, e.weights}, e.attrs),
              ElementsAre(2, 20, 2, 20, 4, 20));
  e.attrs.Set("aggregate", std::string("min"));
  EXPECT_THAT(RunFor("tree_ensemble", {e.data, e.nodes, e.roots, e.weights}, e.attrs),
              ElementsAre(1, 10, 2, 20, 2, -40));
}

TEST(TreeEnsemble, SendsNanWhereTheSetSays) {
  Example e;
  e.data = Floats({1, 2}, {std::nanf(""), std::nanf("")});
  EXPECT_THAT(RunFor("tree_ensemble", {e.data, e.nodes, e.roots, e.weights}, e.attrs), ElementsAre(6, -20));
  e.attrs = {{"targets", int64_t{2}}, {"always", int64_t{kUnordered}}, {"varies", int64_t{kLess}}};
  EXPECT_THAT(RunFor("tree_ensemble", {e.data, e.nodes, e.roots, e.weights}, e.attrs), ElementsAre(3, 30));
}

TEST(TreeEnsemble, WeightsMayNameTheirTargets) {
  Example e;
  e.attrs.Set("targets", int64_t{3});
  const Tensor to = Int32s({3, 2}, {2, 2, 0, 1, 1, 1});
  EXPECT_THAT(RunFor("tree_ensemble", {e.data, e.nodes, e.roots, e.weights, to}, e.attrs),
              ElementsAre(2, 20, 11, 4, 40, 0, 2, -16, 0));
}

std::string Failure(const Example& e) {
  try {
    RunOp("tree_ensemble", {e.data, e.nodes, e.roots, e.weights}, e.attrs);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(TreeEnsemble, TablesAreHeldToTheirRanges) {
  Example circle;
  circle.nodes.data<int32_t>()[3] = 0;
  EXPECT_THAT(Failure(circle), HasSubstr("tree 0 does not end in a leaf"));
  Example outside;
  outside.nodes.data<int32_t>()[3] = 2;
  EXPECT_THAT(Failure(outside), HasSubstr("tree 0 does not end in a leaf"));
  Example leaf;
  leaf.roots.data<int32_t>()[1] = ~3;
  EXPECT_THAT(Failure(leaf), HasSubstr("leaf 3 of 3"));
  Example feature;
  feature.nodes.data<int32_t>()[0] = Word(2, kLess);
  EXPECT_THAT(Failure(feature), HasSubstr("feature 2 of 2"));
}

TEST(TreeEnsembleType, HoldsTablesTogether) {
  const TypePtr data = TensorType({5, 3}), nodes = TensorType({4, 4}, DType::kInt32),
                roots = TensorType({2}, DType::kInt32), weights = TensorType({6, 2});
  const auto result = [&](const std::vector<TypePtr>& args, const Attrs& attrs) {
    return ResultType("tree_ensemble", args, attrs);
  };
  const Attrs two{{"targets", int64_t{2}}};
  EXPECT_EQ(result({data, nodes, roots, weights}, two), "Tensor[(5, 2), float32]");
  EXPECT_THAT(result({data, nodes, roots, weights}, {{"targets", int64_t{3}}}), HasSubstr("without leaf_targets"));
  EXPECT_THAT(result({data, TensorType({3, 4}, DType::kInt32), roots, weights}, two), HasSubstr("a power of two"));
  EXPECT_THAT(result({data, TensorType({4, 4}), roots, weights}, two), HasSubstr("it must be int32"));
  EXPECT_THAT(result({data, nodes, roots, weights}, {{"targets", int64_t{2}}, {"aggregate", std::string("mean")}}),
              HasSubstr("it must be sum, min or max"));
  EXPECT_THAT(result({data, nodes, roots, weights}, {{"targets", int64_t{2}}, {"always", int64_t{16}}}),
              HasSubstr("must be sets of the outcomes"));
}

}  // namespace
}  // namespace hone::relay
