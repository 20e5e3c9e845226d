// Generated kernels against the operators' references, over random small shapes, layouts and splits of the work.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "compiler/ops/kernel.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

using relay::Attrs;
using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

// Shapes and layouts for operators that accept any.
struct Case {
  Shape shape;
  std::string layout;
};
const std::vector<Case> kCases = {{{1, 3, 5, 7}, ""},         {{2, 5, 1, 33}, ""},      {{1, 19, 3, 4}, "NCHW8c"},
                                  {{3, 16, 2, 3}, "NCHW16c"}, {{2, 7, 3, 5}, "NCHW4c"}, {{1, 3, 2, 2}, "NCHW16c"}};

TEST(GenericKernel, ComputesUnaryOperators) {
  for (const char* op : {"nn.relu", "sigmoid",       "tanh",    "exp",     "erf",           "negative",
                         "abs",     "nn.hard_swish", "nn.silu", "nn.gelu", "nn.leaky_relu", "nn.hard_sigmoid",
                         "nn.mish", "floor",         "ceil",    "trunc",   "round",         "sign",
                         "expm1",   "sin",           "cos",     "atan"}) {
    const Case& c = kCases[std::string_view(op).size() % kCases.size()];
    const auto x = Param("x", c.shape, c.layout);
    CheckFunction(Function({x}, MakeCall(op, {x})));
  }
}

TEST(GenericKernel, ComputesElementwiseChainsInAnyLayout) {
  for (const Case& c : kCases) {
    const auto x = Param("x", c.shape, c.layout), y = Param("y", c.shape, c.layout), bias = Param("b", {c.shape[1]});
    const auto sum = MakeCall("add", {MakeCall("nn.bias_add", {x, bias}), y});
    // exp(0) is 1, but lanes past the channels must still be zero.
    const auto exp = MakeCall("exp", {MakeCall("clip", {sum}, {{"a_min", -1.0}, {"a_max", 2.0}})});
    CheckFunction(Function({x, y, bias}, MakeCall("multiply", {exp, sum})));
  }
}

TEST(GenericKernel, BroadcastsAsNumpyDoes) {
  for (const Case& c : kCases) {
    const auto x = Param("x", c.shape, c.layout), scale = Param("s", {c.shape[1], 1, 1});
    const auto gate = Param("g", {c.shape[0], c.shape[1], 1, 1}, c.layout), slope = Param("p", {c.shape[1]});
    const auto body = MakeCall("nn.prelu", {MakeCall("multiply", {MakeCall("subtract", {x, scale}), gate}), slope});
    CheckFunction(Function({x, scale, gate, slope}, body));
  }
  const auto a = Param("a", {4, 1, 5}), b = Param("b", {3, 1});
  CheckFunction(Function({a, b}, MakeCall("maximum", {a, MakeCall("divide", {a, b})})));
}

TEST(GenericKernel, RoundsHalvesToTheEvenNumber) {
  const auto x = Param("x", {1, 18});
  const std::vector<float> values{0.5f,        1.5f,       2.5f,        -0.5f,  -1.5f,  0.49999997f,
                                  -2.5000002f, 3,          -7.25f,      1e10f,  -1e30f, 8388607.5f,
                                  8388609.0f,  4194303.5f, -4194304.5f, 1e-20f, -0.0f,  254.5f};
  CheckFunction(Function({x}, MakeCall("round", {x})), {Tensor::FromVector<float>(DType::kFloat32, {1, 18}, values)},
                0);
}

// Quantises x / 0.3 with the zero point 7 to 8 bits, and back.
TEST(GenericKernel, QuantisesAndDequantisesToTheBit) {
  const auto x = Param("x", {3, 37});
  const auto scale = relay::MakeConstant(Tensor::Scalar(0.3F)), zero = relay::MakeConstant(Tensor::Scalar(7));
  const auto whole = MakeCall("add", {MakeCall("round", {MakeCall("divide", {x, scale})}), zero});
  Tensor values(DType::kFloat32, {3, 37});
  for (int64_t i = 0; i < values.elements(); ++i) values.Set(i, 0.15 * static_cast<double>(i * 37 % 1200 - 600));
  for (const auto& [name, low, high] : {std::tuple("uint8", 0.0, 255.0), std::tuple("int8", -128.0, 127.0)}) {
    const auto held = MakeCall("clip", {whole}, {{"a_min", low}, {"a_max", high}});
    const auto integers = MakeCall("cast", {held}, {{"dtype", std::string(name)}});
    CheckFunction(Function({x}, integers), {values}, 0);
    const auto q = Param("q", {3, 37}, "", name == std::string("int8") ? DType::kInt8 : DType::kUInt8);
    Tensor bytes(q->type->dtype, {3, 37});
    for (int64_t i = 0; i < bytes.elements(); ++i) bytes.Set(i, low + static_cast<double>(i * 5 % 256));
    const auto real = MakeCall("subtract", {MakeCall("cast", {q}, {{"dtype", std::string("float32")}}), zero});
    CheckFunction(Function({q}, MakeCall("multiply", {real, scale})), {bytes}, 0);
  }
}

