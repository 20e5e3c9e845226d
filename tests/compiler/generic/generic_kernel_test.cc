// Generated kernels against the operators' references, over random small shapes, layouts and cuts of the work.
#include "compiler/generic/generic_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/reference.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "tests/compiler/generic/kernel_runner.h"

namespace hone::testing {
namespace {

using relay::Attrs;
using relay::ExprPtr;
using relay::MakeCall;
using relay::TensorType;
using Ints = std::vector<int64_t>;

ExprPtr Param(const std::string& name, Shape shape, const std::string& layout = "", DType dtype = DType::kFloat32) {
  return relay::MakeVar(name, TensorType(std::move(shape), dtype, layout));
}

relay::FunctionPtr Function(const std::vector<ExprPtr>& params, const ExprPtr& body) {
  std::vector<std::shared_ptr<const relay::Var>> vars;
  for (const auto& param : params) vars.push_back(std::static_pointer_cast<const relay::Var>(param));
  return relay::InferType(std::make_shared<relay::Function>(vars, body));
}

Tensor Filled(const relay::Type& type, uint64_t seed) {
  Tensor tensor(type.dtype, type.shape);
  if (type.dtype == DType::kFloat32) {
    FillTensor(tensor, Fill::kNormal, seed);
    return tensor;
  }
  Random random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(random.Below(3)));
  return tensor;
}

void ExpectNear(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  double scale = 1;
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (std::isfinite(want.At(i))) scale = std::max(scale, std::abs(want.At(i)));
  }
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (got.At(i) == want.At(i) || (std::isnan(got.At(i)) && std::isnan(want.At(i)))) continue;
    ASSERT_NEAR(got.At(i), want.At(i), tolerance * scale) << "element " << i << " of " << ShapeText(want.shape());
  }
}

