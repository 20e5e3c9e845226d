// Messages about ranged dimensions, and runs of extents that a model does not take.
#include <gmock/gmock.h>

#include "compiler/relay/ranged_inputs.h"
#include "tests/compiler/frontend/ranged_models.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;

std::string RunError(const ModelMaker& model, const std::map<std::string, Tensor>& inputs,
                     const OnnxImportOptions& options) {
  try {
    RunOnnx(model.Bytes(), inputs, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData);
    return error.what();
  }
  return "it ran";
}

TEST(RangedFaults, NameTheNodeAndTheDimension) {
  ModelMaker split(17);
  split.Input("x", {1, -1}).Ints("sizes", {2, 3}).Node("Split", {"x", "sizes"}, {"y", "z"}, {{"axis", int64_t{1}}});
  split.Output("y").Output("z");
  Name(split, 0, 1, "seq");
  EXPECT_EQ(RunError(split, {{"x", Counting({1, 4})}}, {.ranges = {{"seq", {1, 8}}}}),
            "node \"y\": 5 - seq is 1; it may be 0");
  ModelMaker join(17);
  join.Input("x", {-1, 2}).Input("y", {-1, 2}).Node("Add", {"x", "y"}, {"z"}).Output("z");
  Name(join, 0, 0, "first");
  Name(join, 1, 0, "second");
  EXPECT_THAT(RunError(join, {{"x", Counting({4, 2})}, {"y", Counting({3, 2})}},
                       {.ranges = {{"first", {2, 8}}, {"second", {2, 8}}}}),
              HasSubstr("node \"z\": first - second is 1; it may be 0"));
}

TEST(RangedFaults, ShowTheUsersNameOfADimension) {
  ModelMaker model(17);
  model.Input("x", {1, -1}).Weight("w", {1, 1}, {2}).Node("Mul", {"x", "w"}, {"y"}).Output("y");
  Name(model, 0, 1, "w");
  const OnnxImportOptions options = {.ranges = {{"w", {2, 8}}}, .freeze = false};
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({1, 3})}}, options)[0]), ElementsAre(0, 2, 4));
  EXPECT_EQ(RunError(model, {{"x", Counting({1, 9})}}, options), "input 'x': the dimension w is 9; it may be 2 to 8");
}

// Whether the only axis of x is a range without an option.
bool IsRanged(const ModelMaker& model) {
  return !relay::RangedInputs(*ImportOnnxBytes(model.Bytes(), "m").module.main).empty();
}

TEST(RangedFaults, OnlyABatchIsOneByDefault) {
  ModelMaker line(17);
  line.Input("x", {-1}).Node("Tanh", {"x"}, {"y"}).Output("y");
  Name(line, 0, 0, "seq");
  EXPECT_TRUE(IsRanged(line));
  Name(line, 0, 0, "batch_size");
  EXPECT_FALSE(IsRanged(line));
  ModelMaker rows(17);
  rows.Input("x", {-1, 4}).Node("Tanh", {"x"}, {"y"}).Output("y");
  Name(rows, 0, 0, "n");
  EXPECT_FALSE(IsRanged(rows));
  ModelMaker steps(17);
  steps.Input("x", {-1, -1, 4}).Node("Tanh", {"x"}, {"y"}).Output("y");
  Name(steps, 0, 0, "steps");
  Name(steps, 0, 1, "batch");
  const relay::IRModule module = ImportOnnxBytes(steps.Bytes(), "m").module;
  EXPECT_EQ(module.main->params[0]->type->shape, (Shape{512, 1, 4}));
  ModelMaker both(17);
  both.Input("lengths", {-1}).Input("x", {1, -1}).Node("Add", {"x", "lengths"}, {"y"}).Output("y");
  Name(both, 0, 0, "seq");
  Name(both, 1, 1, "seq");
  EXPECT_TRUE(IsRanged(both));
}

