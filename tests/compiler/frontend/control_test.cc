// Graphs within nodes: the branch taken, the values that a body sees, the number of iterations.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Names = std::vector<std::string>;

// Gives the other model's graph to the last node as an attribute. The graph's inputs have names only.
void Body(ModelMaker& model, const std::string& name, ModelMaker& body) {
  auto& attribute = *model.graph().mutable_node(model.graph().node_size() - 1)->add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::GRAPH);
  *attribute.mutable_g() = body.graph();
}

ModelMaker Giving(const std::string& op, const Names& inputs, const std::string& name) {
  ModelMaker body;
  body.Node(op, inputs, {name}).Output(name);
  return body;
}

// y = -x where the condition holds, |x| elsewhere.
ModelMaker Choice(const std::string& condition) {
  ModelMaker model;
  model.Input("x", {2}).IntegerInput("c", 9, {1}).Integers("yes", 9, {1}, {1}).Integers("no", 9, {}, {0});
  model.Node("If", {condition}, {"y"}).Output("y");
  ModelMaker then = Giving("Neg", {"x"}, "t"), otherwise = Giving("Abs", {"x"}, "t");
  Body(model, "then_branch", then);
  Body(model, "else_branch", otherwise);
  return model;
}

std::vector<float> Chosen(const ModelMaker& model, double condition = 0) {
  Tensor c(DType::kBool, {1});
  c.Set(0, condition);
  return Values(RunOnnx(model.Bytes(), {{"x", Tensor::FromVector<float>(DType::kFloat32, {2}, {-1, 2})}, {"c", c}})[0]);
}

TEST(OnnxIf, TakesTheKnownBranchAndSelectsAComputedOne) {
  EXPECT_THAT(Chosen(Choice("yes")), ElementsAre(1, -2));
  EXPECT_THAT(Chosen(Choice("no")), ElementsAre(1, 2));
  EXPECT_THAT(Chosen(Choice("c"), 1), ElementsAre(1, -2));
  EXPECT_THAT(Chosen(Choice("c"), 0), ElementsAre(1, 2));
}

// Nested Ifs that share one computed condition; the innermost holds one node.
ModelMaker Nested(const std::string& op, int depth) {
  ModelMaker inner = Giving(op, {"x"}, "t0");
  for (int i = 1; i <= depth; ++i) {
    const std::string name = "t" + std::to_string(i);
    ModelMaker outer;
    outer.Node("If", {"c"}, {name}).Output(name);
    ModelMaker otherwise = Giving("Abs", {"x"}, "other");
    Body(outer, "then_branch", inner);
    Body(outer, "else_branch", otherwise);
    inner = outer;
  }
  inner.Input("x", {2}).IntegerInput("c", 9, {1});
  return inner;
}

TEST(OnnxIf, NamesTheInnermostNodeAlone) {
  EXPECT_THAT(ImportError(Nested("Nonsense", 16).Bytes()),
              testing::AllOf(testing::StartsWith("node \"t0\" (Nonsense): the operator is not supported; "),
                             testing::EndsWith("; it is in a branch of \"t1\", whose condition is computed: --value "
                                               "NAME=NUMBER makes a constant of the input that decides")));
}

TEST(OnnxIf, ReadsNoBranchThatIsNotTaken) {
  ModelMaker model = Choice("yes");
  auto& graph = *model.graph().mutable_node(0)->mutable_attribute(1)->mutable_g();
  graph.mutable_node(0)->set_op_type("Nonsense");
  EXPECT_THAT(Chosen(model), ElementsAre(1, -2));
  graph.mutable_node(0)->set_op_type("Abs");
  graph.mutable_node(0)->set_input(0, "missing");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("nothing makes its input \"missing\""));
}

TEST(OnnxIf, RefusesBranchesThatDiffer) {
  ModelMaker model = Choice("c");
  *model.graph().mutable_node(0)->mutable_attribute(1)->mutable_g() = Giving("Not", {"c"}, "t").graph();
  EXPECT_THAT(ImportError(model.Bytes()),
              HasSubstr("node \"y\" (If): its condition is computed, and its branches give"));
  EXPECT_THAT(ImportError(Choice("x").Bytes()), HasSubstr("its condition is 2; it must be one value"));
}

// A given condition becomes a constant and is not an input.
TEST(OnnxIf, AGivenValueDecides) {
  OnnxImportOptions given;
  given.values["c"] = 1;
  const auto result = ImportOnnxBytes(Choice("c").Bytes(), "test", given);
  EXPECT_EQ(result.module.main->params.size(), 1U);
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {2}, {-1, 2});
  EXPECT_THAT(Values(RunReference(relay::InferType(result.module), {{"x", x}})[0]), ElementsAre(1, -2));
  given.values["d"] = 1;
  EXPECT_THAT(ImportError(Choice("c").Bytes(), given, ExitCode::kUsage),
              HasSubstr("--value d: the model has no such input; it has x, c"));
}

