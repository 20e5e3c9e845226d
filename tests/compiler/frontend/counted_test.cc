// Values whose extents a run counts: the operators that find them, and those that read them.
#include <gmock/gmock.h>

#include "compiler/relay/counted_outputs.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Tensor Floats(const Shape& shape, const std::vector<float>& values) {
  return Tensor::FromVector<float>(DType::kFloat32, shape, values);
}
Tensor Int64s(const Shape& shape, const std::vector<int64_t>& values) {
  return Tensor::FromVector<int64_t>(DType::kInt64, shape, values);
}
// x with 6 elements, and the positions p of its nonzero elements, one per row.
ModelMaker WithPlaces() {
  ModelMaker model(13);
  model.Input("x", {6}).Node("NonZero", {"x"}, {"n"}).Node("Transpose", {"n"}, {"p"});
  return model;
}

const Tensor kNone = Floats({6}, {0, 0, 0, 0, 0, 0});
const Tensor kThree = Floats({6}, {0, 5, 6, 0, 7, 0});
const Tensor kAll = Floats({6}, {1, 2, 3, 4, 5, 6});

std::vector<Tensor> ResultsOf(const ModelMaker& model, const Tensor& x, const OnnxImportOptions& options = {}) {
  return RunOnnx(model.Bytes(), {{"x", x}}, options);
}

TEST(OnnxCounted, NonZeroGivesAsManyAsThereAre) {
  ModelMaker model;
  model.Input("x", {2, 3}).Node("NonZero", {"x"}, {"y"}).Output("y");
  const auto found = ResultsOf(model, Floats({2, 3}, {0, 4, 0, 5, 0, 6}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].shape(), (Shape{2, 3}));
  EXPECT_THAT(Values(found[0]), ElementsAre(0, 1, 1, 1, 0, 2));
  EXPECT_EQ(ResultsOf(model, Floats({2, 3}, {0, 0, 0, 0, 0, 0}))[0].shape(), (Shape{2, 0}));
}

TEST(OnnxCounted, CompressTakesWhereTheConditionHolds) {
  ModelMaker model;
  model.Input("x", {6}).Ints("s", {2, 3}).Node("Reshape", {"x", "s"}, {"m"}).Weight("zero", {}, {0});
  model.Node("Greater", {"x", "zero"}, {"c"}).Ints("b", {0}).Ints("e", {3}).Node("Slice", {"c", "b", "e"}, {"d"});
  model.Node("Compress", {"m", "c"}, {"flat"}).Node("Compress", {"m", "d"}, {"y"}, {{"axis", int64_t{1}}});
  model.Output("flat").Output("y");
  const auto taken = ResultsOf(model, kThree);
  EXPECT_THAT(Values(taken[0]), ElementsAre(5, 6, 7));
  EXPECT_EQ(taken[1].shape(), (Shape{2, 2}));
  EXPECT_THAT(Values(taken[1]), ElementsAre(5, 6, 7, 0));
}

TEST(OnnxCounted, ElementsFollowTheirPlaces) {
  ModelMaker model = WithPlaces();
  // Positions past the count read element 0, where x is 0 but xt is not.
  model.Weight("ten", {}, {10}).Node("Add", {"x", "ten"}, {"xt"}).Node("GatherND", {"xt", "p"}, {"g"});
  model.Node("Mul", {"g", "g"}, {"y"}).Node("Shape", {"p"}, {"s"}).Node("ReduceMin", {"g"}, {"min"});
  model.Node("Size", {"y"}, {"z"}).Node("ReduceSum", {"y"}, {"sum"}, {{"keepdims", int64_t{0}}});
  model.Node("ReduceMean", {"g"}, {"mean"}, {{"keepdims", int64_t{0}}}).Node("ReduceMax", {"g"}, {"max"});
  for (const char* name : {"y", "s", "z", "sum", "mean", "max", "min"}) model.Output(name);
  const auto three = ResultsOf(model, kThree);
  EXPECT_THAT(Values(three[0]), ElementsAre(225, 256, 289));
  EXPECT_THAT(Values(three[1]), ElementsAre(3, 1));
  EXPECT_THAT(Values(three[2]), ElementsAre(3));
  EXPECT_THAT(Values(three[3]), ElementsAre(770));
  EXPECT_THAT(Values(three[4]), ElementsAre(16));
  EXPECT_THAT(Values(three[5]), ElementsAre(17));
  EXPECT_THAT(Values(three[6]), ElementsAre(15));
  EXPECT_EQ(ResultsOf(model, kNone)[0].shape(), (Shape{0}));
  EXPECT_THAT(Values(ResultsOf(model, kNone)[3]), ElementsAre(0));
  EXPECT_THAT(Values(ResultsOf(model, kAll)[0]), ElementsAre(121, 144, 169, 196, 225, 256));
}