// x * y is rounded before z is added. With z = 1/2 - x * y the sum is one half, which a fused multiply-add would miss.
TEST(GenericKernel, FusesNoProductIntoASumThatIsRounded) {
  const auto x = Param("x", {64}), y = Param("y", {64}), z = Param("z", {64});
  std::vector<Tensor> args{Filled(*x->type, 1), Filled(*y->type, 2), Tensor(DType::kFloat32, {64})};
  for (int64_t i = 0; i < 64; ++i) {
    const float product = args[0].data<float>()[i] * args[1].data<float>()[i];
    args[2].data<float>()[i] = 0.5F - product;
  }
  const auto sum = MakeCall("add", {MakeCall("multiply", {x, y}), z});
  CheckFunction(Function({x, y, z}, MakeCall("round", {sum})), args, 0);
  auto marked = std::make_shared<relay::Function>(Function({x, y, z}, sum)->params, sum, Attrs{{"rounds", int64_t{1}}});
  CheckFunction(relay::InferType(marked), args, 0);
}

TEST(GenericKernel, LetsNanThrough) {
  const auto x = Param("x", {1, 21});
  const auto body = MakeCall("clip", {MakeCall("nn.relu", {x})}, {{"a_min", -1.0}, {"a_max", 2.0}});
  Tensor value(DType::kFloat32, {1, 21});
  value.data<float>()[3] = std::nanf("");
  value.data<float>()[20] = std::nanf("");
  CheckFunction(Function({x}, body), {value});
}

TEST(GenericKernel, RaisesToPowers) {
  const auto x = Param("x", {2, 9});
  Tensor value(DType::kFloat32, {2, 9});
  FillTensor(value, Fill::kUniform, 3);
  for (double exponent : {2.0, 3.0, 0.5, 1.7}) {
    const bool whole = exponent == 2 || exponent == 3;
    const auto base = whole ? x : MakeCall("abs", {x});
    const auto y = relay::MakeConstant(Tensor::Scalar(static_cast<float>(exponent)));
    CheckFunction(Function({x}, MakeCall("power", {base, y})), {value});
  }
}

TEST(GenericKernel, CopiesAParameterAndUsesSharedValuesOnce) {
  for (const Case& c : kCases) {
    const auto x = Param("x", c.shape, c.layout);
    CheckFunction(Function({x}, x));
    auto y = x;
    for (int i = 0; i < 12; ++i) y = MakeCall("maximum", {MakeCall("negative", {y}), y});
    CheckFunction(Function({x}, y));
  }
}

ExprPtr Number(float value) {
  Tensor number(DType::kFloat32, {});
  number.Set(0, value);
  return relay::MakeConstant(number);
}

// Quantisation with its step in the kernel: values beyond the bounds, between two integers, and infinite.
TEST(GenericKernel, RoundsQuotientsAsTheReferenceDoes) {
  const Shape shape{3, 700};
  for (const float step : {0.0371F, 1.7F, 0.25F, 3e-5F, 4e20F}) {
    Tensor x(DType::kFloat32, shape);
    FillTensor(x, Fill::kNormal, 5);
    for (int64_t i = 0; i < x.elements(); ++i) x.Set(i, x.At(i) * step * 150);
    for (int64_t i = 0; i < x.elements(); i += 3) x.Set(i, static_cast<float>((i % 300 - 150) + 0.5) * step);
    x.Set(1, std::numeric_limits<double>::infinity());
    x.Set(2, -std::numeric_limits<double>::infinity());
    x.Set(4, 3e38);
    const auto data = Param("x", shape);
    const ExprPtr quotient = MakeCall("divide", {data, Number(step)});
    const ExprPtr whole = MakeCall("clip", {MakeCall("round", {quotient})}, {{"a_min", -121.0}, {"a_max", 134.0}});
    const ExprPtr byte = MakeCall("cast", {MakeCall("add", {whole, Number(121)})}, {{"dtype", "uint8"}});
    CheckFunction(Function({data}, byte), {x}, 0);
  }
}