// Rows of an embedding of bytes in blocks of 16, gathered by a sequence of any length.
TEST(RangedFaults, PackedRowsAreGatheredForAnyLength) {
  ModelMaker model(21);
  model.IntegerInput("ids", 7, {-1});
  Name(model, 0, 0, "seq");
  auto& table = *model.graph().add_initializer();
  table.set_name("table");
  table.set_data_type(2);
  table.add_dims(3), table.add_dims(16);
  table.set_raw_data(std::string(16, '\x81') + std::string(16, '\x7E') + std::string(16, '\x84'));
  model.Weight("scales", {3, 1}, {1, 10, 100});
  model.Node("GatherBlockQuantized", {"table", "ids", "scales"}, {"rows"},
             {{"bits", int64_t{8}}, {"block_size", int64_t{16}}});
  model.Domain("com.microsoft")
      .Ints("first", {0})
      .Node("Gather", {"rows", "first"}, {"y"}, {{"axis", int64_t{1}}})
      .Output("y");
  const Tensor ids = Tensor::FromVector<int64_t>(DType::kInt64, {4}, {2, 0, 1, 2});
  const OnnxImportOptions options = {.ranges = {{"seq", {1, 8}}}};
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"ids", ids}}, options)[0]), ElementsAre(400, 1, -20, 400));
}

// A model of three rows or more, and another for fewer.
TEST(RangedFaults, ABranchThatIsNotTakenChecksNothing) {
  ModelMaker model(17);
  model.Input("x", {-1, 2}).IntegerInput("long", 9, {});
  Name(model, 0, 0, "rows");
  ModelMaker then, otherwise;
  then.Ints("third", {2}).Node("Gather", {"x", "third"}, {"a"}, {{"axis", int64_t{0}}}).Output("a");
  otherwise.Ints("first", {0}).Node("Gather", {"x", "first"}, {"b"}, {{"axis", int64_t{0}}}).Output("b");
  model.Node("If", {"long"}, {"y"}).Output("y");
  for (auto* body : {&then, &otherwise}) {
    auto* attribute = model.graph().mutable_node(0)->add_attribute();
    attribute->set_name(body == &then ? "then_branch" : "else_branch");
    attribute->set_type(onnx::AttributeProto::GRAPH);
    *attribute->mutable_g() = body->graph();
  }
  const OnnxImportOptions options = {.ranges = {{"rows", {1, 5}}}};
  const auto inputs = [](bool is_long) {
    return std::map<std::string, Tensor>{{"x", Counting({2, 2})}, {"long", Typed(DType::kBool, {}, {is_long * 1.0})}};
  };
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), inputs(false), options)[0]), ElementsAre(0, 1));
  EXPECT_THAT(RunError(model, inputs(true), options), HasSubstr("node \"a\""));
}

// One beyond the extent reads what it reads along an axis of a known extent: the nearest element.
TEST(RangedFaults, AnIndexBeyondTheExtentReadsTheNearest) {
  ModelMaker model(17);
  model.Input("x", {-1}).IntegerInput("i", 7, {4}).Node("Gather", {"x", "i"}, {"y"}).Output("y");
  model.Node("GatherElements", {"x", "i"}, {"z"}).Output("z");
  model.Ints("pairs", {4, 1}).Node("Reshape", {"i", "pairs"}, {"p"}).Node("GatherND", {"x", "p"}, {"n"}).Output("n");
  Name(model, 0, 0, "seq");
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({5})}, {"i", Typed(DType::kInt64, {4}, {6, -1, 1, -7})}},
                               {.ranges = {{"seq", {1, 8}}}});
  for (const Tensor& result : results) EXPECT_THAT(Values(result), ElementsAre(4, 4, 1, 0));
}

// A number without a limit has none when another is added or it is divided.
TEST(RangedFaults, ANumberOfTheDataHasNoLimit) {
  for (const char* op : {"Sub", "Div"}) {
    ModelMaker model(17);
    model.IntegerInput("n", 7, {1}).Ints("five", {5}).Ints("none", {0});
    model.Node("Max", {"n", "none"}, {"from_0"}).Node(op, {"from_0", "five"}, {"m"});
    model.Node("ConstantOfShape", {"m"}, {"y"}).Output("y");
    EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("--max-dim N gives the most that it can be")) << op;
  }
}

}  // namespace
}  // namespace hone
