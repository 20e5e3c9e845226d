#include "compiler/frontend/onnx/onnx_import.h"

#include <gmock/gmock.h>

#include "compiler/relay/half_types.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/ranged_inputs.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

ModelMaker Linear() {
  ModelMaker model;
  model.Input("x", {1, 2}).Weight("w", {3, 2}, {1, 2, 3, 4, 5, 6}).Weight("b", {3}, {0.5F, 0.25F, 0.125F});
  model.Node("Gemm", {"x", "w", "b"}, {"fc"}, {{"transB", int64_t{1}}}).Node("Relu", {"fc"}, {"y"}).Output("y");
  return model;
}

TEST(ImportOnnx, KeepsNamesOfNodesInputsWeightsAndOutputs) {
  const OnnxImportResult result = ImportOnnxBytes(Linear().Bytes(), "linear.onnx");
  EXPECT_EQ(result.module.name, "linear.onnx");
  EXPECT_THAT(result.module.output_names, ElementsAre("y"));
  EXPECT_EQ(result.module.main->params[0]->name, "x");
  const relay::Call* relu = relay::AsCallTo(result.module.main->body, "nn.relu");
  ASSERT_NE(relu, nullptr);
  EXPECT_EQ(relu->name, "y");
  const relay::Call* bias = relay::AsCallTo(relu->args[0], "nn.bias_add");
  ASSERT_NE(bias, nullptr);
  EXPECT_EQ(bias->name, "fc");
  EXPECT_EQ(relay::AsConstant(bias->args[1])->name, "b");
}

TEST(ImportOnnx, FreezesWeightsOrBindsThem) {
  const std::string bytes = Linear().Bytes();
  EXPECT_TRUE(ImportOnnxBytes(bytes, "m").module.params.empty());
  const relay::IRModule open = ImportOnnxBytes(bytes, "m", {.shapes = {}, .freeze = false}).module;
  ASSERT_EQ(open.params.size(), 2U);
  EXPECT_EQ(open.params[0].first, "w");
  EXPECT_EQ(open.main->params.size(), 3U);
  const std::map<std::string, Tensor> inputs = {{"x", Counting({1, 2})}};
  EXPECT_EQ(Values(RunReference(relay::InferType(open), inputs)[0]), Values(RunOnnx(bytes, inputs)[0]));
}

TEST(ImportOnnx, ReadsInitializersThatAreListedAsInputs) {
  ModelMaker model(9, 3);
  model.Input("x", {2}).Input("w", {2}).Weight("w", {2}, {10, 20}).Node("Add", {"x", "w"}, {"y"}).Output("y");
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Counting({2})}})[0]), ElementsAre(10, 21));
}

TEST(ImportOnnx, TakesNodesInAnyOrder) {
  ModelMaker model;
  model.Input("x", {2}).Node("Neg", {"a"}, {"y"}).Node("Exp", {"x"}, {"a"}).Output("y");
  EXPECT_FLOAT_EQ(Values(RunOnnx(model.Bytes(), {{"x", Counting({2})}})[0])[0], -1);
}

TEST(ImportOnnx, BindsAFreeBatchToOneAndSaysSo) {
  ModelMaker model;
  model.Input("x", {-1, 2}).Node("Relu", {"x"}, {"y"}).Output("y");
  const OnnxImportResult result = ImportOnnxBytes(model.Bytes(), "m");
  EXPECT_EQ(result.module.main->params[0]->type->shape, (Shape{1, 2}));
  EXPECT_THAT(result.notices, ElementsAre("input \"x\": the free dimension d0 is bound to 1"));
  const OnnxImportResult four = ImportOnnxBytes(model.Bytes(), "m", {.shapes = {{"x", {4, 2}}}});
  EXPECT_EQ(four.module.main->params[0]->type->shape, (Shape{4, 2}));
  EXPECT_TRUE(four.notices.empty());
}

TEST(ImportOnnx, LeavesOtherFreeDimsToEachRun) {
  ModelMaker model;
  model.Input("x", {-1, 3, -1, 8}).Node("Relu", {"x"}, {"y"}).Output("y");
  const OnnxImportResult result = ImportOnnxBytes(model.Bytes(), "m");
  EXPECT_THAT(result.notices,
              ElementsAre("input \"x\": the free dimension d0 is bound to 1",
                          "input \"x\": the free dimension d2 may be 1 to 512 in a run; --dim d2=LO..HI changes that, "
                          "and --dim d2=NUMBER fixes it"));
  ASSERT_EQ(result.module.main->params.size(), 2U);
  EXPECT_EQ(result.module.main->params[0]->type->shape, (Shape{1, 3, 512, 8}));
  EXPECT_EQ(result.module.main->params[1]->name, "d2");
  const auto ranged = relay::RangedInputs(*result.module.main);
  EXPECT_EQ(relay::RangedNumbers(ranged), (std::vector<int64_t>{0, 2, 1, 1}));
}

