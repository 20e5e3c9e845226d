// Invalid models are refused in one line that names the node.
#include <gmock/gmock.h>

#include "core/random.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::HasSubstr;

constexpr int64_t kHuge = int64_t{1} << 62;

ModelMaker OneNode(const std::string& op, const std::vector<std::pair<std::string, TestAttribute>>& attributes = {},
                   int64_t opset = 13) {
  ModelMaker model(opset);
  model.Input("x", {1, 4, 6, 6}).Node(op, {"x"}, {"y"}, attributes).Output("y");
  return model;
}

TEST(OnnxRefusal, NamesTheNodeOfAnUnknownOperator) {
  EXPECT_THAT(ImportError(OneNode("Frobnicate").Bytes()),
              testing::StartsWith("node \"y\" (Frobnicate): the operator is not supported; "));
  EXPECT_THAT(ImportError(OneNode("LayerNormalisation").Bytes()), HasSubstr("LayerNormalization"));
}

TEST(OnnxRefusal, NamesAnUnknownDomain) {
  ModelMaker model = OneNode("Relu");
  model.graph().mutable_node(0)->set_domain("com.example");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("\"com.example\" is not supported"));
}

TEST(OnnxRefusal, TellsWhereAModelWithoutTheOperatorIs) {
  ModelMaker optimised = OneNode("QMoE");
  optimised.graph().mutable_node(0)->set_domain("com.microsoft");
  EXPECT_THAT(ImportError(optimised.Bytes()),
              AllOf(HasSubstr("(com.microsoft.QMoE)"), HasSubstr("from before ONNX Runtime's optimizer")));
  for (const char* domain : {"com.microsoft.nchwc", "com.ms.internal.nhwc"}) {
    ModelMaker placed = OneNode("Conv");
    placed.graph().mutable_node(0)->set_domain(domain);
    EXPECT_THAT(ImportError(placed.Bytes()), AllOf(HasSubstr(domain), HasSubstr("save it at ORT_ENABLE_EXTENDED")));
  }
}

// A row for each kind of refusal: the operator, its domain, and the way out that the line must name.
TEST(OnnxRefusal, NamesAWayOut) {
  struct Row {
    const char *op, *domain, *way;
  };
  const Row rows[] = {{"NMSRotated", "mmdeploy", "export the model without plugins"},
                      {"EfficientNMS_TRT", "TRT", "export the model without plugins"},
                      {"BertTokenizer", "ai.onnx.contrib", "outside of the model"},
                      {"ATen", "org.pytorch.aten", "dynamo=True"},
                      {"Relu", "com.example", "onnx.utils.extract_model"},
                      {"multiclass_nms3", "", "onnx.utils.extract_model"},
                      {"ImageDecoder", "", "decode them outside"},
                      {"Sampling", "com.microsoft", "export the decoder alone"},
                      {"EPContext", "com.microsoft", "from before it was compiled"},
                      {"QMoE", "com.microsoft", "from before ONNX Runtime's optimizer"},
                      {"CategoryMapper", "ai.onnx.ml", "onnx.utils.extract_model"}};
  for (const Row& row : rows) {
    ModelMaker model = OneNode(row.op);
    model.graph().mutable_node(0)->set_domain(row.domain);
    const std::string dotted = *row.domain == 0 ? "" : std::string(row.domain) + ".";
    EXPECT_THAT(ImportError(model.Bytes()),
                testing::AllOf(HasSubstr("node \"y\" (" + dotted + row.op + ")"), HasSubstr(row.way)));
  }
}

// Integers that a run is given where the import must know them: the option that gives them.
TEST(OnnxRefusal, NamesTheOptionForAValue) {
  for (const auto& [op, opset] : {std::pair("Tile", 13), {"Unsqueeze", 13}, {"ReduceSum", 13}, {"Reshape", 13}}) {
    ModelMaker model(opset);
    model.Input("x", {2, 3}).IntegerInput("n", 7, {2}).Node(op, {"x", "n"}, {"y"}).Output("y");
    EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("; --value n=NUMBER gives it")) << op;
  }
}

TEST(OnnxRefusal, NamesAnUnknownAttribute) {
  EXPECT_EQ(ImportError(OneNode("Relu", {{"slope", 0.5}}).Bytes()),
            "node \"y\" (Relu): the attribute \"slope\" is not known");
}

TEST(OnnxRefusal, NamesAnAttributeOfTheWrongKind) {
  EXPECT_THAT(ImportError(OneNode("LeakyRelu", {{"alpha", "steep"}}).Bytes()), HasSubstr("alpha is of the wrong kind"));
}

TEST(OnnxRefusal, NamesOpsetsOutsideItsRange) {
  EXPECT_THAT(ImportError(OneNode("Relu", {}, 0).Bytes()), HasSubstr("opset 0; hone reads 1 to 28"));
  EXPECT_THAT(ImportError(OneNode("Relu", {}, 29).Bytes()), HasSubstr("opset 29"));
}