// Compiles, runs whole and in pieces, and compares: with the reference, and the pieces bit for bit.
void Check(const relay::FunctionPtr& function, std::vector<Tensor> args = {}, double tolerance = 2e-6) {
  SCOPED_TRACE(GenericKey(*function));
  for (size_t i = args.size(); i < function->params.size(); ++i)
    args.push_back(Filled(*function->params[i]->type, i + 1));
  const auto want = RunReference(*function, args);
  Random random(7);
  for (const Target& target : TestTargets()) {
    SCOPED_TRACE(target.cpu);
    const CompiledFunction compiled(function, target);
    const auto got = compiled.Run(args, 0, random);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) ExpectNear(got[i], want[i], tolerance);
    const auto cut = compiled.Run(args, 5, random);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(std::memcmp(got[i].raw(), cut[i].raw(), static_cast<size_t>(got[i].size_bytes())), 0);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

// Shapes and layouts for operators that work in any.
struct Case {
  Shape shape;
  std::string layout;
};
const std::vector<Case> kCases = {{{1, 3, 5, 7}, ""},         {{2, 5, 1, 33}, ""},      {{1, 19, 3, 4}, "NCHW8c"},
                                  {{3, 16, 2, 3}, "NCHW16c"}, {{2, 7, 3, 5}, "NCHW4c"}, {{1, 3, 2, 2}, "NCHW16c"}};

TEST(GenericKernel, ComputesUnaryOperators) {
  for (const char* op : {"nn.relu", "sigmoid", "tanh", "exp", "erf", "negative", "abs", "nn.hard_swish", "nn.silu",
                         "nn.gelu", "nn.leaky_relu", "nn.hard_sigmoid"}) {
    const Case& c = kCases[std::string_view(op).size() % kCases.size()];
    const auto x = Param("x", c.shape, c.layout);
    Check(Function({x}, MakeCall(op, {x})));
  }
}

TEST(GenericKernel, ComputesElementwiseChainsInAnyLayout) {
  for (const Case& c : kCases) {
    const auto x = Param("x", c.shape, c.layout), y = Param("y", c.shape, c.layout), bias = Param("b", {c.shape[1]});
    const auto sum = MakeCall("add", {MakeCall("nn.bias_add", {x, bias}), y});
    // exp(0) is 1: lanes past the channels must still be zero.
    const auto exp = MakeCall("exp", {MakeCall("clip", {sum}, {{"a_min", -1.0}, {"a_max", 2.0}})});
    Check(Function({x, y, bias}, MakeCall("multiply", {exp, sum})));
  }
}

TEST(GenericKernel, BroadcastsAsNumpyDoes) {
  for (const Case& c : kCases) {
    const auto x = Param("x", c.shape, c.layout), scale = Param("s", {c.shape[1], 1, 1});
    const auto gate = Param("g", {c.shape[0], c.shape[1], 1, 1}, c.layout), slope = Param("p", {c.shape[1]});
    const auto body = MakeCall("nn.prelu", {MakeCall("multiply", {MakeCall("subtract", {x, scale}), gate}), slope});
    Check(Function({x, scale, gate, slope}, body));
  }
  const auto a = Param("a", {4, 1, 5}), b = Param("b", {3, 1});
  Check(Function({a, b}, MakeCall("maximum", {a, MakeCall("divide", {a, b})})));
}

TEST(GenericKernel, LetsNanThrough) {
  const auto x = Param("x", {1, 21});
  const auto body = MakeCall("clip", {MakeCall("nn.relu", {x})}, {{"a_min", -1.0}, {"a_max", 2.0}});
  Tensor value(DType::kFloat32, {1, 21});
  value.data<float>()[3] = std::nanf("");
  value.data<float>()[20] = std::nanf("");
  Check(Function({x}, body), {value});
}

TEST(GenericKernel, RaisesToPowers) {
  const auto x = Param("x", {2, 9});
  Tensor value(DType::kFloat32, {2, 9});
  FillTensor(value, Fill::kUniform, 3);
  for (double exponent : {2.0, 3.0, 0.5, 1.7}) {
    const bool whole = exponent == 2 || exponent == 3;
    const auto base = whole ? x : MakeCall("abs", {x});
    const auto y = relay::MakeConstant(Tensor::Scalar(static_cast<float>(exponent)));
    Check(Function({x}, MakeCall("power", {base, y})), {value});
  }
}

TEST(GenericKernel, CopiesAParameterAndUsesSharedValuesOnce) {
  for (const Case& c : kCases) {
    const auto x = Param("x", c.shape, c.layout);
    Check(Function({x}, x));
    auto y = x;
    for (int i = 0; i < 12; ++i) y = MakeCall("maximum", {MakeCall("negative", {y}), y});
    Check(Function({x}, y));
  }
}

struct PoolCase {
  Shape shape;
  Ints size, strides, dilation, padding;
  bool ceil_mode;
};
const std::vector<PoolCase> kPools = {{{1, 3, 13, 20}, {3, 3}, {2, 2}, {1, 1}, {1, 1, 1, 1}, false},
                                      {{2, 5, 7, 40}, {2, 3}, {1, 1}, {1, 1}, {0, 1, 0, 1}, false},
                                      {{1, 19, 8, 9}, {3, 3}, {2, 2}, {1, 1}, {0, 0, 1, 1}, true},
                                      {{1, 4, 9, 11}, {3, 2}, {1, 2}, {2, 3}, {2, 0, 1, 3}, true},
                                      {{1, 2, 3, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1, 1, 1}, false},
                                      {{1, 3, 20, 20}, {9, 9}, {3, 3}, {1, 1}, {4, 4, 4, 4}, false}};

TEST(GenericKernel, Pools) {
  for (const PoolCase& p : kPools) {
    for (const char* layout : {"", "NCHW8c", "NCHW16c"}) {
      const auto x = Param("x", p.shape, layout);
      Attrs attrs{{"pool_size", p.size},
                  {"strides", p.strides},
                  {"dilation", p.dilation},
                  {"padding", p.padding},
                  {"ceil_mode", p.ceil_mode}};
      if (*layout) attrs.Set("layout", std::string(layout));
      Check(Function({x}, MakeCall("nn.max_pool2d", {x}, attrs)));
      attrs.Set("count_include_pad", p.size[0] % 2 == 0);
      Check(Function({x}, MakeCall("nn.relu", {MakeCall("nn.avg_pool2d", {x}, attrs)})));
    }
  }
}

TEST(GenericKernel, CountsPaddingInAverages) {
  for (const PoolCase& p : kPools) {
    const auto x = Param("x", p.shape);
    Check(Function({x}, MakeCall("nn.avg_pool2d", {x},
                                 {{"pool_size", p.size},
                                  {"strides", p.strides},
                                  {"dilation", p.dilation},
                                  {"padding", p.padding},
                                  {"ceil_mode", p.ceil_mode},
                                  {"count_include_pad", true}})));
  }
}

TEST(GenericKernel, PoolsGlobally) {
  for (Case c : kCases) {
    for (int64_t width : {1, 7, 61}) {
      c.shape[3] = width;
      const auto x = Param("x", c.shape, c.layout);
      Check(Function({x}, MakeCall("nn.global_avg_pool2d", {x})));
      Check(Function({x}, MakeCall("sigmoid", {MakeCall("nn.global_max_pool2d", {x})})));
    }
  }
}

TEST(GenericKernel, Reduces) {
  for (const Ints& axes : {Ints{0}, Ints{1}, Ints{-1}, Ints{1, 2}, Ints{0, 2}, Ints{}}) {
    for (bool keep : {false, true}) {
      const auto x = Param("x", {3, 5, 37});
      for (const char* op : {"mean", "sum", "max"}) {
        Check(Function({x}, MakeCall(op, {x}, {{"axis", axes}, {"keepdims", keep}})));
      }
    }
  }
  const auto x = Param("x", {2, 20000});
  Check(Function({x}, MakeCall("mean", {MakeCall("multiply", {x, x})}, {{"axis", Ints{1}}})));
}

TEST(GenericKernel, NormalisesBySoftmax) {
  for (const Shape& shape : {Shape{3, 10}, Shape{1, 1000}, Shape{2, 5, 3, 19}, Shape{4}, Shape{5, 1}}) {
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
      const auto x = Param("x", shape);
      Check(Function({x}, MakeCall("nn.softmax", {x}, {{"axis", axis}})));
      Check(
          Function({x}, MakeCall("negative", {MakeCall("nn.log_softmax", {MakeCall("tanh", {x})}, {{"axis", axis}})})));
    }
  }
}

