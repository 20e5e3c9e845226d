// Models whose dimensions each run chooses, against the same models for one choice.
#include <gmock/gmock.h>

#include <limits>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/printer.h"
#include "compiler/relay/visitor.h"
#include "tests/compiler/frontend/ranged_models.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Ints = std::vector<int64_t>;

// Weights that differ from each other, from -0.5 to 0.5.
ModelMaker& Spread(ModelMaker& model, const std::string& name, const Ints& dims) {
  std::vector<float> values(static_cast<size_t>(ElementCount(dims)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>((i * 37 + name.size() * 11) % 101) / 101 - 0.5F;
  return model.Weight(name, dims, values);
}

ModelMaker& Scalar(ModelMaker& model, const std::string& name, int64_t value) {
  model.Ints(name, {value});
  for (auto& tensor : *model.graph().mutable_initializer()) {
    if (tensor.name() == name) tensor.clear_dims();
  }
  return model;
}

const std::vector<Extents> kLengths = {{{"seq", 1}}, {{"seq", 3}}, {{"seq", 7}}};

TEST(OnnxRanged, ExtentsHaveNormalForms) {
  // (2 seq + 2) / 2 - 1 and seq are one number, so that the sum needs no check in a run.
  ModelMaker model(17);
  model.Input("x", {1, -1, 4}).Ints("two", {2}).Ints("one", {1}).Ints("three", {1, 4});
  Name(model, 0, 1, "seq");
  Scalar(model, "at", 1).Node("Shape", {"x"}, {"s"}).Node("Gather", {"s", "at"}, {"n"});
  model.Node("Mul", {"n", "two"}, {"a"}).Node("Add", {"a", "two"}, {"b"}).Node("Div", {"b", "two"}, {"c"});
  model.Node("Sub", {"c", "one"}, {"d"}).Node("Concat", {"one", "d", "one"}, {"e"}, {{"axis", int64_t{0}}});
  model.Node("ConstantOfShape", {"e"}, {"z"}).Node("Add", {"x", "z"}, {"y"}).Output("y");
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "m", {.ranges = {{"seq", {1, 7}}}}).module;
  EXPECT_EQ(relay::ToText(module).find("divide"), std::string::npos);
  ExpectEqualToFixed(model.Bytes(), {{"seq", {1, 7}}}, kLengths);
}

// The rows of a cache that a run has appended to, as heads of their own and back.
TEST(OnnxRanged, SumsOfExtentsDivideTheirMultiples) {
  ModelMaker model(17);
  model.Input("old", {1, 2, -1, 4}).Input("new", {1, 2, -1, 4}).Ints("minus", {-1}).Ints("two", {2}).Ints("ends", {9});
  Name(model, 0, 2, "past");
  Name(model, 1, 2, "seq");
  model.Node("Concat", {"old", "new"}, {"x"}, {{"axis", int64_t{2}}}).Node("Shape", {"x"}, {"s"});
  model.Node("Slice", {"s", "two", "ends"}, {"rows"}).Node("Concat", {"minus", "rows"}, {"to"}, {{"axis", int64_t{0}}});
  model.Node("Reshape", {"x", "to"}, {"heads"}).Node("Transpose", {"heads"}, {"t"}, {{"perm", Ints{0, 2, 1}}});
  model.Output("t");
  const std::map<std::string, DimRange> ranges{{"past", {0, 5}}, {"seq", {1, 7}}};
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(model.Bytes(), "m", {.ranges = ranges}).module);
  EXPECT_EQ(relay::ToText(module).find("divide"), std::string::npos);
  EXPECT_THAT(relay::ToText(module), HasSubstr("Tensor[(2, 4, 12), float32]"));
  ExpectEqualToFixed(model.Bytes(), ranges,
                     {{{"past", 5}, {"seq", 7}}, {{"past", 0}, {"seq", 3}}, {{"past", 2}, {"seq", 1}}});
}