// Files of ONNX Runtime GenAI leave the size of a head free in the past. The declared width of the queries fixes it: 2
// heads, and 1 head of keys and of values behind them, of 16 elements each.
TEST(ImportOnnx, ReadsTheSizeOfAHeadFromTheQueries) {
  ModelMaker model(21);
  model.Input("x", {1, 2, 64}).Input("past_k", {1, 1, 3, -1}).Input("past_v", {1, 1, 3, -1});
  model.Integers("lengths", 6, {1}, {4}).Integers("total", 6, {}, {5});
  model.Node("Identity", {"x"}, {"q"});
  model.Node("GroupQueryAttention", {"q", "", "", "past_k", "past_v", "lengths", "total"}, {"y", "k", "v"},
             {{"num_heads", int64_t{2}}, {"kv_num_heads", int64_t{1}}});
  model.Domain("com.microsoft").Output("y").Output("k").Output("v");
  auto& q = *model.graph().add_value_info();
  q.set_name("q");
  auto& type = *q.mutable_type()->mutable_tensor_type();
  type.set_elem_type(1);
  for (const int64_t dim : {1, 2, 64}) type.mutable_shape()->add_dim()->set_dim_value(dim);
  const auto result = ImportOnnxBytes(model.Bytes(), "test", {});
  EXPECT_EQ(result.module.main->params.at(1)->type->shape, (Shape{1, 1, 3, 16}));
  EXPECT_EQ(result.module.main->params.at(2)->type->shape, (Shape{1, 1, 3, 16}));
  EXPECT_THAT(result.notices, testing::Contains("the free dimension d3 is 16: node \"y\" fixes it"));
}

TEST(ImportOnnx, EqualNamesAreOneExtentApartFromInputs) {
  ModelMaker model;
  model.Input("d1", {-1, -1}).Input("b", {2, -1, -1}).Node("Relu", {"d1"}, {"y"}).Node("Relu", {"b"}, {"z"});
  model.Output("y").Output("z");
  const relay::IRModule module =
      ImportOnnxBytes(model.Bytes(), "m", {.dims = {{"d2", 5}}, .ranges = {{"d1", {3, 9}}, {"d0", {2, 4}}}}).module;
  ASSERT_EQ(module.main->params.size(), 4U);
  EXPECT_EQ(module.main->params[1]->type->shape, (Shape{2, 9, 5}));
  EXPECT_EQ(module.main->params[2]->name, "d0");
  EXPECT_EQ(module.main->params[3]->name, "d1 (extent)");
  EXPECT_EQ(relay::RangedNumbers(relay::RangedInputs(*module.main)),
            (std::vector<int64_t>{0, 0, 2, 2, 0, 1, 3, 3, 1, 1, 3, 3}));
  EXPECT_EQ(ImportOnnxBytes(model.Bytes(), "m", {.ranges = {{"d1", {7, 7}}}}).module.main->params[0]->type->shape,
            (Shape{1, 7}));
}

TEST(ImportOnnx, RefusesRangesThatAreNone) {
  ModelMaker model;
  model.Input("x", {-1, -1}).Node("Relu", {"x"}, {"y"}).Output("y");
  for (const DimRange& range : {DimRange{5, 4}, DimRange{-1, 4}, DimRange{0, 0}}) {
    EXPECT_THAT(ImportError(model.Bytes(), {.ranges = {{"d1", range}}}, ExitCode::kUsage),
                HasSubstr("is no range of extents"));
  }
  EXPECT_EQ(ImportError(model.Bytes(), {.shapes = {{"x", {1, 8}}}, .ranges = {{"d1", {4, 9}}}}, ExitCode::kUsage),
            "the dimension d1 is 4..9 by --dim d1=4..9 and 8 by --shape x=1,8; it is one number");
}

// Two inputs that share the dynamic extent d1.
ModelMaker Pair() {
  ModelMaker model;
  model.Input("a", {-1, -1}).Input("b", {2, -1}).Node("Relu", {"a"}, {"y"}).Node("Relu", {"b"}, {"z"});
  model.Output("y").Output("z");
  return model;
}

std::vector<Shape> InputShapesOf(const ModelMaker& model, const OnnxImportOptions& options) {
  const OnnxImportResult result = ImportOnnxBytes(model.Bytes(), "m", options);
  std::vector<Shape> shapes;
  for (const auto& param : result.module.main->params) shapes.push_back(param->type->shape);
  return shapes;
}