TEST(GenericKernel, NormalisesLocally) {
  for (const char* layout : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (int64_t channels : {3, 16, 37}) {
      for (int64_t size : {1, 4, 5, 13}) {
        const auto x = Param("x", {2, channels, 3, 5}, layout);
        const Attrs attrs{{"size", size}, {"alpha", 0.5}, {"beta", 0.75}, {"bias", 1.5}};
        Check(Function({x}, MakeCall("nn.lrn", {x}, attrs)));
      }
    }
  }
}

TEST(GenericKernel, Concatenates) {
  for (const auto& [layout, first] : std::vector<std::pair<std::string, int64_t>>{
           {"", 3}, {"NCHW8c", 16}, {"NCHW8c", 5}, {"NCHW16c", 32}, {"NCHW4c", 8}}) {
    const auto a = Param("a", {2, first, 3, 5}, layout), b = Param("b", {2, 8, 3, 5}, layout);
    const auto c = Param("c", {2, 6, 3, 5}, layout);
    const auto joined = MakeCall("concatenate", {relay::MakeTuple({a, b, c})}, {{"axis", int64_t{1}}});
    Check(Function({a, b, c}, joined));
    Check(Function({a, b, c}, MakeCall("exp", {joined})));
  }
  for (int64_t axis : {0, 2, 3}) {
    const auto a = Param("a", {2, 3, 4, 5}), b = Param("b", {2, 3, 4, 5});
    Check(Function({a, b}, MakeCall("concatenate", {relay::MakeTuple({a, b, a})}, {{"axis", axis}})));
  }
}

TEST(GenericKernel, Splits) {
  for (int64_t axis : {0, 1, 2}) {
    const auto x = Param("x", {4, 8, 6});
    Check(Function({x}, MakeCall("split", {x}, {{"indices_or_sections", Ints{2}}, {"axis", axis}})));
    Check(Function({x}, MakeCall("split", {x}, {{"indices_or_sections", Ints{1, 3}}, {"axis", axis}})));
  }
}