// One layer of an encoder: embedding, attention with a mask, and a feed-forward part, as exporters write it.
ModelMaker Encoder() {
  ModelMaker model(17);
  model.IntegerInput("ids", 7, {-1, -1}).IntegerInput("mask", 7, {-1, -1});
  for (int i = 0; i < 2; ++i) {
    Name(model, i, 0, "batch");
    Name(model, i, 1, "seq");
  }
  for (const char* name : {"words", "places", "q", "k", "v", "o", "up"}) Spread(model, name, {8, 8});
  Spread(model, "gamma", {8});
  Scalar(model, "zero", 0);
  Scalar(model, "at", 1);
  model.Ints("axes1", {1, 2}).Ints("first", {0}).Ints("heads", {2, 4}).Ints("minus", {-1}).Ints("v8", {8});
  model.Weight("low", {}, {-1e4F}).Weight("one", {}, {1}).Weight("half", {}, {0.5F});
  Spread(model, "table", {1, 8, 8});
  model.Node("Shape", {"ids"}, {"s"}).Node("Gather", {"s", "zero"}, {"b"}).Node("Gather", {"s", "at"}, {"n"});
  model.Node("Unsqueeze", {"b", "first"}, {"b1"}).Node("Unsqueeze", {"n", "first"}, {"n1"});
  model.Node("Gather", {"words", "ids"}, {"e"});
  model.Ints("ax1", {1}).Node("Slice", {"table", "first", "n1", "ax1"}, {"pos"}).Node("Add", {"e", "pos"}, {"x"});
  model.Node("LayerNormalization", {"x", "gamma", "gamma"}, {"h"});
  model.Node("Unsqueeze", {"mask", "axes1"}, {"m4"}).Node("Cast", {"m4"}, {"mf"}, {{"to", int64_t{1}}});
  model.Node("Sub", {"one", "mf"}, {"mi"}).Node("Mul", {"mi", "low"}, {"bias"});
  model.Node("Concat", {"b1", "n1", "heads"}, {"split"}, {{"axis", int64_t{0}}});
  for (const std::string part : {"q", "k", "v"}) {
    model.Node("MatMul", {"h", part}, {part + "1"}).Node("Reshape", {part + "1", "split"}, {part + "2"});
    const Ints perm = part == "k" ? Ints{0, 2, 3, 1} : Ints{0, 2, 1, 3};
    model.Node("Transpose", {part + "2"}, {part + "3"}, {{"perm", perm}});
  }
  model.Node("MatMul", {"q3", "k3"}, {"qk"})
      .Node("Mul", {"qk", "half"}, {"scaled"})
      .Node("Add", {"scaled", "bias"}, {"sc"});
  model.Node("Softmax", {"sc"}, {"w"}, {{"axis", int64_t{-1}}}).Node("MatMul", {"w", "v3"}, {"c"});
  model.Node("Transpose", {"c"}, {"c1"}, {{"perm", Ints{0, 2, 1, 3}}});
  model.Node("Concat", {"b1", "n1", "v8"}, {"join"}, {{"axis", int64_t{0}}}).Node("Reshape", {"c1", "join"}, {"c2"});
  model.Node("MatMul", {"c2", "o"}, {"out"}).Node("Add", {"out", "h"}, {"r"});
  model.Node("MatMul", {"r", "up"}, {"u"}).Node("Gelu", {"u"}, {"y"}).Domain("com.microsoft");
  model.Node("Gather", {"y", "zero"}, {"cls"}, {{"axis", int64_t{1}}});
  model.Ints("rows", {-1, 8}).Node("Reshape", {"y", "rows"}, {"flat"});
  model.Node("ReduceMean", {"y"}, {"pooled"}, {{"axes", Ints{1}}, {"keepdims", int64_t{0}}});
  model.Node("Concat", {"b1", "n1", "v8"}, {"again"}, {{"axis", int64_t{0}}})
      .Node("Reshape", {"flat", "again"}, {"back"});
  for (const char* name : {"y", "cls", "flat", "pooled", "back"}) model.Output(name);
  return model;
}

TEST(OnnxRanged, AnEncoderTakesEveryLength) {
  ExpectEqualToFixed(Encoder().Bytes(), {{"seq", {1, 7}}}, kLengths, {.dims = {{"batch", 1}}});
}

TEST(OnnxRanged, AnEncoderTakesEveryBatchAndLength) {
  ExpectEqualToFixed(Encoder().Bytes(), {{"seq", {1, 7}}, {"batch", {1, 3}}},
                     {{{"seq", 1}, {"batch", 1}}, {{"seq", 7}, {"batch", 3}}, {{"seq", 4}, {"batch", 2}}});
}