TEST(ImportOnnx, ADimIsOneNumberInEveryInput) {
  EXPECT_THAT(InputShapesOf(Pair(), {.dims = {{"d1", 128}}}), ElementsAre(Shape{1, 128}, Shape{2, 128}));
  EXPECT_THAT(InputShapesOf(Pair(), {.dims = {{"d0", 4}, {"d1", 128}}}), ElementsAre(Shape{4, 128}, Shape{2, 128}));
  EXPECT_THAT(InputShapesOf(Pair(), {.shapes = {{"b", {2, 7}}}}), ElementsAre(Shape{1, 7}, Shape{2, 7}));
}

TEST(ImportOnnx, RefusesTwoNumbersForOneDim) {
  const std::string bytes = Pair().Bytes();
  EXPECT_EQ(ImportError(bytes, {.shapes = {{"a", {1, 8}}, {"b", {2, 9}}}}, ExitCode::kUsage),
            "the dimension d1 is 8 by --shape a=1,8 and 9 by --shape b=2,9; it is one number");
  EXPECT_EQ(ImportError(bytes, {.shapes = {{"b", {2, 9}}}, .dims = {{"d1", 8}}}, ExitCode::kUsage),
            "the dimension d1 is 8 by --dim d1=8 and 9 by --shape b=2,9; it is one number");
}

TEST(ImportOnnx, TakesWhatNamesNoDimForNoName) {
  for (const char* unknown : {"?", "-1", "None"}) {
    ModelMaker model;
    model.Input("x", {-1, 3, -1, -1}).Node("Relu", {"x"}, {"y"}).Output("y");
    auto* dims = model.graph().mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    for (const int i : {0, 2, 3}) dims->mutable_dim(i)->set_dim_param(unknown);
    EXPECT_THAT(InputShapesOf(model, {.shapes = {{"x", {1, 3, 48, 192}}}}), ElementsAre(Shape{1, 3, 48, 192}));
    EXPECT_THAT(InputShapesOf(model, {.dims = {{"x_2", 48}, {"x_3", 7}}}), ElementsAre(Shape{1, 3, 48, 7}));
    EXPECT_EQ(ImportError(model.Bytes(), {.dims = {{unknown, 8}}}, ExitCode::kUsage).substr(6 + strlen(unknown)),
              ": the model's free dimensions are x_0, x_2, x_3");
  }
}

TEST(ImportOnnx, RefusesDimsThatTheModelDoesNotHave) {
  EXPECT_EQ(ImportError(Pair().Bytes(), {.dims = {{"d2", 8}}}, ExitCode::kUsage),
            "--dim d2: the model's free dimensions are d0, d1; did you mean d0?");
  EXPECT_THAT(ImportError(Linear().Bytes(), {.dims = {{"d0", 8}}}, ExitCode::kUsage), HasSubstr("--dim d0"));
}

TEST(ImportOnnx, RefusesShapesThatDoNotFitTheModel) {
  const std::string bytes = Linear().Bytes();
  EXPECT_THAT(ImportError(bytes, {.shapes = {{"z", {1}}}}, ExitCode::kUsage), HasSubstr("the model's inputs are x"));
  EXPECT_THAT(ImportError(bytes, {.shapes = {{"x", {1}}}}, ExitCode::kUsage), HasSubstr("2 dimensions"));
  EXPECT_THAT(ImportError(bytes, {.shapes = {{"x", {1, -1}}}}, ExitCode::kUsage), HasSubstr("-1 is no dimension"));
}

TEST(ImportOnnx, TakesADeclaredZeroForNoElements) {
  ModelMaker model;
  model.Input("past", {1, 2, 0, 4}).Input("k", {1, 2, 3, 4});
  model.Node("Concat", {"past", "k"}, {"y"}, {{"axis", int64_t{2}}}).Output("y");
  const OnnxImportResult result = ImportOnnxBytes(model.Bytes(), "m");
  EXPECT_EQ(relay::InferType(result.module).main->body->type->shape, (Shape{1, 2, 3, 4}));
  EXPECT_THAT(result.notices,
              ElementsAre("input \"past\" has no elements, because its dimension 2 is declared 0; --shape "
                          "past=... sets another"));
  EXPECT_THAT(InputShapesOf(model, {.shapes = {{"past", {1, 2, 5, 4}}}}), Contains(Shape{1, 2, 5, 4}));
}

TEST(ImportOnnx, TakesAZeroThatIsGiven) {
  EXPECT_THAT(InputShapesOf(Pair(), {.dims = {{"d1", 0}}}), ElementsAre(Shape{1, 0}, Shape{2, 0}));
  EXPECT_THAT(InputShapesOf(Pair(), {.shapes = {{"b", {2, 0}}}}), ElementsAre(Shape{1, 0}, Shape{2, 0}));
}