TEST(GenericKernel, Reshapes) {
  for (const auto& [from, to] : std::vector<std::pair<Shape, Ints>>{
           {{2, 3, 4}, {6, 4}}, {{1, 3, 5, 7}, {1, 105}}, {{2, 3, 5, 7}, {0, -1}}, {{6, 35}, {5, 42}}}) {
    const auto x = Param("x", from);
    Check(Function({x}, MakeCall("reshape", {x}, {{"newshape", to}})));
    Check(Function({x}, MakeCall("reshape", {MakeCall("tanh", {x})}, {{"newshape", to}})));
  }
  const auto x = Param("x", {1, 5, 1, 3});
  Check(Function({x}, MakeCall("squeeze", {x})));
  Check(Function({x}, MakeCall("expand_dims", {x}, {{"axis", int64_t{2}}, {"num_newaxis", int64_t{2}}})));
  Check(Function({x}, MakeCall("nn.batch_flatten", {x})));
}

TEST(GenericKernel, ShufflesChannels) {
  for (int64_t batch : {1, 3}) {
    const auto x = Param("x", {batch, 12, 5, 21});
    const auto groups = MakeCall("reshape", {x}, {{"newshape", Ints{batch, 3, 4, 5, 21}}});
    const auto swapped = MakeCall("transpose", {groups}, {{"axes", Ints{0, 2, 1, 3, 4}}});
    Check(Function({x}, MakeCall("reshape", {swapped}, {{"newshape", Ints{batch, 12, 5, 21}}})));
  }
}

TEST(GenericKernel, Transposes) {
  for (const Ints& axes : {Ints{}, Ints{0, 2, 1, 3}, Ints{0, 2, 3, 1}, Ints{3, 0, 1, 2}, Ints{1, 0, 2, 3}}) {
    const auto x = Param("x", {2, 3, 18, 20});
    Check(Function({x}, MakeCall("transpose", {x}, {{"axes", axes}})));
  }
}

TEST(GenericKernel, Pads) {
  for (const char* mode : {"constant", "reflect", "edge"}) {
    const auto x = Param("x", {2, 3, 4, 21});
    const auto all = Ints{0, 0, 1, 2, 3, 1, 2, 3}, rows = Ints{0, 0, 0, 0, 2, 3, 0, 0};
    Check(Function({x},
                   MakeCall("nn.pad", {x}, {{"pad_width", all}, {"pad_mode", std::string(mode)}, {"pad_value", 1.5}})));
    Check(Function({x}, MakeCall("nn.pad", {x}, {{"pad_width", rows}, {"pad_mode", std::string(mode)}})));
  }
}

TEST(GenericKernel, Slices) {
  const auto x = Param("x", {3, 10, 50});
  const auto slice = [&](Ints begin, Ints end, Ints strides, Ints axes) {
    const Attrs attrs{{"begin", begin}, {"end", end}, {"strides", strides}, {"axes", axes}};
    Check(Function({x}, MakeCall("strided_slice", {x}, attrs)));
  };
  slice({0, 2, 5}, {3, 9, 45}, {}, {});
  slice({1, 3}, {9, 50}, {2, 3}, {1, 2});
  slice({-1}, {-60}, {-1}, {2});
  slice({-4}, {1000}, {7}, {-1});
}

TEST(GenericKernel, TakesByIndex) {
  for (int64_t axis : {0, 1, 2}) {
    const auto x = Param("x", {4, 5, 18}), picks = Param("i", {2, 3}, "", DType::kInt64);
    const Tensor indices = Tensor::FromVector<int64_t>(DType::kInt64, {2, 3}, {0, 3, -1, 2, 2, -4});
    Check(Function({x, picks}, MakeCall("take", {x, picks}, {{"axis", axis}})), {Filled(*x->type, 1), indices});
    Check(Function({x}, MakeCall("take", {x, relay::MakeConstant(indices)}, {{"axis", axis}})));
  }
}

TEST(GenericKernel, TakesKnownChannelsOfBlocks) {
  const std::vector<int64_t> channels{0, 12, 24, 1, 13, 25, 2, 14, 26, 30, 3, 31, 15, 35, 7, 6, 8, 9, 34};
  const auto indices = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {19}, channels));
  for (const char* from : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (const char* to : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
      const auto x = Param("x", {2, 36, 5, 7}, from);
      const ExprPtr plain = MakeCall("take", {x, indices}, {{"axis", int64_t{1}}});
      const relay::Call& call = *relay::AsCall(plain);
      const auto take = std::make_shared<relay::Call>(call.op, call.args, call.attrs, "");
      take->type = TensorType({2, 19, 5, 7}, DType::kFloat32, to);
      const std::vector<std::shared_ptr<const relay::Var>> params{std::static_pointer_cast<const relay::Var>(x)};
      Check(std::make_shared<relay::Function>(params, take));
    }
  }
}