TEST(OnnxRanged, ConvolutionsAndPoolsEndWhereTheSignalEnds) {
  ModelMaker model(17);
  model.Input("x", {1, 2, -1});
  Name(model, 0, 2, "samples");
  Spread(model, "w1", {4, 2, 5});
  Spread(model, "w2", {4, 4, 3});
  Spread(model, "wt", {4, 3, 4});
  model.Node("Conv", {"x", "w1"}, {"a"}, {{"strides", Ints{3}}}).Node("Relu", {"a"}, {"b"});
  model.Node("Conv", {"b", "w2"}, {"c"}, {{"strides", Ints{2}}, {"pads", Ints{1, 1}}});
  model.Node("MaxPool", {"b"}, {"m"}, {{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"pads", Ints{1, 1}}});
  model.Node("AveragePool", {"b"}, {"p"}, {{"kernel_shape", Ints{3}}, {"strides", Ints{2}}, {"pads", Ints{1, 1}}});
  model.Node("Add", {"c", "m"}, {"d"}).Node("Add", {"d", "p"}, {"e"});
  model.Node("ConvTranspose", {"e", "wt"}, {"t"}, {{"strides", Ints{2}}, {"pads", Ints{1, 1}}});
  model.Node("GlobalAveragePool", {"e"}, {"g"}).Node("Transpose", {"e"}, {"z"}, {{"perm", Ints{0, 2, 1}}});
  for (const char* name : {"z", "t", "g"}) model.Output(name);
  ExpectEqualToFixed(model.Bytes(), {{"samples", {8, 40}}}, {{{"samples", 8}}, {{"samples", 23}}, {{"samples", 40}}});
}

// Two scales of a picture with a skip, and a head that flattens both sides.
TEST(OnnxRanged, ADetectorTakesPicturesOfAnySides) {
  ModelMaker model(17);
  model.Input("x", {1, 2, -1, -1});
  Name(model, 0, 2, "height");
  Name(model, 0, 3, "width");
  Spread(model, "w1", {4, 2, 3, 3});
  Spread(model, "w2", {4, 4, 3, 3});
  Spread(model, "w3", {3, 8, 1, 1});
  model.Weight("scales", {4}, {1, 1, 2, 2}).Ints("flat", {1, 3, -1}).Ints("sizes", {2, 1});
  const std::vector<std::pair<std::string, TestAttribute>> half = {{"strides", Ints{2, 2}}, {"pads", Ints{1, 1, 1, 1}}};
  model.Node("Conv", {"x", "w1"}, {"a"}, half).Node("Conv", {"a", "w2"}, {"b"}, half);
  model.Node("Resize", {"b", "", "scales"}, {"up"},
             {{"mode", std::string("nearest")},
              {"coordinate_transformation_mode", std::string("asymmetric")},
              {"nearest_mode", std::string("floor")}});
  model.Node("Concat", {"up", "a"}, {"j"}, {{"axis", int64_t{1}}}).Node("Conv", {"j", "w3"}, {"h"});
  model.Node("Sigmoid", {"h"}, {"s"}).Node("Reshape", {"s", "flat"}, {"r"});
  model.Node("Transpose", {"r"}, {"t"}, {{"perm", Ints{0, 2, 1}}});
  model.Node("Split", {"t", "sizes"}, {"box", "score"}, {{"axis", int64_t{2}}}).Output("box").Output("score");
  ExpectEqualToFixed(model.Bytes(), {{"height", {4, 16}}, {"width", {4, 12}}},
                     {{{"height", 4}, {"width", 4}}, {{"height", 16}, {"width", 12}}, {{"height", 8}, {"width", 12}}});
  // A run is refused if the halves do not meet.
  const relay::IRModule ranged = relay::InferType(
      ImportOnnxBytes(model.Bytes(), "m", {.ranges = {{"height", {4, 16}}, {"width", {4, 12}}}}).module);
  EXPECT_THROW(RunReference(ranged, {{"x", Counting({1, 2, 6, 8})}}), Error);
}

