// The rows of ONNX operators say what the importer makes of them. The nodes that this program's tests import become
// only Relay operators that their rows name. All tests together make every one of these.
#include "tests/compiler/frontend/made_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/frontend/onnx/onnx_operators.h"
#include "compiler/relay/op.h"
#include "core/error.h"
#include "tests/compiler/frontend/model_maker.h"

namespace hone {
namespace {

MadeOperators Table() {
  MadeOperators table;
  for (const relay::OpDef* op : relay::AllOps()) {
    for (const std::string_view onnx : OnnxOperatorsOf(op->name)) table.emplace(op->name, onnx);
  }
  return table;
}

std::string TextOf(const MadeOperators& pairs) {
  std::string text;
  for (const auto& [relay, onnx] : pairs) text += onnx + " as " + relay + "\n";
  return text;
}

MadeOperators Without(const MadeOperators& all, const MadeOperators& those) {
  MadeOperators rest;
  std::set_difference(all.begin(), all.end(), those.begin(), those.end(), std::inserter(rest, rest.end()));
  return rest;
}

// Compares at the end, after all tests of this process.
class TableIsWhatWasSeen : public testing::Environment {
 public:
  void TearDown() override {
    const MadeOperators& seen = SeenMadeOperators();
    if (const char* path = std::getenv("HONE_WRITE_MADE_OPERATORS")) Write(path, seen);
    EXPECT_EQ(TextOf(Without(seen, Table())), "")
        << "is not in the operator's row (compiler/ops/*/onnx*.cc, `becomes`)";
    const testing::UnitTest& all = *testing::UnitTest::GetInstance();
    if (all.test_to_run_count() < all.total_test_count() - all.disabled_test_count()) return;
    EXPECT_EQ(TextOf(Without(Table(), seen)), "") << "is in the operator's row, and no test makes it";
  }