TEST(GenericKernel, TakesRowsAndColumnsOfBlocks) {
  const auto indices = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {7}, {0, 0, 1, 1, 2, 4, 4}));
  for (const char* layout : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (const int64_t axis : {2, 3}) {
      const auto x = Param("x", {2, 19, 5, 6}, layout);
      const ExprPtr plain = MakeCall("take", {x, indices}, {{"axis", axis}});
      const relay::Call& call = *relay::AsCall(plain);
      const auto take = std::make_shared<relay::Call>(call.op, call.args, call.attrs, "");
      take->type = TensorType(axis == 2 ? Shape{2, 19, 7, 6} : Shape{2, 19, 5, 7}, DType::kFloat32, layout);
      const std::vector<std::shared_ptr<const relay::Var>> params{std::static_pointer_cast<const relay::Var>(x)};
      Check(std::make_shared<relay::Function>(params, take));
    }
  }
}

TEST(GenericKernel, ReadsInsideTheDataForAnyIndex) {
  const auto x = Param("x", {2, 3}), picks = Param("i", {2}, "", DType::kInt64);
  const auto indices = Tensor::FromVector<int64_t>(DType::kInt64, {2}, {int64_t{1} << 60, -(int64_t{1} << 60)});
  const auto function = Function({x, picks}, MakeCall("take", {x, picks}, {{"axis", int64_t{0}}}));
  Random random(1);
  const Tensor data = Filled(*x->type, 1);
  const auto got = CompiledFunction(function, TestTargets()[0]).Run({data, indices}, 0, random);
  EXPECT_EQ(got[0].At(0), data.At(3));
  EXPECT_EQ(got[0].At(3), data.At(0));
}

TEST(GenericKernel, TransformsLayouts) {
  const std::vector<std::string> layouts{"NCHW", "NCHW4c", "NCHW8c", "NCHW16c", "NHWC"};
  for (const Shape& shape : {Shape{1, 3, 5, 21}, Shape{2, 32, 3, 4}, Shape{1, 19, 2, 18}}) {
    for (const auto& from : layouts) {
      for (const auto& to : layouts) {
        if (from == to || from == "NHWC" || to == "NHWC") continue;
        const auto x = Param("x", shape, from == "NCHW" ? "" : from);
        Check(Function({x}, MakeCall("layout_transform", {x}, {{"src_layout", from}, {"dst_layout", to}})));
      }
    }
  }
  const auto w = Param("w", {19, 5, 3, 3});
  const auto packed =
      MakeCall("layout_transform", {w}, {{"src_layout", std::string("OIHW")}, {"dst_layout", std::string("OIHW4i8o")}});
  Check(Function({w}, packed));
}

TEST(GenericKernel, Casts) {
  const auto x = Param("x", {3, 19});
  for (const char* dtype : {"int32", "int64", "bool", "float64"}) {
    Check(Function({x}, MakeCall("cast", {MakeCall("multiply", {x, x})}, {{"dtype", std::string(dtype)}})));
  }
  const auto i = Param("i", {3, 19}, "", DType::kInt64), j = Param("j", {19}, "", DType::kInt64);
  Check(Function({i}, MakeCall("cast", {i}, {{"dtype", std::string("float32")}})));
  Check(Function({i, j}, MakeCall("add", {MakeCall("multiply", {i, j}), j})));
}

TEST(GenericKernel, ConvolvesWithoutASchedule) {
  for (int64_t groups : {1, 3}) {
    for (const Ints& padding : {Ints{0, 0, 0, 0}, Ints{1, 2, 0, 1}}) {
      const auto x = Param("x", {2, 6, 9, 20}), w = Param("w", {9, 6 / groups, 3, 2}), b = Param("b", {9});
      const Attrs attrs{{"strides", Ints{2, 1}}, {"padding", padding}, {"dilation", Ints{1, 2}}, {"groups", groups}};
      Check(Function({x, w, b},
                     MakeCall("nn.relu", {MakeCall("nn.bias_add", {MakeCall("nn.conv2d", {x, w}, attrs), b})})));
    }
  }
}