// A branch reads a value that comes later in the file.
TEST(OnnxIf, WaitsForWhatItsBranchesRead) {
  ModelMaker model = Choice("yes");
  model.graph().mutable_node(0)->mutable_attribute(0)->mutable_g()->mutable_node(0)->set_input(0, "late");
  model.Node("Exp", {"x"}, {"late"});
  EXPECT_FLOAT_EQ(Chosen(model)[0], -0.36787945F);
}

// Each iteration adds x to the sum and outputs i * x.
ModelMaker Sums(const std::string& count, const std::string& going) {
  ModelMaker body;
  body.IntegerInput("i", 7, {}).IntegerInput("on", 9, {}).Input("sum", {2});
  body.Node("Add", {"sum", "x"}, {"more"}).Node("Cast", {"i"}, {"f"}, {{"to", int64_t{1}}});
  body.Node("Mul", {"f", "x"}, {"scan"}).Node("Less", {"i", "last"}, {"goes"});
  body.Output(going).Output("more").Output("scan");
  ModelMaker model;
  model.Input("x", {2})
      .Ints("none", {0})
      .Ints("three", {3})
      .Ints("last", {1})
      .Ints("most", {INT64_MAX})
      .Integers("yes", 9, {}, {1});
  model.IntegerInput("n", 7, {}).Node("Loop", {count, "", "x"}, {"total", "all"}).Output("total").Output("all");
  Body(model, "body", body);
  return model;
}

std::vector<Tensor> Turned(const ModelMaker& model, int64_t n = 0, int64_t max_dim = 0) {
  OnnxImportOptions options;
  options.max_dim = max_dim;
  const Tensor x = Tensor::FromVector<float>(DType::kFloat32, {2}, {1, 2});
  return RunOnnx(model.Bytes(), {{"x", x}, {"n", Typed(DType::kInt64, {}, {static_cast<double>(n)})}}, options);
}

TEST(OnnxLoop, TurnsAsOftenAsIsKnown) {
  const auto counted = Turned(Sums("three", "on"));
  EXPECT_THAT(Values(counted[0]), ElementsAre(4, 8));
  EXPECT_EQ(counted[1].shape(), (Shape{3, 2}));
  EXPECT_THAT(Values(counted[1]), ElementsAre(0, 0, 1, 2, 2, 4));
  EXPECT_THAT(Values(Turned(Sums("", "goes"))[0]), ElementsAre(3, 6));
  // The form in which exporters write "while the condition holds".
  EXPECT_THAT(Values(Turned(Sums("most", "goes"))[0]), ElementsAre(3, 6));
}

TEST(OnnxLoop, StacksNothingWhereItTakesNoTurn) {
  const auto untouched = Turned(Sums("none", "on"));
  EXPECT_THAT(Values(untouched[0]), ElementsAre(1, 2));
  EXPECT_EQ(untouched[1].shape(), (Shape{0, 2}));
}

TEST(OnnxLoop, RefusesMoreTurnsThanItUnrolls) {
  EXPECT_THAT(
      ImportError(Sums("n", "on").Bytes()),
      HasSubstr("its number of iterations must be known when the model is imported; --max-dim N gives the most"));
  EXPECT_THAT(ImportError(Sums("", "yes").Bytes()), HasSubstr("it may take 1025 iterations, and 1024 are the most"));
  OnnxImportOptions options;
  options.max_dim = 2000;
  EXPECT_THAT(ImportError(Sums("n", "on").Bytes(), options),
              HasSubstr("it may take 2000 iterations, and 1024 are the most; --max-dim N bounds a number"));
}

TEST(OnnxLoop, TurnsAsOftenAsARunSays) {
  for (const int64_t n : {-1, 0, 1, 3, 4}) {
    const auto turned = Turned(Sums("n", "on"), n, 4);
    const auto taken = static_cast<float>(std::max<int64_t>(n, 0));
    EXPECT_THAT(Values(turned[0]), ElementsAre(1 + taken, 2 + 2 * taken)) << n;
    EXPECT_EQ(turned[1].shape(), (Shape{std::max<int64_t>(n, 0), 2})) << n;
    std::vector<float> rows;
    for (int64_t i = 0; i < n; ++i) rows.insert(rows.end(), {static_cast<float>(i), static_cast<float>(2 * i)});
    EXPECT_THAT(Values(turned[1]), testing::ElementsAreArray(rows)) << n;
  }
}