// Steps and zeros that are known in a run, also such steps for which only the instruction divides right.
TEST(GenericKernel, RoundsQuotientsByComputedSteps) {
  const Shape shape{3, 700};
  for (const float step : {0.0371F, 1.7F, 0.25F, -3e-5F, 3e-25F, 4e25F, 0.0F, std::numeric_limits<float>::infinity()}) {
    Tensor x(DType::kFloat32, shape), by(DType::kFloat32, {}), zero(DType::kFloat32, {});
    by.Set(0, step);
    zero.Set(0, 121);
    const float apart = std::isnormal(step) ? std::abs(step) : 1;
    FillTensor(x, Fill::kNormal, 6);
    for (int64_t i = 0; i < x.elements(); ++i) x.Set(i, x.At(i) * apart * 150 + (step == 0 ? 1000 : 0));
    for (int64_t i = 0; i < x.elements(); i += 3)
      x.Set(i, static_cast<float>((i % 300 - 150) + 0.25 * (i % 4)) * apart);
    if (step == 0) x.Set(0, 1);
    x.Set(1, 3e38);
    x.Set(2, -3e38);
    const auto data = Param("x", shape), divisor = Param("step", {}), shift = Param("zero", {});
    const ExprPtr rounded = MakeCall("round", {MakeCall("divide", {data, divisor})});
    for (const ExprPtr& sum : {rounded, MakeCall("add", {rounded, shift})}) {
      const ExprPtr whole = MakeCall("clip", {sum}, {{"a_min", 0.0}, {"a_max", 255.0}});
      CheckFunction(Function({data, divisor, shift}, MakeCall("cast", {whole}, {{"dtype", "uint8"}})), {x, by, zero},
                    0);
    }
  }
}

TEST(GenericKernel, PoolsGlobally) {
  for (Case c : kCases) {
    for (int64_t width : {1, 7, 61}) {
      c.shape[3] = width;
      const auto x = Param("x", c.shape, c.layout);
      CheckFunction(Function({x}, MakeCall("nn.global_avg_pool2d", {x})));
      CheckFunction(Function({x}, MakeCall("sigmoid", {MakeCall("nn.global_max_pool2d", {x})})));
    }
  }
}

TEST(GenericKernel, Reduces) {
  for (const Ints& axes : {Ints{0}, Ints{1}, Ints{-1}, Ints{1, 2}, Ints{0, 2}, Ints{}}) {
    for (bool keep : {false, true}) {
      const auto x = Param("x", {3, 5, 37});
      for (const char* op : {"mean", "sum", "prod", "max", "min"}) {
        CheckFunction(Function({x}, MakeCall(op, {x}, {{"axis", axes}, {"keepdims", keep}})));
      }
    }
  }
  const auto x = Param("x", {2, 20000});
  CheckFunction(Function({x}, MakeCall("mean", {MakeCall("multiply", {x, x})}, {{"axis", Ints{1}}})));
}

TEST(GenericKernel, ReducesOtherDtypes) {
  for (DType dtype : {DType::kInt32, DType::kInt64, DType::kInt8, DType::kUInt8, DType::kBool}) {
    const auto x = Param("x", {3, 19}, "", dtype);
    for (const char* op : {"max", "min"}) CheckFunction(Function({x}, MakeCall(op, {x}, {{"axis", Ints{1}}})));
  }
  const auto u = Param("u", {4}, "", DType::kUInt8);
  const Tensor high = Tensor::FromVector<uint8_t>(DType::kUInt8, {4}, {3, 200, 7, 250});
  for (const char* op : {"max", "min"}) CheckFunction(Function({u}, MakeCall(op, {u})), {high});
}

TEST(GenericKernel, FindsWhereExtremaAre) {
  for (int64_t axis : {0, 1, -1}) {
    for (bool keep : {false, true}) {
      const auto x = Param("x", {6, 5, 41}), n = Param("n", {6, 5, 41}, "", DType::kInt64);
      for (const char* op : {"argmax", "argmin"}) {
        for (bool last : {false, true}) {
          const Attrs attrs{{"axis", axis}, {"keepdims", keep}, {"select_last_index", last}};
          CheckFunction(Function({x}, MakeCall(op, {x}, attrs)));
          // Only three values, so most lines have ties.
          CheckFunction(Function({n}, MakeCall(op, {n}, attrs)));
        }
      }
    }
  }
  const auto x = Param("x", {2, 40});
  Tensor value(DType::kFloat32, {2, 40});
  value.data<float>()[17] = std::nanf("");
  value.data<float>()[20] = 5;
  CheckFunction(Function({x}, MakeCall("argmax", {x}, {{"axis", int64_t{1}}})), {value});
}