TEST(OnnxRanged, ResizesBlendUpToTheLastElement) {
  for (const char* mode : {"linear", "cubic"}) {
    ModelMaker model(17);
    model.Input("x", {1, 2, -1, 3}).Weight("scales", {4}, {1, 1, 2, 1});
    Name(model, 0, 2, "height");
    model.Node("Resize", {"x", "", "scales"}, {"y"}, {{"mode", std::string(mode)}}).Output("y");
    ExpectEqualToFixed(model.Bytes(), {{"height", {2, 8}}}, {{{"height", 2}}, {{"height", 5}}, {{"height", 8}}});
  }
}

TEST(OnnxRanged, RecurrentLayersEndWhereTheSequenceEnds) {
  for (const char* direction : {"forward", "reverse", "bidirectional"}) {
    const int64_t d = direction[0] == 'b' ? 2 : 1;
    ModelMaker model(17);
    model.Input("x", {-1, -1, 3});
    Name(model, 0, 0, "seq");
    Name(model, 0, 1, "batch");
    Spread(model, "w", {d, 16, 3});
    Spread(model, "r", {d, 16, 4});
    Spread(model, "b", {d, 32});
    model.Node("LSTM", {"x", "w", "r", "b"}, {"y", "h", "c"},
               {{"hidden_size", int64_t{4}}, {"direction", std::string(direction)}});
    for (const char* name : {"y", "h", "c"}) model.Output(name);
    ExpectEqualToFixed(model.Bytes(), {{"seq", {1, 7}}, {"batch", {1, 3}}},
                       {{{"seq", 1}, {"batch", 2}}, {{"seq", 7}, {"batch", 3}}, {{"seq", 5}, {"batch", 1}}});
  }
}

TEST(OnnxRanged, PadsLieBehindTheElementsThatAreThere) {
  for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
    ModelMaker model(17);
    model.Input("x", {1, 2, -1}).Ints("pads", {0, 0, 2, 0, 1, 3}).Weight("v", {}, {5});
    Name(model, 0, 2, "seq");
    model.Node("Pad", {"x", "pads", "v"}, {"y"}, {{"mode", std::string(mode)}}).Output("y");
    ExpectEqualToFixed(model.Bytes(), {{"seq", {4, 9}}}, {{{"seq", 4}}, {{"seq", 6}}, {{"seq", 9}}});
  }
}

TEST(OnnxRanged, MovementFollowsTheExtent) {
  ModelMaker model(17);
  model.Input("x", {2, -1, 3});
  Name(model, 0, 1, "seq");
  model.Ints("a1", {1})
      .Ints("m2", {-2})
      .Ints("far", {1000})
      .Ints("one", {1})
      .Ints("step", {2})
      .Ints("tiles", {1, 2, 1});
  model.Node("Slice", {"x", "m2", "far", "a1"}, {"tail"}).Node("Slice", {"x", "one", "far", "a1", "step"}, {"odd"});
  model.Node("Split", {"x"}, {"left", "right"}, {{"axis", int64_t{1}}});
  model.Node("Tile", {"x", "tiles"}, {"twice"}).Ints("flat", {-1}).Node("Reshape", {"x", "flat"}, {"f"});
  model.Ints("pair", {3, -1}).Node("Reshape", {"x", "pair"}, {"mixed"});
  model.Node("Concat", {"tail", "x", "odd"}, {"joined"}, {{"axis", int64_t{1}}});
  model.Ints("axis", {1})
      .Node("CumSum", {"x", "axis"}, {"sums"})
      .Node("CumSum", {"x", "axis"}, {"back"}, {{"reverse", int64_t{1}}});
  model.Node("Trilu", {"x"}, {"upper"}, {{"upper", int64_t{0}}});
  model.Node("ReduceMax", {"x"}, {"max"}, {{"axes", Ints{1}}}).Node("ArgMax", {"x"}, {"arg"}, {{"axis", int64_t{1}}});
  for (const char* name :
       {"tail", "odd", "left", "right", "twice", "f", "mixed", "joined", "sums", "back", "upper", "max", "arg"}) {
    model.Output(name);
  }
  ExpectEqualToFixed(model.Bytes(), {{"seq", {2, 8}}}, {{{"seq", 2}}, {{"seq", 4}}, {{"seq", 8}}});
}