// Each iteration doubles x until its greatest element reaches 20.
ModelMaker Doubling(const std::string& count) {
  ModelMaker body;
  body.IntegerInput("i", 7, {}).IntegerInput("on", 9, {}).Input("now", {2});
  body.Node("Add", {"now", "now"}, {"next"}).Node("ReduceMax", {"next"}, {"top"}, {{"keepdims", int64_t{0}}});
  body.Node("Less", {"top", "end"}, {"goes"}).Output("goes").Output("next").Output("top");
  ModelMaker model;
  model.Input("x", {2}).Ints("five", {5}).Weight("end", {}, {20}).IntegerInput("n", 7, {});
  model.Node("Loop", {count, "", "x"}, {"last", "tops"}).Output("last").Output("tops");
  Body(model, "body", body);
  return model;
}

TEST(OnnxLoop, EndsAsSoonAsItsBodySays) {
  const auto five = Turned(Doubling("five"));
  EXPECT_THAT(Values(five[0]), ElementsAre(16, 32));
  EXPECT_THAT(Values(five[1]), ElementsAre(4, 8, 16, 32));
  // The run's own number ends it first.
  EXPECT_THAT(Values(Turned(Doubling("n"), 2, 6)[1]), ElementsAre(4, 8));
  EXPECT_THAT(Values(Turned(Doubling("n"), 6, 6)[1]), ElementsAre(4, 8, 16, 32));
  EXPECT_THAT(Values(Turned(Doubling(""), 0, 4)[1]), ElementsAre(4, 8, 16, 32));
  EXPECT_THAT(ImportError(Doubling("").Bytes()), HasSubstr("it may take any number of iterations, and 1024 are"));
}

// A value that an iteration makes longer.
TEST(OnnxLoop, CarriesValuesThatGrow) {
  ModelMaker body;
  body.IntegerInput("i", 7, {}).IntegerInput("on", 9, {}).Input("row", {-1});
  body.Node("ReduceSum", {"row"}, {"sum"}, {{"keepdims", int64_t{1}}});
  body.Node("Concat", {"row", "sum"}, {"longer"}, {{"axis", int64_t{0}}}).Output("on").Output("longer");
  ModelMaker model;
  model.Input("x", {2}).IntegerInput("n", 7, {}).Node("Loop", {"n", "", "x"}, {"row_out"}).Output("row_out");
  Body(model, "body", body);
  EXPECT_THAT(Values(Turned(model, 0, 4)[0]), ElementsAre(1, 2));
  EXPECT_THAT(Values(Turned(model, 3, 4)[0]), ElementsAre(1, 2, 3, 6, 12));
}

TEST(OnnxScan, WalksAlongItsInputs) {
  ModelMaker body;
  body.Input("sum", {2}).Input("row", {2}).Node("Add", {"sum", "row"}, {"next"}).Node("Neg", {"next"}, {"out"});
  body.Output("next").Output("out");
  ModelMaker model;
  model.Input("x", {3, 2})
      .Weight("zero", {2}, {0, 0})
      .Node("Scan", {"zero", "x"}, {"last", "all"},
            {{"num_scan_inputs", int64_t{1}},
             {"scan_input_directions", std::vector<int64_t>{1}},
             {"scan_output_axes", std::vector<int64_t>{1}}});
  model.Output("last").Output("all");
  Body(model, "body", body);
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({3, 2})}});
  EXPECT_THAT(Values(results[0]), ElementsAre(6, 9));
  EXPECT_EQ(results[1].shape(), (Shape{2, 3}));
  EXPECT_THAT(Values(results[1]), ElementsAre(-4, -6, -6, -5, -8, -9));
}

TEST(OnnxScan, WalksAsFarAsARunSays) {
  ModelMaker body;
  body.Input("sum", {2}).Input("row", {2}).Node("Add", {"sum", "row"}, {"next"}).Node("Neg", {"next"}, {"out"});
  body.Output("next").Output("out");
  for (const int64_t backwards : {0, 1}) {
    ModelMaker model;
    model.Input("x", {-1, 2})
        .Weight("zero", {2}, {0, 0})
        .Node("Scan", {"zero", "x"}, {"last", "all"},
              {{"num_scan_inputs", int64_t{1}}, {"scan_input_directions", std::vector<int64_t>{backwards}}});
    model.Output("last").Output("all");
    Body(model, "body", body);
    OnnxImportOptions options;
    options.ranges["d0"] = {1, 5};
    const auto results = RunOnnx(model.Bytes(), {{"x", Counting({3, 2})}}, options);
    EXPECT_THAT(Values(results[0]), ElementsAre(6, 9));
    const std::vector<float> forwards{0, -1, -2, -4, -6, -9}, from_end{-4, -5, -6, -8, -6, -9};
    EXPECT_THAT(Values(results[1]), testing::ElementsAreArray(backwards != 0 ? from_end : forwards));
  }
}

