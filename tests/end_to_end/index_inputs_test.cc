#include "compiler/plan/index_inputs.h"

#include <gtest/gtest.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using Extents = std::map<std::string, IndexBounds>;

IndexBounds One(int64_t extent) { return {{extent}, 1}; }

Extents ExtentsOf(ModelMaker& maker) {
  return IndexExtents(relay::InferType(ImportOnnxBytes(maker.Bytes(), "m").module));
}

TEST(IndexExtents, AreTheShortestAxisThatAnInputIndexes) {
  ModelMaker maker;
  maker.IntegerInput("ids", onnx::TensorProto::INT32, {1, 5}).IntegerInput("mask", onnx::TensorProto::INT32, {1, 5});
  maker.Filled("words", {40, 8}, 1).Filled("kinds", {3, 8}, 1);
  maker.Node("Gather", {"words", "ids"}, {"a"}).Node("Gather", {"kinds", "ids"}, {"b"}).Node("Add", {"a", "b"}, {"y"});
  maker.Node("Neg", {"mask"}, {"z"}).Output("y").Output("z");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"ids", One(3)}}));
}

TEST(IndexExtents, LookThroughShapes) {
  ModelMaker maker;
  maker.IntegerInput("ids", onnx::TensorProto::INT32, {2, 5}).Filled("words", {40, 8}, 1);
  maker.Ints("all", {-1})
      .Node("Reshape", {"ids", "all"}, {"flat"})
      .Node("Gather", {"words", "flat"}, {"y"})
      .Output("y");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"ids", One(40)}}));
}

TEST(IndexExtents, AreThoseOfScatteredUpdatesToo) {
  ModelMaker maker;
  maker.IntegerInput("rows", onnx::TensorProto::INT64, {5, 1}).IntegerInput("places", onnx::TensorProto::INT64, {1, 8});
  maker.Filled("data", {40, 8}, 1).Filled("five", {5, 8}, 1).Filled("one", {1, 8}, 1);
  maker.Node("ScatterND", {"data", "rows", "five"}, {"y"});
  maker.Node("ScatterElements", {"data", "places", "one"}, {"z"}, {{"axis", int64_t{1}}}).Output("y").Output("z");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"places", One(8)}, {"rows", One(40)}}));
}

TEST(IndexExtents, GiveEachColumnTheExtentOfItsAxis) {
  ModelMaker maker;
  maker.IntegerInput("places", onnx::TensorProto::INT64, {5, 2})
      .IntegerInput("to", onnx::TensorProto::INT64, {3, 2, 2});
  maker.Filled("data", {40, 8, 3}, 1).Filled("updates", {3, 2, 3}, 1);
  maker.Node("GatherND", {"data", "places"}, {"y"}).Node("ScatterND", {"data", "to", "updates"}, {"z"});
  maker.Output("y").Output("z");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"places", {{40, 8}, 1}}, {"to", {{40, 8}, 1}}}));
}

TEST(IndexExtents, BeginBehindTheAxesOfABatch) {
  ModelMaker maker;
  maker.IntegerInput("places", onnx::TensorProto::INT64, {4, 5, 2}).Filled("data", {4, 7, 9, 2}, 1);
  maker.Node("GatherND", {"data", "places"}, {"y"}, {{"batch_dims", int64_t{1}}}).Output("y");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"places", {{7, 9}, 1}}}));
}

TEST(IndexExtents, LookThroughTransposedAndJoinedColumns) {
  ModelMaker maker;
  maker.IntegerInput("columns", onnx::TensorProto::INT64, {2, 5});
  maker.IntegerInput("row", onnx::TensorProto::INT64, {5, 1}).IntegerInput("column", onnx::TensorProto::INT64, {5, 1});
  maker.Filled("data", {40, 8, 3}, 1);
  maker.Node("Transpose", {"columns"}, {"places"}, {{"perm", std::vector<int64_t>{1, 0}}});
  maker.Node("Concat", {"row", "column"}, {"both"}, {{"axis", int64_t{1}}});
  maker.Node("GatherND", {"data", "places"}, {"y"}).Node("GatherND", {"data", "both"}, {"z"}).Output("y").Output("z");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"column", One(8)}, {"columns", {{40, 8}, 5}}, {"row", One(40)}}));
}

TEST(IndexExtents, AreNoneOfElementsThatPickNothing) {
  ModelMaker maker;
  maker.IntegerInput("ids", onnx::TensorProto::INT64, {4, 2}).Filled("words", {40, 8}, 1);
  maker.Ints("begin", {0}).Ints("end", {1}).Ints("axis", {1}).Node("Slice", {"ids", "begin", "end", "axis"}, {"first"});
  maker.Node("Gather", {"words", "first"}, {"y"}).Output("y");
  EXPECT_EQ(ExtentsOf(maker), (Extents{{"ids", {{40, 0}, 1}}}));
}

}  // namespace
}  // namespace hone