// Products whose rows, columns and depth are ranged.
TEST(OnnxRanged, ProductsTakeEveryAxisRanged) {
  ModelMaker model(17);
  model.Input("x", {2, -1, -1}).Input("y", {2, -1, -1});
  Name(model, 0, 1, "rows");
  Name(model, 0, 2, "depth");
  Name(model, 1, 1, "depth");
  Name(model, 1, 2, "columns");
  model.Node("MatMul", {"x", "y"}, {"z"})
      .Node("Einsum", {"x", "y"}, {"e"}, {{"equation", std::string("brk,bkc->bcr")}});
  model.Output("z").Output("e");
  ExpectEqualToFixed(model.Bytes(), {{"rows", {1, 5}}, {"depth", {1, 6}}, {"columns", {1, 4}}},
                     {{{"rows", 1}, {"depth", 1}, {"columns", 4}},
                      {{"rows", 5}, {"depth", 6}, {"columns", 4}},
                      {{"rows", 3}, {"depth", 4}, {"columns", 2}}});
}

TEST(OnnxRanged, ProductsRefuseARangedBatchBesideAKnownOne) {
  for (const bool first : {false, true}) {
    ModelMaker model(17);
    model.Input("x", {-1, 3, 3});
    Name(model, 0, 0, "batch");
    Spread(model, "w", {4, 3, 3});
    model.Node("MatMul", {first ? "x" : "w", first ? "w" : "x"}, {"y"}).Output("y");
    EXPECT_THAT(ImportError(model.Bytes(), {.ranges = {{"batch", {1, 4}}}}),
                HasSubstr("a batch whose extent is counted in a run and one of 4"));
  }
}

TEST(OnnxRanged, NormalizationsSeeWhatIsThere) {
  ModelMaker model(17);
  model.Input("x", {1, 4, -1, 3});
  Name(model, 0, 2, "seq");
  Spread(model, "g", {4});
  Spread(model, "pairs", {2});
  Spread(model, "l", {3});
  model.Node("InstanceNormalization", {"x", "g", "g"}, {"i"});
  model.Node("LpNormalization", {"x"}, {"p"}, {{"axis", int64_t{2}}});
  model.Node("Softmax", {"x"}, {"s"}, {{"axis", int64_t{2}}}).Node("LogSoftmax", {"x"}, {"ls"}, {{"axis", int64_t{2}}});
  model.Node("SkipLayerNormalization", {"x", "x", "l", "l"}, {"skip"}).Domain("com.microsoft");
  for (const char* name : {"i", "p", "s", "ls", "skip"}) model.Output(name);
  ExpectEqualToFixed(model.Bytes(), {{"seq", {1, 7}}}, kLengths);
  ModelMaker groups(18);
  groups.Input("x", {1, 4, -1});
  Name(groups, 0, 2, "seq");
  Spread(groups, "pairs", {2});
  groups.Node("GroupNormalization", {"x", "pairs", "pairs"}, {"y"}, {{"num_groups", int64_t{2}}}).Output("y");
  ExpectEqualToFixed(groups.Bytes(), {{"seq", {1, 7}}}, kLengths);
}

// Attention as PyTorch exports it, with zeros for weights that are NaN.
TEST(OnnxRanged, GuardedWeightsNeedNoSecondMask) {
  ModelMaker model(17);
  model.Input("q", {1, 2, -1, 4}).Input("v", {1, 2, -1, 4}).Input("bias", {1, 1, -1, -1});
  for (int i = 0; i < 2; ++i) Name(model, i, 2, "seq");
  for (int axis = 2; axis < 4; ++axis) Name(model, 2, axis, "seq");
  model.Weight("zero", {}, {0}).Node("Transpose", {"q"}, {"k"}, {{"perm", Ints{0, 1, 3, 2}}});
  // Rows of positive biases see no key.
  model.Weight("low", {}, {-std::numeric_limits<float>::infinity()}).Node("Greater", {"bias", "zero"}, {"hidden"});
  model.Node("MatMul", {"q", "k"}, {"s"}).Node("ReduceMax", {"bias"}, {"most"}, {{"axes", Ints{3}}});
  model.Node("Greater", {"most", "zero"}, {"all"}).Node("Or", {"all", "hidden"}, {"not"});
  model.Node("Where", {"not", "low", "s"}, {"masked"}).Node("Softmax", {"masked"}, {"w"}, {{"axis", int64_t{-1}}});
  model.Node("IsNaN", {"w"}, {"nan"}).Node("Where", {"nan", "zero", "w"}, {"guarded"});
  model.Node("MatMul", {"guarded", "v"}, {"y"}).Output("y");
  const std::map<std::string, DimRange> ranges{{"seq", {1, 7}}};
  ExpectEqualToFixed(model.Bytes(), ranges, kLengths);
  // The model's own two, and masks of the scores, of the bias and of the values.
  int choices = 0;
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "m", {.ranges = ranges}).module;
  relay::PostOrderVisit(module.main->body,
                        [&](const relay::ExprPtr& expr) { choices += relay::AsCallTo(expr, "where") != nullptr; });
  EXPECT_EQ(choices, 5);
}