TEST(OnnxRefusal, NamesANodeOfACycle) {
  ModelMaker model;
  model.Input("x", {2}).Node("Add", {"x", "b"}, {"a"}).Node("Relu", {"a"}, {"b"}).Output("b");
  EXPECT_EQ(ImportError(model.Bytes()), "node \"a\" (Add): it waits for its own output: the graph has a cycle");
}

TEST(OnnxRefusal, NamesMissingInputsAndDoubleOutputs) {
  ModelMaker missing;
  missing.Input("x", {2}).Node("Add", {"x", "ghost"}, {"y"}).Output("y");
  EXPECT_EQ(ImportError(missing.Bytes()), "node \"y\" (Add): nothing makes its input \"ghost\"");
  ModelMaker twice;
  twice.Input("x", {2}).Node("Relu", {"x"}, {"y"}).Node("Exp", {"x"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(twice.Bytes()), HasSubstr("\"y\" is made elsewhere too"));
  ModelMaker nothing;
  nothing.Input("x", {2}).Output("y");
  EXPECT_EQ(ImportError(nothing.Bytes()), "nothing makes the output \"y\"");
}

TEST(OnnxRefusal, NamesDuplicateInitializersAndInputs) {
  EXPECT_THAT(ImportError(OneNode("Relu").Filled("w", {1}, 0).Filled("w", {1}, 0).Bytes()),
              HasSubstr("\"w\" is there twice"));
  EXPECT_THAT(ImportError(OneNode("Relu").Input("x", {1}).Bytes()), HasSubstr("\"x\" is there twice"));
}

TEST(OnnxRefusal, CountsInputs) {
  ModelMaker model;
  model.Input("x", {2}).Node("Conv", {"x"}, {"y"}).Output("y");
  EXPECT_EQ(ImportError(model.Bytes()), "node \"y\" (Conv): 1 input; it takes 2 to 3");
}

TEST(OnnxRefusal, WantsTheInputsThatAnOperatorNeeds) {
  ModelMaker model;
  model.Input("x", {2}).Node("Tile", {"x", ""}, {"y"}).Output("y");
  EXPECT_EQ(ImportError(model.Bytes()), "node \"y\" (Tile): input 1 is left out; it takes 2 at least");
}

TEST(OnnxRefusal, NamesTypesItCannotHold) {
  ModelMaker model = OneNode("Relu");
  auto& tensor = *model.graph().add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(onnx::TensorProto::COMPLEX64);
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("initializer \"w\": the element type COMPLEX64"));
  tensor.set_data_type(onnx::TensorProto::STRING);
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("initializer \"w\": text is not supported; make numbers of it"));
  tensor.set_data_type(999);
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("the element type 999"));
}

TEST(OnnxRefusal, AllocatesNothingForDimsThatCannotBe) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{kHuge, 4}, {-5}, {kHuge}, {1 << 30, 100}, {25LL << 30}}) {
    ModelMaker model = OneNode("Relu");
    auto& tensor = *model.graph().add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const int64_t dim : dims) tensor.add_dims(dim);
    tensor.set_raw_data(std::string(16, '\0'));
    EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("initializer \"w\": "));
    ModelMaker shaped(9);
    shaped.Input("x", {2}).Ints("s", dims).Node("ConstantOfShape", {"s"}, {"y"}).Output("y");
    EXPECT_THAT(ImportError(shaped.Bytes()), HasSubstr("node \"y\" (ConstantOfShape): "));
  }
}