TEST(OnnxCounted, JoinsLeaveNoGap) {
  ModelMaker model = WithPlaces();
  model.Ints("k", {9});
  for (auto& tensor : *model.graph().mutable_initializer()) tensor.add_dims(1);
  model.Node("Concat", {"p", "k", "p"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
  model.Node("Concat", {"k", "p"}, {"z"}, {{"axis", int64_t{0}}}).Output("z");
  model.Node("Concat", {"p", "p"}, {"w"}, {{"axis", int64_t{1}}}).Output("w");
  model.Node("Concat", {"k", "p", "k", "k", "p", "p", "k", "k"}, {"v"}, {{"axis", int64_t{0}}}).Output("v");
  const auto three = ResultsOf(model, kThree);
  EXPECT_THAT(Values(three[0]), ElementsAre(1, 2, 4, 9, 1, 2, 4));
  EXPECT_THAT(Values(three[1]), ElementsAre(9, 1, 2, 4));
  EXPECT_EQ(three[2].shape(), (Shape{3, 2}));
  EXPECT_THAT(Values(three[3]), ElementsAre(9, 1, 2, 4, 9, 9, 1, 2, 4, 1, 2, 4, 9, 9));
  EXPECT_THAT(Values(ResultsOf(model, kNone)[0]), ElementsAre(9));
  EXPECT_THAT(Values(ResultsOf(model, kNone)[3]), ElementsAre(9, 9, 9, 9, 9));
}

TEST(OnnxCounted, SlicesCountFromTheEndThatIsThere) {
  ModelMaker model = WithPlaces();
  model.Ints("a", {0}).Ints("m1", {-1}).Ints("m2", {-2}).Ints("far", {1000}).Ints("back", {-1000}).Ints("two", {2});
  model.Node("Slice", {"p", "m2", "far", "a"}, {"last"}).Node("Slice", {"p", "a", "m1", "a"}, {"but_last"});
  model.Node("Slice", {"p", "m1", "back", "a", "m1"}, {"reversed"}).Node("Slice", {"p", "a", "two", "a"}, {"first"});
  for (const char* name : {"last", "but_last", "reversed", "first"}) model.Output(name);
  const auto three = ResultsOf(model, kThree);
  EXPECT_THAT(Values(three[0]), ElementsAre(2, 4));
  EXPECT_THAT(Values(three[1]), ElementsAre(1, 2));
  EXPECT_THAT(Values(three[2]), ElementsAre(4, 2, 1));
  EXPECT_THAT(Values(three[3]), ElementsAre(1, 2));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ResultsOf(model, kNone)[static_cast<size_t>(i)].shape(), (Shape{0, 1}));
}

TEST(OnnxCounted, GatherTakesOnlyWhatIsThere) {
  for (const int64_t index : {-3, -1, 2}) {
    ModelMaker model = WithPlaces();
    model.Ints("i", {index}).Node("Gather", {"p", "i"}, {"y"}, {{"axis", int64_t{0}}}).Output("y");
    EXPECT_THAT(Values(ResultsOf(model, kThree)[0]), ElementsAre(index == -3 ? 1 : 4));
    EXPECT_THROW(ResultsOf(model, kNone), Error);
  }
}

TEST(OnnxCounted, ReshapesCarryCounts) {
  ModelMaker model(13);
  model.Input("x", {6}).Ints("s", {3, 2}).Node("Reshape", {"x", "s"}, {"m"}).Node("NonZero", {"m"}, {"n"});
  model.Node("Transpose", {"n"}, {"p"}).Ints("flat", {-1}).Ints("pairs", {1, -1, 2});
  model.Node("Reshape", {"p", "flat"}, {"f"}).Node("Reshape", {"f", "pairs"}, {"y"});
  model.Node("Shape", {"p"}, {"shape"}).Node("Reshape", {"y", "shape"}, {"z"});
  for (const char* name : {"f", "y", "z"}) model.Output(name);
  const auto three = ResultsOf(model, kThree);
  EXPECT_THAT(Values(three[0]), ElementsAre(0, 1, 1, 0, 2, 0));
  EXPECT_EQ(three[1].shape(), (Shape{1, 3, 2}));
  EXPECT_EQ(three[2].shape(), (Shape{3, 2}));
}

TEST(OnnxCounted, SuppressionGivesTheBoxesThatStay) {
  ModelMaker model(13);
  model.Input("boxes", {1, 3, 4}).Input("scores", {1, 2, 3}).Ints("k", {2}).Weight("i", {1}, {0.5F});
  model.Weight("t", {1}, {0.25F}).Node("NonMaxSuppression", {"boxes", "scores", "k", "i", "t"}, {"y"}).Output("y");
  const Tensor boxes = Floats({1, 3, 4}, {0, 0, 1, 1, 0, 0.1F, 1, 1.1F, 0, 5, 1, 6});
  const auto run = [&](const std::vector<float>& scores) {
    return RunOnnx(model.Bytes(), {{"boxes", boxes}, {"scores", Floats({1, 2, 3}, scores)}})[0];
  };
  EXPECT_THAT(Values(run({0.3F, 0.9F, 0.8F, 0.5F, 0.2F, 0.1F})), ElementsAre(0, 0, 1, 0, 0, 2, 0, 1, 0));
  EXPECT_EQ(run({0, 0, 0, 0, 0, 0}).shape(), (Shape{0, 3}));
}

// No score is below a threshold that is left out.
TEST(OnnxCounted, SuppressionTakesNoBoxBehindTheCount) {
  for (const int64_t most : {int64_t{4}, INT64_MAX}) {
    ModelMaker model = WithPlaces();
    model.Weight("all", {6, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 0, 0, 1, 1});
    model.Node("GatherND", {"x", "p"}, {"s"})
        .Node("GatherND", {"all", "p"}, {"b"})
        .Ints("first", {0})
        .Ints("both", {0, 1});
    model.Node("Unsqueeze", {"b", "first"}, {"boxes"}).Node("Unsqueeze", {"s", "both"}, {"scores"}).Ints("k", {most});
    model.Node("NonMaxSuppression", {"boxes", "scores", "k"}, {"y"}).Output("y");
    EXPECT_THAT(Values(ResultsOf(model, kThree)[0]), ElementsAre(0, 0, 2, 0, 0, 1, 0, 0, 0));
    const Tensor all = ResultsOf(model, kAll)[0];
    EXPECT_EQ(all.shape(), (Shape{most == 4 ? 4 : 5, 3}));
    EXPECT_EQ(Values(all)[11], 2) << "the box of the fourth score";
    EXPECT_EQ(ResultsOf(model, kNone)[0].shape(), (Shape{0, 3}));
  }
}

TEST(OnnxCounted, TopKTakesAComputedNumber) {
  ModelMaker model(13);
  model.Input("x", {6}).IntegerInput("k", 7, {1}).Node("TopK", {"x", "k"}, {"v", "i"}).Output("v").Output("i");
  const auto best = RunOnnx(model.Bytes(), {{"x", kThree}, {"k", Int64s({1}, {2})}});
  EXPECT_THAT(Values(best[0]), ElementsAre(7, 6));
  EXPECT_THAT(Values(best[1]), ElementsAre(4, 2));
  EXPECT_THROW(RunOnnx(model.Bytes(), {{"x", kThree}, {"k", Int64s({1}, {7})}}), Error);
  EXPECT_THROW(RunOnnx(model.Bytes(), {{"x", kThree}, {"k", Int64s({1}, {3})}}, {.max_dim = 2}), Error);
}

TEST(OnnxCounted, ComputedShapesNeedABound) {
  ModelMaker model(13);
  model.IntegerInput("n", 7, {1}).Ints("zero", {0}).Ints("one", {1}).Weight("c", {1, 1}, {5}).Ints("two", {2});
  for (auto& tensor : *model.graph().mutable_initializer()) {
    if (tensor.name() == "one") tensor.clear_dims();
  }
  model.Node("Squeeze", {"n"}, {"l"}).Node("Squeeze", {"zero"}, {"b"}).Node("Range", {"b", "l", "one"}, {"r"});
  model.Node("ConstantOfShape", {"n"}, {"z"});
  model.Node("Concat", {"n", "two"}, {"s"}, {{"axis", int64_t{0}}}).Node("Expand", {"c", "s"}, {"e"});
  model.Output("r").Output("z").Output("e");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("must be known when the model is imported; --max-dim N gives"));
  const auto of = [&](int64_t n) { return RunOnnx(model.Bytes(), {{"n", Int64s({1}, {n})}}, {.max_dim = 8}); };
  EXPECT_THAT(Values(of(3)[0]), ElementsAre(0, 1, 2));
  EXPECT_THAT(Values(of(3)[1]), ElementsAre(0, 0, 0));
  EXPECT_EQ(of(3)[2].shape(), (Shape{3, 2}));
  EXPECT_EQ(of(0)[0].shape(), (Shape{0}));
  EXPECT_EQ(of(8)[0].shape(), (Shape{8}));
  EXPECT_THROW(of(9), Error);
}