TEST(OnnxRanged, FusedAttentionSeesTheKeysThatAreThere) {
  for (const int64_t causal : {0, 1}) {
    ModelMaker model(17);
    model.Input("x", {-1, -1, 8}).Input("past", {2, -1, 2, -1, 4}).IntegerInput("mask", 6, {-1, -1});
    for (int i = 0; i < 3; ++i) Name(model, i, i == 1 ? 1 : 0, "batch");
    Name(model, 0, 1, "seq");
    Name(model, 1, 3, "past");
    Name(model, 2, 1, "past + seq");
    Spread(model, "w", {8, 24});
    Spread(model, "b", {24});
    model.Node("Attention", {"x", "w", "b", "mask", "past"}, {"y", "present"},
               {{"num_heads", int64_t{2}}, {"unidirectional", causal}});
    model.Domain("com.microsoft").Output("y").Output("present");
    ExpectEqualToFixed(model.Bytes(), {{"seq", {1, 4}}, {"past", {0, 3}}, {"past + seq", {1, 7}}, {"batch", {1, 2}}},
                       {{{"seq", 4}, {"past", 3}, {"past + seq", 7}, {"batch", 2}},
                        {{"seq", 1}, {"past", 2}, {"past + seq", 3}, {"batch", 1}}});
  }
}

TEST(OnnxRanged, HardmaxEndsWhereTheAxisEnds) {
  ModelMaker model(17);
  model.Input("x", {2, -1, 3});
  Name(model, 0, 1, "seq");
  model.Node("Hardmax", {"x"}, {"y"}, {{"axis", int64_t{1}}}).Output("y");
  ExpectEqualToFixed(model.Bytes(), {{"seq", {1, 7}}}, kLengths);
}

// Before opset 13 the axes are joined, and come apart with their own extents.
TEST(OnnxRanged, JoinedAxesComeApartAgain) {
  const std::map<std::string, DimRange> ranges = {{"a", {1, 8}}, {"b", {1, 6}}};
  const std::vector<Extents> runs = {{{"a", 1}, {"b", 1}}, {{"a", 5}, {"b", 4}}, {{"a", 8}, {"b", 6}}};
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    for (const int64_t axis : {0, 1, 2}) {
      ModelMaker model(11);
      model.Input("x", {2, -1, -1, 3});
      Name(model, 0, 1, "a");
      Name(model, 0, 2, "b");
      model.Node(op, {"x"}, {"y"}, {{"axis", axis}}).Output("y");
      ExpectEqualToFixed(model.Bytes(), ranges, runs);
    }
  }
}

TEST(OnnxRanged, EinsumKeepsTheExtentOfEachLabel) {
  const std::map<std::string, DimRange> ranges = {{"a", {1, 8}}, {"b", {1, 6}}};
  const std::vector<Extents> runs = {{{"a", 1}, {"b", 1}}, {{"a", 5}, {"b", 4}}, {{"a", 8}, {"b", 6}}};
  for (const char* equation : {"iajb,iakb->iajk", "iajb,iajb->ab", "iajb,kajb->ik", "iajb,iajb->iajb"}) {
    ModelMaker model(17);
    model.Input("x", {2, -1, 3, -1}).Input("y", {2, -1, 3, -1});
    for (int input = 0; input < 2; ++input) {
      Name(model, input, 1, "a");
      Name(model, input, 3, "b");
    }
    model.Node("Einsum", {"x", "y"}, {"z"}, {{"equation", std::string(equation)}}).Output("z");
    ExpectEqualToFixed(model.Bytes(), ranges, runs);
  }
  ModelMaker mixed(17);
  mixed.Input("x", {-1, 3}).Input("y", {4, 3});
  Name(mixed, 0, 0, "a");
  mixed.Node("Einsum", {"x", "y"}, {"z"}, {{"equation", std::string("ai,ai->a")}}).Output("z");
  EXPECT_THAT(ImportError(mixed.Bytes(), {.ranges = {{"a", {1, 4}}}}),
              HasSubstr("an axis has 4 elements in one input"));
}

