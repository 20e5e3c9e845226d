// The steps before and after classical models (ai.onnx.ml), with values worked out by hand.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ModelMaker Feature(const std::string& op, const std::vector<std::pair<std::string, TestAttribute>>& attributes) {
  ModelMaker model;
  model.Input("x", {2, 2}).Node(op, {"x"}, {"y"}, attributes).Domain("ai.onnx.ml").Output("y");
  return model;
}

ModelMaker& AddFloats(ModelMaker& model, const std::string& name, const std::vector<float>& values) {
  auto& attribute = *model.graph().mutable_node(0)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::FLOATS);
  attribute.mutable_floats()->Assign(values.begin(), values.end());
  return model;
}

std::vector<float> RunIt(const ModelMaker& model, const std::vector<float>& x) {
  return Values(RunOnnx(model.Bytes(), {{"x", Tensor::FromVector(DType::kFloat32, {2, 2}, x)}})[0]);
}

TEST(OnnxFeatures, ImputesWhatIsMissing) {
  const float nan = std::nanf("");
  ModelMaker numbers = Feature("Imputer", {{"replaced_value_float", static_cast<double>(nan)}});
  EXPECT_THAT(RunIt(AddFloats(numbers, "imputed_value_floats", {7, 8}), {nan, 1, 2, nan}), ElementsAre(7, 1, 2, 8));
  ModelMaker ones = Feature("Imputer", {{"replaced_value_float", -1.0}});
  EXPECT_THAT(RunIt(AddFloats(ones, "imputed_value_floats", {5}), {-1, 1, 2, -1}), ElementsAre(5, 1, 2, 5));
  ModelMaker three = Feature("Imputer", {});
  EXPECT_THAT(ImportError(AddFloats(three, "imputed_value_floats", {1, 2, 3}).Bytes()),
              HasSubstr("imputed_value_floats holds 3 numbers for 2 features"));
}

TEST(OnnxFeatures, EncodesNumbers) {
  const float nan = std::nanf("");
  ModelMaker model =
      Feature("LabelEncoder", {{"values_int64s", std::vector<int64_t>{10, 20, 30}}, {"default_int64", int64_t{-7}}});
  AddFloats(model, "keys_floats", {2, nan, 2});
  EXPECT_THAT(RunIt(model, {2, nan, 3, 2}), ElementsAre(10, 20, -7, 10));
  ModelMaker text = Feature("LabelEncoder", {{"values_int64s", std::vector<int64_t>{1}}});
  EXPECT_THAT(ImportError(text.Bytes()), HasSubstr("text is not supported"));
  ModelMaker uneven = Feature(
      "LabelEncoder", {{"keys_int64s", std::vector<int64_t>{1, 2}}, {"values_int64s", std::vector<int64_t>{1}}});
  EXPECT_THAT(ImportError(uneven.Bytes()), HasSubstr("2 keys and 1 values"));
}

TEST(OnnxFeatures, SpreadsCategories) {
  const ModelMaker model = Feature("OneHotEncoder", {{"cats_int64s", std::vector<int64_t>{4, 1}}});
  EXPECT_THAT(RunIt(model, {1, 4, 9, 1}), ElementsAre(0, 1, 1, 0, 0, 0, 0, 1));
}

TEST(OnnxFeatures, PutsColumnsSideBySide) {
  ModelMaker model;
  model.Input("x", {2, 2}).IntegerInput("i", onnx::TensorProto::INT64, {2, 1});
  model.Node("FeatureVectorizer", {"x", "i"}, {"y"}, {{"inputdimensions", std::vector<int64_t>{2, 1}}});
  model.Domain("ai.onnx.ml").Output("y");
  const Tensor column = Tensor::FromVector<int64_t>(DType::kInt64, {2, 1}, {8, 9});
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({2, 2})}, {"i", column}})[0]),
              ElementsAre(0, 1, 8, 2, 3, 9));
}

TEST(OnnxFeatures, GivesMapsAsMatrices) {
  const auto zipped = [](std::vector<int64_t> labels) { return Feature("ZipMap", {{"classlabels_int64s", labels}}); };
  EXPECT_THAT(RunIt(zipped({7, 3}), {1, 4, 9, 1}), ElementsAre(1, 4, 9, 1));
  EXPECT_THAT(ImportOnnxBytes(zipped({7, 3}).Bytes(), "m").notices,
              ElementsAre(HasSubstr("is a matrix with a column for each label")));
  EXPECT_THAT(ImportError(zipped({7, 3, 1}).Bytes()), HasSubstr("X holds 2 numbers for 3 labels"));
}

}  // namespace
}  // namespace hone