// Computed positions: one counts from the end, one occurs twice.
TEST(OnnxScatter, GoesWhereIndicesSay) {
  const Tensor x = Counting({3, 2}), places = Tensor::FromVector<int64_t>(DType::kInt64, {3, 1}, {2, -3, 2});
  const Tensor rows = Tensor::FromVector<float>(DType::kFloat32, {3, 2}, {10, 20, 30, 40, 50, 60});
  const auto scattered = [&](const std::string& op, const std::vector<std::pair<std::string, TestAttribute>>& how) {
    ModelMaker model(18);
    model.Input("x", {3, 2}).IntegerInput("i", onnx::TensorProto::INT64, {3, 1}).Input("u", {3, 2});
    model.Ints("end", {1}).Ints("zero", {0}).Ints("axis", {1});
    // Whole rows, or only their first column.
    model.Node("Slice", {"u", "zero", "end", "axis"}, {"column"});
    model.Node(op, {"x", "i", op == "ScatterND" ? "u" : "column"}, {"y"}, how).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", x}, {"i", places}, {"u", rows}})[0]);
  };
  EXPECT_THAT(scattered("ScatterND", {}), ElementsAre(30, 40, 2, 3, 50, 60));
  EXPECT_THAT(scattered("ScatterND", {{"reduction", "add"}}), ElementsAre(30, 41, 2, 3, 64, 85));
  EXPECT_THAT(scattered("ScatterElements", {}), ElementsAre(30, 1, 2, 3, 50, 5));
  EXPECT_THAT(scattered("ScatterElements", {{"reduction", "max"}}), ElementsAre(30, 1, 2, 3, 50, 5));
}

TEST(OnnxScatter, WritesIntoCaches) {
  const auto cached = [](const std::string& mode) {
    ModelMaker model(24);
    model.Input("x", {2, 3, 1}).Input("u", {2, 2, 1}).IntegerInput("i", onnx::TensorProto::INT64, {2});
    model.Node("TensorScatter", {"x", "u", "i"}, {"y"}, {{"mode", mode}}).Output("y");
    const Tensor at = Tensor::FromVector<int64_t>(DType::kInt64, {2}, {1, mode == "linear" ? 0 : 2});
    const Tensor rows = Tensor::FromVector<float>(DType::kFloat32, {2, 2, 1}, {10, 20, 30, 40});
    return Values(RunOnnx(model.Bytes(), {{"x", Counting({2, 3, 1})}, {"u", rows}, {"i", at}})[0]);
  };
  EXPECT_THAT(cached("linear"), ElementsAre(0, 10, 20, 30, 40, 5));
  EXPECT_THAT(cached("circular"), ElementsAre(0, 10, 20, 40, 4, 30));
}

TEST(OnnxScatter, JoinsWithAReduction) {
  const auto joined = [](const std::string& reduction) {
    ModelMaker model(18);
    model.Input("x", {3}).Ints("i", {0, -1, 0, 0}).Weight("u", {4}, {5, 7, -2, 3});
    model.Node("ScatterElements", {"x", "i", "u"}, {"y"}, {{"reduction", reduction}}).Output("y");
    return Values(RunOnnx(model.Bytes(), {{"x", Tensor::FromVector<float>(DType::kFloat32, {3}, {1, 2, 4})}})[0]);
  };
  EXPECT_THAT(joined("add"), ElementsAre(7, 2, 11));
  EXPECT_THAT(joined("mul"), ElementsAre(-30, 2, 28));
  EXPECT_THAT(joined("max"), ElementsAre(5, 2, 7));
  EXPECT_THAT(joined("min"), ElementsAre(-2, 2, 4));
  EXPECT_THAT(joined("none"), ElementsAre(3, 2, 7));
  EXPECT_THAT(ImportError(ModelMaker(18)
                              .Input("x", {3})
                              .Ints("i", {0})
                              .Filled("u", {1}, 1)
                              .Node("ScatterElements", {"x", "i", "u"}, {"y"}, {{"reduction", "mean"}})
                              .Output("y")
                              .Bytes()),
              HasSubstr("reduction=\"mean\" is not supported"));
}

}  // namespace
}  // namespace hone