TEST(OnnxRefusal, StopsAModelThatExpandsANumberToGigabytes) {
  ModelMaker model;
  model.Input("x", {1}).Filled("one", {1}, 1).Ints("s", {1 << 15, 1 << 14});
  model.Node("Expand", {"one", "s"}, {"all"}).Node("Add", {"x", "all"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("node \"all\" (Expand): the model computes more than 1 GiB"));
}

TEST(OnnxRefusal, StopsAConstantOfAShapeJustOverAGigabyte) {
  ModelMaker model;
  model.Input("x", {1}).Ints("s", {(1 << 28) + 1}).Node("ConstantOfShape", {"s"}, {"all"});
  model.Node("Add", {"x", "all"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()),
              HasSubstr("node \"all\" (ConstantOfShape): the model computes more than 1 GiB"));
}

// The limit grows with the stored bytes: 72 MiB may be repeated up to 16 times. A small model has a limit of 1 GiB.
TEST(OnnxRefusal, AllowsAModelSixteenTimesWhatItStores) {
  const auto repeated = [](int64_t times) {
    ModelMaker model;
    model.Input("x", {1}).Filled("row", {1, 72 << 18}, 1).Ints("s", {times, 72 << 18});
    return model.Node("Expand", {"row", "s"}, {"all"}).Node("Add", {"x", "all"}, {"y"}).Output("y").Bytes();
  };
  EXPECT_EQ(ImportError(repeated(15)), "");
  EXPECT_THAT(ImportError(repeated(17)), HasSubstr("the model computes more than 1152 MiB of constants"));
}

// With 15 axes each element takes 16 numbers of 8 bytes.
TEST(OnnxRefusal, StopsPositionsThatTakeJustOverAGigabyte) {
  constexpr int kElements = (1 << 23) + 1;
  std::vector<int64_t> dims(15, 1);
  dims[0] = kElements;
  ModelMaker model;
  model.Input("x", {1}).Integers("ones", onnx::TensorProto::INT8, dims, std::vector<int>(kElements, 1));
  model.Node("NonZero", {"ones"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("node \"y\" (NonZero): the model computes more than 1 GiB"));
}

// Each computed number becomes a node.
TEST(OnnxRefusal, StopsAComputedShapeOfMillionsOfNumbers) {
  ModelMaker model;
  model.Input("x", {4}).IntegerInput("s", onnx::TensorProto::INT64, {1 << 24}).Node("Reshape", {"x", "s"}, {"y"});
  EXPECT_EQ(ImportError(model.Output("y").Bytes()),
            "node \"y\" (Reshape): its shape has 16777216 numbers, at most 16; onnx.utils.extract_model cuts the model "
            "before it");
}

TEST(OnnxRefusal, StopsASliceOfBillionsOfBounds) {
  ModelMaker model;
  const int64_t many = int64_t{1} << 31;
  model.Input("x", {4}).IntegerInput("from", onnx::TensorProto::INT64, {many}).Ints("to", {2});
  EXPECT_EQ(ImportError(model.Node("Slice", {"x", "from", "to"}, {"y"}).Output("y").Bytes()),
            "node \"y\" (Slice): 2147483648 bounds for 1 axes");
}

TEST(OnnxRefusal, CountsNodes) {
  ModelMaker model;
  model.Input("x", {1});
  for (int i = 0; i < 100'001; ++i) model.Node("Relu", {"x"}, {"y" + std::to_string(i)});
  EXPECT_EQ(ImportError(model.Output("y0").Bytes()), "100001 nodes, at most 100000");
}

TEST(OnnxRefusal, StopsASliceOfBillionsOfIndices) {
  ModelMaker model;
  model.Input("x", {int64_t{1} << 34}).Ints("from", {-1}).Ints("to", {INT64_MIN}).Ints("axis", {0}).Ints("step", {-1});
  model.Node("Slice", {"x", "from", "to", "axis", "step"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("more than 1 GiB"));
}

TEST(OnnxRefusal, ChecksTheSizesOfATransposedConvolution) {
  ModelMaker model;
  model.Input("x", {1, 1, int64_t{1} << 36, 1}).Filled("w", {1, 1, 1, 1}, 1);
  model.Node("ConvTranspose", {"x", "w"}, {"y"}, {{"output_shape", std::vector<int64_t>{4, 4}}}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("are too large"));
}

TEST(OnnxRefusal, ChecksWindows) {
  const std::vector<int64_t> three{3, 3};
  const auto pool = [&](const char* name, const std::vector<int64_t>& values) {
    return ImportError(OneNode("MaxPool", {{"kernel_shape", three}, {name, values}}).Bytes());
  };
  EXPECT_THAT(pool("strides", {0, 1}), HasSubstr("strides holds 0"));
  EXPECT_THAT(pool("strides", {1}), HasSubstr("strides has 1 numbers"));
  EXPECT_THAT(pool("pads", {-1, 0, 0, 0}), HasSubstr("pads holds -1"));
  EXPECT_THAT(pool("pads", {65537, 0, 0, 0}), HasSubstr("a pad of 65537; at most 65536 is supported"));
  EXPECT_THAT(pool("dilations", {kHuge, 1}), HasSubstr("dilations holds"));
  EXPECT_THAT(pool("dilations", {100, 100}), HasSubstr("node \"y\" (MaxPool): "));
}

// Any bytes are imported or end in an Error, and never in another exception.
void Try(const std::string& bytes) {
  try {
    relay::InferType(ImportOnnxBytes(bytes, "damaged").module);
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
  }
}

std::string SmallModel() {
  ModelMaker model;
  model.Input("x", {1, 2, 8, 8}).Filled("w", {4, 2, 3, 3}, 0.5F).Filled("b", {4}, 1).Ints("s", {0, -1});
  model.Node("Conv", {"x", "w", "b"}, {"c"},
             {{"pads", std::vector<int64_t>(4, 1)}, {"strides", std::vector<int64_t>{2, 2}}});
  model.Node("Relu", {"c"}, {"r"});
  model.Node("MaxPool", {"r"}, {"p"}, {{"kernel_shape", std::vector<int64_t>{2, 2}}, {"ceil_mode", int64_t{1}}});
  model.Node("Reshape", {"p", "s"}, {"f"}).Node("Softmax", {"f"}, {"y"}).Output("y");
  return model.Bytes();
}

TEST(OnnxDamage, EveryTruncationIsAnErrorOrAModel) {
  const std::string whole = SmallModel();
  for (size_t size = 0; size < whole.size(); ++size) Try(whole.substr(0, size));
}

TEST(OnnxDamage, BitFlipsNeverCrash) {
  const std::string whole = SmallModel();
  Random random(29);
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = whole;
    for (uint64_t flips = 1 + random.Below(3); flips > 0; --flips) {
      bytes[random.Below(bytes.size())] ^= static_cast<char>(1 << random.Below(8));
    }
    Try(bytes);
  }
}

}  // namespace
}  // namespace hone