// y = Relu(x), whose shape the file declares wrongly.
ModelMaker WronglyDeclared() {
  ModelMaker model;
  model.Input("x", {2, 3}).Node("Relu", {"x"}, {"y"}).Output("y");
  auto* type = model.graph().add_value_info();
  type->set_name("y");
  auto* tensor = type->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : {2, 4}) tensor->mutable_shape()->add_dim()->set_dim_value(dim);
  return model;
}

TEST(ImportOnnx, NamesTheFirstValueThatIsNotAsDeclared) {
  const std::string difference = "node \"y\" (Relu) gives \"y\" float32 2x3, and the file declares float32 2x4";
  ModelMaker model = WronglyDeclared();
  EXPECT_THAT(ImportOnnxBytes(model.Bytes(), "m").notices, ElementsAre(difference + "; the former holds"));
  EXPECT_THAT(ImportOnnxBytes(model.Bytes(), "m", {.shapes = {{"x", {2, 3}}}}).notices, ElementsAre());
  model.Input("w", {4}).Node("Add", {"y", "w"}, {"z"}).Output("z");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("node \"z\" (Add)"));
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("; before it, " + difference));
}

TEST(ImportOnnx, ComputesShapesThatTheModelComputes) {
  ModelMaker model;
  model.Input("x", {2, 3, 4}).Ints("zero", {0}).Ints("axes", {0}).Ints("rest", {-1});
  model.Node("Shape", {"x"}, {"shape"}).Node("Gather", {"shape", "zero"}, {"batch"}, {{"axis", int64_t{0}}});
  model.Node("Squeeze", {"batch", "axes"}, {"scalar"}).Node("Unsqueeze", {"scalar", "axes"}, {"again"});
  model.Node("Concat", {"again", "rest"}, {"target"}, {{"axis", int64_t{0}}});
  model.Node("Reshape", {"x", "target"}, {"y"}).Output("y");
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "m").module;
  const relay::Call* reshape = relay::AsCallTo(module.main->body, "reshape");
  ASSERT_NE(reshape, nullptr);
  EXPECT_EQ(reshape->attrs.GetInts("newshape"), (std::vector<int64_t>{2, 12}));
  EXPECT_NE(relay::AsVar(reshape->args[0]), nullptr);
}

TEST(ImportOnnx, LeavesUnusedOutputsOfANodeAlone) {
  ModelMaker model;
  model.Input("x", {1, 2, 3, 3, 3});
  model.Node("MaxPool", {"x"}, {"y", "at"}, {{"kernel_shape", std::vector<int64_t>{2, 2, 2}}}).Output("y");
  EXPECT_EQ(ImportError(model.Bytes()), "");
  model.Node("Relu", {"at"}, {"z"}).Output("z");
  EXPECT_EQ(
      ImportError(model.Bytes()),
      "node \"z\" (Relu): \"at\" is a result that is not supported; onnx.utils.extract_model cuts the model before it");
}

TEST(ImportOnnx, ReadsHalfAndDoubleWeightsAsFloatWithANotice) {
  ModelMaker model;
  model.Input("x", {2}).Node("Add", {"x", "w"}, {"a"}).Node("Add", {"a", "v"}, {"y"}).Output("y");
  auto& half = *model.graph().add_initializer();
  half.set_name("w");
  half.set_data_type(onnx::TensorProto::FLOAT16);
  half.add_dims(2);
  half.add_int32_data(0x3C00);  // 1
  half.add_int32_data(0x0001);  // 2^-24, denormal
  auto& wide = *model.graph().add_initializer();
  wide.set_name("v");
  wide.set_data_type(onnx::TensorProto::DOUBLE);
  wide.add_dims(1);
  wide.add_double_data(0.5);
  const OnnxImportResult read = ImportOnnxBytes(model.Bytes(), "m");
  EXPECT_THAT(read.notices, ElementsAre("float16 weights are read as float32", "float64 weights are read as float32"));
  EXPECT_THAT(relay::HalfTypesOf(*relay::InferType(read.module).main), ElementsAre(DType::kFloat16));
  EXPECT_THAT(Values(RunOnnx(model.Bytes(), {{"x", Tensor(DType::kFloat32, {2})}})[0]),
              ElementsAre(1.5F, 0.5F + 0x1p-24F));
}

TEST(ImportOnnx, SaysWhichFileIsNotThere) {
  try {
    ImportOnnx("no/such/model.onnx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kNoInput);
    EXPECT_THAT(error.what(), HasSubstr("no/such/model.onnx"));
  }
}

}  // namespace
}  // namespace hone