TEST(GenericKernel, ConvolvesTransposed) {
  for (int64_t groups : {1, 2}) {
    const auto x = Param("x", {2, 4, 5, 6}), w = Param("w", {4, 3, 3, 4});
    Check(Function({x, w}, MakeCall("nn.conv2d_transpose", {x, w},
                                    {{"strides", Ints{2, 3}},
                                     {"padding", Ints{1, 0, 0, 2}},
                                     {"output_padding", Ints{1, 0}},
                                     {"dilation", Ints{2, 1}},
                                     {"groups", groups}})));
  }
}

TEST(GenericKernel, MultipliesMatrices) {
  for (int64_t depth : {3, 16, 77}) {
    const auto x = Param("x", {3, depth}), w = Param("w", {35, depth}), b = Param("b", {35});
    Check(Function({x, w, b}, MakeCall("nn.bias_add", {MakeCall("nn.dense", {x, w}), b})));
    const auto p = Param("p", {2, 5, depth}), q = Param("q", {2, 4, depth});
    Check(Function({p, q}, MakeCall("nn.batch_matmul", {p, q})));
  }
}

TEST(GenericKernel, ComputesFieldsOfTuples) {
  const auto x = Param("x", {2, 5, 3, 7});
  std::vector<ExprPtr> args{x};
  for (const char* name : {"gamma", "beta", "mean", "var"}) args.push_back(Param(name, {5}));
  Tensor variance(DType::kFloat32, {5});
  FillTensor(variance, Fill::kOnes, 0);
  std::vector<Tensor> values;
  for (size_t i = 0; i < 4; ++i) values.push_back(Filled(*args[i]->type, i));
  values.push_back(variance);
  Check(Function(args, relay::MakeTupleGetItem(MakeCall("nn.batch_norm", args), 0)), values);
  Check(Function({x}, relay::MakeTupleGetItem(MakeCall("nn.dropout", {x}), 0)));
}

TEST(GenericKernel, DividesLargeTensorsIntoManyItems) {
  const auto flat = Param("x", {1, 150528}), image = Param("x", {1, 64, 56, 56}, "NCHW16c");
  const Target target = TestTargets()[0];
  EXPECT_GE(CompiledFunction(Function({flat}, MakeCall("nn.relu", {flat})), target).extent(), 16);
  EXPECT_GE(CompiledFunction(Function({image}, MakeCall("nn.relu", {image})), target).extent(), 16);
  Check(Function({flat}, MakeCall("nn.relu", {flat})));
}

TEST(GenericKernel, KeysTellKernelsApart) {
  const auto relu = [](Shape shape, const std::string& layout) {
    const auto x = Param("x", std::move(shape), layout);
    return GenericKey(*Function({x}, MakeCall("nn.relu", {x})));
  };
  EXPECT_EQ(relu({1, 2, 3, 4}, ""), relu({1, 2, 3, 4}, ""));
  EXPECT_NE(relu({1, 2, 3, 4}, ""), relu({1, 2, 4, 3}, ""));
  EXPECT_NE(relu({1, 2, 3, 4}, ""), relu({1, 2, 3, 4}, "NCHW4c"));
  const auto clip = [](double high) {
    const auto x = Param("x", {4});
    return GenericKey(*Function({x}, MakeCall("clip", {x}, {{"a_min", 0.0}, {"a_max", high}})));
  };
  EXPECT_NE(clip(6.0), clip(std::nextafter(6.0, 7.0)));
  const auto plus = [](float constant) {
    const auto x = Param("x", {4});
    return GenericKey(*Function({x}, MakeCall("add", {x, relay::MakeConstant(Tensor::Scalar(constant))})));
  };
  EXPECT_EQ(plus(1), plus(1));
  EXPECT_NE(plus(1), plus(2));
  const auto x = Param("x", {4}), y = Param("y", {4});
  EXPECT_NE(GenericKey(*Function({x, y}, MakeCall("subtract", {x, y}))),
            GenericKey(*Function({x, y}, MakeCall("subtract", {y, x}))));
}

TEST(GenericKernel, RefusesWhatItCannotCompute) {
  const auto x = Param("x", {relay::kAnyDim, 4});
  EXPECT_FALSE(IsGeneric(*Function({x}, MakeCall("nn.relu", {x}))));
}

}  // namespace
}  // namespace hone::testing