TEST(OnnxRanged, BlocksBecomeChannelsAndBack) {
  ModelMaker model(17);
  model.Input("x", {1, 4, -1, -1});
  Name(model, 0, 2, "height");
  Name(model, 0, 3, "width");
  model.Node("SpaceToDepth", {"x"}, {"y"}, {{"blocksize", int64_t{2}}}).Output("y");
  model.Node("DepthToSpace", {"x"}, {"z"}, {{"blocksize", int64_t{2}}}).Output("z");
  ExpectEqualToFixed(model.Bytes(), {{"height", {2, 8}}, {"width", {2, 6}}},
                     {{{"height", 2}, {"width", 2}}, {{"height", 4}, {"width", 6}}, {{"height", 8}, {"width", 4}}});
}

TEST(OnnxRanged, NegativePartsOfPositionsCountFromTheEnd) {
  ModelMaker model(17);
  model.Input("x", {-1, -1}).Ints("i", {-1, -2, 0, -1}).Ints("rows", {-1, 0});
  for (int64_t parts = 1; parts <= 2; ++parts) {
    auto& indices = *model.graph().mutable_initializer(static_cast<int>(2 - parts));
    indices.set_dims(0, 2);
    indices.add_dims(parts);
  }
  Name(model, 0, 0, "a");
  Name(model, 0, 1, "b");
  model.Node("GatherND", {"x", "i"}, {"y"}).Node("GatherND", {"x", "rows"}, {"z"}).Output("y").Output("z");
  const OnnxImportOptions ranged = {.ranges = {{"a", {1, 8}}, {"b", {2, 6}}}};
  const auto results = RunOnnx(model.Bytes(), {{"x", Counting({3, 4})}}, ranged);
  EXPECT_THAT(Values(results[0]), ElementsAre(10, 3));
  EXPECT_THAT(Values(results[1]), ElementsAre(8, 9, 10, 11, 0, 1, 2, 3));
  ExpectEqualToFixed(model.Bytes(), ranged.ranges, {{{"a", 1}, {"b", 2}}, {{"a", 8}, {"b", 6}}});
}

TEST(OnnxRanged, AccessBehindTheExtentFails) {
  ModelMaker split(17);
  split.Input("x", {1, -1}).Ints("sizes", {2, 3}).Node("Split", {"x", "sizes"}, {"y", "z"}, {{"axis", int64_t{1}}});
  split.Output("y").Output("z");
  ModelMaker gather(17);
  gather.Input("x", {1, -1}).Ints("i", {4, 0}).Node("Gather", {"x", "i"}, {"y"}, {{"axis", int64_t{1}}}).Output("y");
  ModelMaker best(17);
  best.Input("x", {1, -1}).Ints("k", {5}).Node("TopK", {"x", "k"}, {"y", "z"}).Output("y").Output("z");
  for (ModelMaker* model : {&split, &gather, &best}) {
    Name(*model, 0, 1, "seq");
    ExpectEqualToFixed(model->Bytes(), {{"seq", {1, 8}}}, {{{"seq", 5}}});
    const relay::IRModule ranged =
        relay::InferType(ImportOnnxBytes(model->Bytes(), "m", {.ranges = {{"seq", {1, 8}}}}).module);
    EXPECT_THROW(RunReference(ranged, {{"x", Counting({1, 4})}}), Error);
  }
}

TEST(OnnxRanged, ARefusalNamesTheWayOut) {
  ModelMaker model(17);
  model.Input("x", {1, -1, 4}).Input("table", {1, 5, 4}).Node("Add", {"x", "table"}, {"y"}).Output("y");
  Name(model, 0, 1, "seq");
  const std::string error = ImportError(model.Bytes(), {.ranges = {{"seq", {1, 5}}}});
  EXPECT_THAT(error, HasSubstr("node \"y\" (Add)"));
  EXPECT_THAT(error, HasSubstr("; --dim seq=NUMBER fixes the length"));
}

}  // namespace
}  // namespace hone