TEST(GenericKernel, NormalisesBySoftmax) {
  for (const Shape& shape : {Shape{3, 10}, Shape{1, 1000}, Shape{2, 5, 3, 19}, Shape{4}, Shape{5, 1}}) {
    for (int64_t axis = 0; axis < static_cast<int64_t>(shape.size()); ++axis) {
      const auto x = Param("x", shape);
      CheckFunction(Function({x}, MakeCall("nn.softmax", {x}, {{"axis", axis}})));
      CheckFunction(
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
        CheckFunction(Function({x}, MakeCall("nn.lrn", {x}, attrs)));
      }
    }
  }
}

TEST(GenericKernel, Casts) {
  const auto x = Param("x", {3, 19});
  for (const char* dtype : {"int32", "int64", "bool", "float64"}) {
    CheckFunction(Function({x}, MakeCall("cast", {MakeCall("multiply", {x, x})}, {{"dtype", std::string(dtype)}})));
  }
  const auto i = Param("i", {3, 19}, "", DType::kInt64), j = Param("j", {19}, "", DType::kInt64);
  CheckFunction(Function({i}, MakeCall("cast", {i}, {{"dtype", std::string("float32")}})));
  CheckFunction(Function({i, j}, MakeCall("add", {MakeCall("multiply", {i, j}), j})));
}

TEST(GenericKernel, ConvolvesWithoutASchedule) {
  for (int64_t groups : {1, 3}) {
    for (const Ints& padding : {Ints{0, 0, 0, 0}, Ints{1, 2, 0, 1}}) {
      const auto x = Param("x", {2, 6, 9, 20}), w = Param("w", {9, 6 / groups, 3, 2}), b = Param("b", {9});
      const Attrs attrs{{"strides", Ints{2, 1}}, {"padding", padding}, {"dilation", Ints{1, 2}}, {"groups", groups}};
      CheckFunction(Function(
          {x, w, b}, MakeCall("nn.relu", {MakeCall("nn.bias_add", {MakeCall("nn.conv2d", {x, w}, attrs), b})})));
    }
  }
}

TEST(GenericKernel, MultipliesMatrices) {
  for (int64_t depth : {3, 16, 77}) {
    const auto x = Param("x", {3, depth}), w = Param("w", {35, depth}), b = Param("b", {35});
    CheckFunction(Function({x, w, b}, MakeCall("nn.bias_add", {MakeCall("nn.dense", {x, w}), b})));
    const auto p = Param("p", {2, 5, depth}), q = Param("q", {2, 4, depth});
    CheckFunction(Function({p, q}, MakeCall("nn.batch_matmul", {p, q})));
    const auto r = Param("r", {2, depth, 7}), s = Param("s", {1, depth, 5});
    CheckFunction(
        Function({r, s}, MakeCall("nn.batch_matmul", {r, s}, {{"transpose_a", true}, {"transpose_b", false}})));
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
  CheckFunction(Function(args, relay::MakeTupleGetItem(MakeCall("nn.batch_norm", args), 0)), values);
  CheckFunction(Function({x}, relay::MakeTupleGetItem(MakeCall("nn.dropout", {x}), 0)));
}

TEST(GenericKernel, DividesLargeTensorsIntoManyItems) {
  const auto flat = Param("x", {1, 150528}), image = Param("x", {1, 64, 56, 56}, "NCHW16c");
  const Target target = TestTargets()[0];
  EXPECT_GE(CompiledFunction(Function({flat}, MakeCall("nn.relu", {flat})), target).extent(), 16);
  EXPECT_GE(CompiledFunction(Function({image}, MakeCall("nn.relu", {image})), target).extent(), 16);
  CheckFunction(Function({flat}, MakeCall("nn.relu", {flat})));
}

TEST(GenericKernel, AFewKilobytesAreOneWorkers) {
  const auto parts = [](int64_t elements) {
    const auto x = Param("x", {1, elements});
    const auto split = MakeCall("split", {x}, {{"indices_or_sections", std::vector<int64_t>{4}}, {"axis", int64_t{1}}});
    return CompiledFunction(Function({x}, split), TestTargets()[0]).parts();
  };
  EXPECT_EQ(parts(128), 1);
  EXPECT_GE(parts(1024), 4);
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