TEST(OnnxCounted, UniqueInEitherOrder) {
  ModelMaker model(13);
  model.Input("x", {6}).Node("Unique", {"x"}, {"y", "i", "v", "c"});
  model.Node("Unique", {"x"}, {"y0", "i0", "v0", "c0"}, {{"sorted", int64_t{0}}});
  for (const char* name : {"y", "i", "v", "c", "y0", "i0", "v0", "c0"}) model.Output(name);
  const auto unique = ResultsOf(model, Floats({6}, {2, 1, 1, 3, 4, 3}));
  EXPECT_THAT(Values(unique[0]), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Values(unique[1]), ElementsAre(1, 0, 3, 4));
  EXPECT_THAT(Values(unique[2]), ElementsAre(1, 0, 0, 2, 3, 2));
  EXPECT_THAT(Values(unique[3]), ElementsAre(2, 1, 2, 1));
  EXPECT_THAT(Values(unique[4]), ElementsAre(2, 1, 3, 4));
  EXPECT_THAT(Values(unique[5]), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(Values(unique[6]), ElementsAre(0, 1, 1, 2, 3, 2));
  EXPECT_THAT(Values(unique[7]), ElementsAre(1, 2, 2, 1));
}

TEST(OnnxCounted, UniqueSlicesInOrderOfTheirElements) {
  ModelMaker model(13);
  model.Input("x", {4, 2}).Node("Unique", {"x"}, {"y", "i", "v", "c"}, {{"axis", int64_t{0}}});
  for (const char* name : {"y", "i", "v", "c"}) model.Output(name);
  const auto unique = ResultsOf(model, Floats({4, 2}, {2, 1, 1, 9, 2, 0, 1, 9}));
  EXPECT_EQ(unique[0].shape(), (Shape{3, 2}));
  EXPECT_THAT(Values(unique[0]), ElementsAre(1, 9, 2, 0, 2, 1));
  EXPECT_THAT(Values(unique[1]), ElementsAre(1, 2, 0));
  EXPECT_THAT(Values(unique[2]), ElementsAre(2, 0, 1, 0));
  EXPECT_THAT(Values(unique[3]), ElementsAre(2, 1, 1));
}

TEST(OnnxCounted, BranchesMayDifferInExtents) {
  ModelMaker model(13), then(13), otherwise(13);
  model.Input("x", {6}).IntegerInput("c", 9, {}).Ints("a", {1}).Ints("b", {4});
  model.Node("If", {"c"}, {"y"}).Output("y");
  then.Node("Slice", {"x", "a", "b"}, {"t"}).Output("t");
  otherwise.Node("Abs", {"x"}, {"t"}).Output("t");
  for (auto& [name, body] : {std::pair{"then_branch", &then}, std::pair{"else_branch", &otherwise}}) {
    auto& attribute = *model.graph().mutable_node(0)->add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::GRAPH);
    *attribute.mutable_g() = body->graph();
  }
  const auto of = [&](bool c) {
    Tensor condition(DType::kBool, {});
    condition.Set(0, c ? 1 : 0);
    return RunOnnx(model.Bytes(), {{"x", kAll}, {"c", condition}})[0];
  };
  EXPECT_THAT(Values(of(true)), ElementsAre(2, 3, 4));
  EXPECT_THAT(Values(of(false)), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(OnnxCounted, SumsRunAlongWhatIsCounted) {
  ModelMaker model = WithPlaces();
  model.Ints("a", {0}).Node("CumSum", {"p", "a"}, {"y"}).Output("y");
  EXPECT_THAT(Values(ResultsOf(model, kThree)[0]), ElementsAre(1, 3, 7));
  EXPECT_EQ(ResultsOf(model, kNone)[0].shape(), (Shape{0, 1}));
}

TEST(OnnxCounted, RefusesWhatWouldHaveToKnow) {
  ModelMaker reversed = WithPlaces();
  reversed.Ints("l", {1}).Node("ReverseSequence", {"p", "l"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(reversed.Bytes()),
              HasSubstr("node \"y\" (ReverseSequence): an input's extent is counted in a run, which this operator does "
                        "not take"));
  ModelMaker known = WithPlaces();
  known.Node("GatherND", {"x", "p"}, {"g"}).Node("Add", {"g", "x"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(known.Bytes()), HasSubstr("add of an axis whose extent is counted in a run and one of 6"));
}

TEST(OnnxCounted, SeparateCountsMustAgreeInARun) {
  ModelMaker model = WithPlaces();
  model.Node("Relu", {"x"}, {"z"}).Node("NonZero", {"z"}, {"n2"}).Node("Transpose", {"n2"}, {"p2"});
  model.Node("Add", {"p", "p2"}, {"y"}).Output("y");
  EXPECT_THAT(Values(ResultsOf(model, kThree)[0]), ElementsAre(2, 4, 8));
  EXPECT_THROW(ResultsOf(model, Floats({6}, {0, 5, -6, 0, 7, 0})), Error);
}

TEST(OnnxCounted, ReshapesGatherWhatIsThere) {
  ModelMaker model = WithPlaces();
  model.Node("Concat", {"n", "n"}, {"two"}, {{"axis", int64_t{0}}}).Ints("flat", {-1}).Ints("halves", {-1, 2});
  model.Node("Reshape", {"two", "flat"}, {"y"}).Node("Reshape", {"two", "halves"}, {"z"}).Output("y").Output("z");
  EXPECT_THAT(Values(ResultsOf(model, kThree)[0]), ElementsAre(1, 2, 4, 1, 2, 4));
  EXPECT_THAT(Values(ResultsOf(model, kThree)[1]), ElementsAre(1, 2, 4, 1, 2, 4));
  EXPECT_EQ(ResultsOf(model, kThree)[1].shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace hone