 private:
  static void Write(const char* path, const MadeOperators& seen) {
    std::FILE* file = std::fopen(path, "w");
    for (const auto& [relay, onnx] : seen) std::fprintf(file, "%s %s\n", relay.c_str(), onnx.c_str());
    std::fclose(file);
  }
};
const testing::Environment* const kLooksBack = testing::AddGlobalTestEnvironment(new TableIsWhatWasSeen);

TEST(MadeOperators, AreThoseOfBothRegistries) {
  const std::vector<std::string_view> names = OnnxOperatorNames();
  for (const auto& [relay, onnx] : Table()) EXPECT_THAT(names, testing::Contains(onnx)) << relay;
  EXPECT_TRUE(OnnxOperatorsOf("no.such").empty());
  const auto convolutions = OnnxOperatorsOf("nn.conv2d");
  EXPECT_THAT(convolutions, testing::Contains("Conv"));
  EXPECT_TRUE(std::is_sorted(convolutions.begin(), convolutions.end()));
}

// Imports a model of one node that takes x and y of 2 x 4 floats, and records the operators that it became.
void Import(const std::string& op, int inputs,
            const std::vector<std::pair<std::string, TestAttribute>>& attributes = {}, int64_t opset = 13) {
  SCOPED_TRACE(op);
  ModelMaker model(opset);
  std::vector<std::string> names = {"x", "y"};
  names.resize(static_cast<size_t>(inputs));
  for (const std::string& name : names) model.Input(name, {2, 4});
  const std::string bytes = model.Node(op, names, {"z"}, attributes).Output("z").Bytes();
  RecordMadeOperators(bytes, ImportOnnxBytes(bytes, "test").module);
}

// Operators that no other test of this program imports; random graphs compute them.
TEST(MadeOperators, OfNodesThatAreOneOperatorEach) {
  for (const char* op : {"Abs", "Atan", "Ceil", "Cos", "Erf", "Floor", "HardSigmoid", "HardSwish", "LeakyRelu", "Log",
                         "Reciprocal", "Round", "Sigmoid", "Sign", "Sin", "Sqrt", "LogSoftmax"}) {
    Import(op, 1);
  }
  for (const char* op :
       {"Div", "Sub", "Pow", "Max", "Min", "Sum", "Equal", "Greater", "GreaterOrEqual", "LessOrEqual"}) {
    Import(op, 2);
  }
  Import("Mod", 2, {{"fmod", int64_t{1}}});
  Import("ReduceMax", 1, {{"axes", std::vector<int64_t>{1}}});
  Import("ReduceMean", 1, {{"axes", std::vector<int64_t>{1}}});
  Import("ArgMin", 1, {{"axis", int64_t{1}}});
  Import("Unsqueeze", 1, {{"axes", std::vector<int64_t>{0}}}, 11);
  Import("Cast", 1, {{"to", int64_t{6}}});
  Import("SwiGLU", 2, {}, 28);
}

TEST(MadeOperators, OfTruthValues) {
  ModelMaker model;
  model.Input("x", {2, 4}).Input("y", {2, 4}).Ints("shape", {3, 2, 4}).IntegerInput("i", 7, {2, 4});
  model.Node("Less", {"x", "y"}, {"a"}).Node("Greater", {"x", "y"}, {"b"}).Node("CastLike", {"x", "i"}, {"like"});
  model.Node("And", {"a", "b"}, {"and"}).Node("Or", {"and", "b"}, {"or"}).Node("Xor", {"or", "a"}, {"xor"});
  model.Node("Not", {"xor"}, {"not"})
      .Node("Where", {"not", "x", "y"}, {"where"})
      .Node("Expand", {"where", "shape"}, {"z"});
  model.Weight("values", {2}, {0, 1}).Ints("depth", {5}).Node("OneHot", {"i", "depth", "values"}, {"hot"});
  model.Node("Scatter", {"x", "i", "y"}, {"scattered"});
  const std::string bytes = model.Output("z").Output("hot").Output("like").Output("scattered").Bytes();
  RecordMadeOperators(bytes, ImportOnnxBytes(bytes, "test").module);
}

TEST(MadeOperators, OfBits) {
  constexpr int kUInt8 = 2;
  ModelMaker model(18);
  model.IntegerInput("x", kUInt8, {4}).IntegerInput("y", kUInt8, {4});
  model.Node("BitwiseAnd", {"x", "y"}, {"a"})
      .Node("BitwiseOr", {"a", "y"}, {"b"})
      .Node("BitwiseXor", {"b", "x"}, {"c"});
  model.Node("BitwiseNot", {"c"}, {"d"}).Node("BitShift", {"d", "y"}, {"e"}, {{"direction", "LEFT"}});
  model.Node("BitShift", {"e", "y"}, {"z"}, {{"direction", "RIGHT"}});
  const std::string bytes = model.Output("z").Bytes();
  RecordMadeOperators(bytes, ImportOnnxBytes(bytes, "test").module);
  model.Node("BitShift", {"e", "y"}, {"w"}, {{"direction", "UP"}});
  EXPECT_THROW(ImportOnnxBytes(model.Output("w").Bytes(), "test"), Error);
}

TEST(MadeOperators, OfImages) {
  ModelMaker model(16);
  model.Input("x", {1, 4, 8, 8}).Input("rois", {1, 4}).IntegerInput("i", 7, {1});
  model.Node("LRN", {"x"}, {"lrn"}, {{"size", int64_t{3}}});
  model.Node("RoiAlign", {"x", "rois", "i"}, {"roi"}, {{"output_height", int64_t{2}}, {"output_width", int64_t{2}}});
  const std::string bytes = model.Output("lrn").Output("roi").Bytes();
  RecordMadeOperators(bytes, ImportOnnxBytes(bytes, "test").module);
}

TEST(MadeOperators, OfAProductOfBytes) {
  ModelMaker model;
  model.IntegerInput("a", 2, {3, 8}).Integers("b", 3, {8, 2}, std::vector<int>(16, 1));
  model.Weight("sa", {}, {0.5F}).Weight("sb", {}, {0.25F});
  model.Node("MatMulIntegerToFloat", {"a", "b", "sa", "sb"}, {"z"}).Domain("com.microsoft");
  const std::string bytes = model.Output("z").Bytes();
  RecordMadeOperators(bytes, ImportOnnxBytes(bytes, "test").module);
}

}  // namespace
}  // namespace hone
