#include "compiler/plan/index_inputs.h"

#include <gtest/gtest.h>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

using Extents = std::map<std::string, int64_t>;

TEST(IndexExtents, AreTheShortestAxisThatAnInputIndexes) {
  ModelMaker maker;
  maker.IntegerInput("ids", onnx::TensorProto::INT32, {1, 5}).IntegerInput("mask", onnx::TensorProto::INT32, {1, 5});
  maker.Filled("words", {40, 8}, 1).Filled("kinds", {3, 8}, 1);
  maker.Node("Gather", {"words", "ids"}, {"a"}).Node("Gather", {"kinds", "ids"}, {"b"}).Node("Add", {"a", "b"}, {"y"});
  maker.Node("Neg", {"mask"}, {"z"}).Output("y").Output("z");
  EXPECT_EQ(IndexExtents(relay::InferType(ImportOnnxBytes(maker.Bytes(), "m").module)), (Extents{{"ids", 3}}));
}

TEST(IndexExtents, LookThroughShapes) {
  ModelMaker maker;
  maker.IntegerInput("ids", onnx::TensorProto::INT32, {2, 5}).Filled("words", {40, 8}, 1);
  maker.Ints("all", {-1})
      .Node("Reshape", {"ids", "all"}, {"flat"})
      .Node("Gather", {"words", "flat"}, {"y"})
      .Output("y");
  EXPECT_EQ(IndexExtents(relay::InferType(ImportOnnxBytes(maker.Bytes(), "m").module)), (Extents{{"ids", 40}}));
}

TEST(IndexExtents, AreThoseOfScatteredUpdatesToo) {
  ModelMaker maker;
  maker.IntegerInput("rows", onnx::TensorProto::INT64, {5, 1}).IntegerInput("places", onnx::TensorProto::INT64, {1, 8});
  maker.Filled("data", {40, 8}, 1).Filled("five", {5, 8}, 1).Filled("one", {1, 8}, 1);
  maker.Node("ScatterND", {"data", "rows", "five"}, {"y"});
  maker.Node("ScatterElements", {"data", "places", "one"}, {"z"}, {{"axis", int64_t{1}}}).Output("y").Output("z");
  EXPECT_EQ(IndexExtents(relay::InferType(ImportOnnxBytes(maker.Bytes(), "m").module)),
            (Extents{{"places", 8}, {"rows", 40}}));
}

}  // namespace
}  // namespace hone
