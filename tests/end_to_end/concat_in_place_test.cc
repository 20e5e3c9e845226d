// Concatenations whose fields are written in place, even if other operators read them.
#include <gtest/gtest.h>

#include "core/random.h"
#include "tests/end_to_end/expect_as_reference.h"

namespace hone {
namespace {

using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

ExprPtr Input(const std::string& name, Shape shape) {
  return relay::MakeVar(name, relay::TensorType(std::move(shape)));
}
ExprPtr Concat(std::vector<ExprPtr> fields, int64_t axis) {
  return MakeCall("concatenate", {relay::MakeTuple(std::move(fields))}, {{"axis", axis}});
}
ExprPtr Sigmoid(const ExprPtr& x) { return MakeCall("sigmoid", {x}); }
ExprPtr Weight(Shape shape) {
  Tensor weight(DType::kFloat32, std::move(shape));
  FillTensor(weight, Fill::kNormal, 5);
  return relay::MakeConstant(weight);
}
ExprPtr Conv3x3(const ExprPtr& x, int64_t in, int64_t out) {
  return MakeCall("nn.conv2d", {x, Weight({out, in, 3, 3})},
                  {{"padding", Ints{1, 1, 1, 1}}, {"channels", out}, {"kernel_size", Ints{3, 3}}});
}

TEST(ConcatInPlace, AFieldMayStandTwice) {
  for (const int64_t batch : {1, 3}) {
    for (const int64_t channels : {1, 16, 20}) {
      SCOPED_TRACE(std::to_string(batch) + " images of " + std::to_string(channels) + " channels");
      const ExprPtr x = Input("x", {batch, channels, 5, 3}), y = Sigmoid(x);
      const ExprPtr u = MakeCall("tanh", {x}), v = MakeCall("exp", {x}), w = MakeCall("nn.relu", {x});
      ExpectAsReference(ModuleOf(
          relay::MakeTuple({Concat({x, x, x}, 1), Concat({y, x, y}, 1), Concat({u, u}, 1), Concat({u, u, x}, 1),
                            Concat({v, x, v}, 0), Conv3x3(Concat({w, w, w}, 1), 3 * channels, 8)})));
    }
  }
}

// The images of a field in place lie apart, so a reader of another axis first has to take the gap into account.
TEST(ConcatInPlace, AFieldMayBeReadInAnyOrder) {
  for (const int64_t channels : {8, 10, 16}) {
    SCOPED_TRACE(channels);
    const ExprPtr x = Input("x", {5, channels, 6, 6}), y = Sigmoid(x), z = MakeCall("tanh", {x});
    std::vector<ExprPtr> results;
    for (const char* fold : {"max", "sum", "mean"}) {
      results.push_back(MakeCall(fold, {y}, {{"axis", Ints{0}}, {"keepdims", true}}));
      results.push_back(MakeCall(fold, {y}, {{"axis", Ints{0, 2}}}));
      results.push_back(MakeCall(fold, {y}, {{"axis", Ints{1, 2, 3}}, {"keepdims", true}}));
    }
    for (const Ints& axes : {Ints{1, 0, 2, 3}, Ints{3, 2, 1, 0}, Ints{2, 3, 1, 0}, Ints{0, 2, 3, 1}})
      results.push_back(MakeCall("transpose", {y}, {{"axes", axes}}));
    results.push_back(MakeCall("reshape", {y}, {{"newshape", Shape{channels, 180}}}));
    results.push_back(MakeCall("exp", {MakeCall("reshape", {y}, {{"newshape", Shape{5 * channels, 36}}})}));
    const Ints backwards{-1};
    results.push_back(MakeCall("strided_slice", {y},
                               {{"begin", Ints{3}}, {"end", Ints{0}}, {"strides", backwards}, {"axes", Ints{0}}}));
    const ExprPtr picked = MakeCall("argmax", {Input("i", {3, 5})}, {{"axis", int64_t{1}}});
    results.push_back(MakeCall("take", {y, picked}, {{"axis", int64_t{0}}}));
    results.push_back(Conv3x3(y, channels, 8));
    results.push_back(Concat({x, y}, 0));
    results.push_back(Concat({x, y}, 2));
    results.push_back(Concat({z, y}, 1));  // the last concatenation holds y in place
    ExpectAsReference(ModuleOf(relay::MakeTuple(results)));
  }
}

TEST(ConcatInPlace, AMatrixMayBeReadInAnyOrder) {
  const ExprPtr x = Input("x", {24, 20}), y = Sigmoid(x), z = MakeCall("tanh", {x});
  const ExprPtr three = Input("t", {4, 6, 20}), other = Input("r", {4, 8, 20}), apart = Sigmoid(three);
  ExpectAsReference(ModuleOf(relay::MakeTuple({
      MakeCall("transpose", {y}),
      MakeCall("nn.softmax", {y}, {{"axis", int64_t{0}}}),
      MakeCall("sum", {y}, {{"axis", Ints{1}}, {"keepdims", true}}),
      MakeCall("argmax", {y}, {{"axis", int64_t{1}}}),
      MakeCall("nn.dense", {y, Weight({12, 20})}),
      MakeCall("nn.dense", {Input("w", {12, 20}), y}),
      MakeCall("add", {y, Input("v", {24, 1})}),
      MakeCall("nn.batch_matmul", {apart, other}),
      MakeCall("nn.batch_matmul", {other, apart}),
      Concat({z, y}, 1),
      Concat({three, apart}, 1),
  })));
}

// Whole-call kernels take only dense operands, so they write elsewhere and read copies.
TEST(ConcatInPlace, AFieldMayBeAKernelOfItsOwn) {
  const ExprPtr x = Input("x", {7, 6}), y = Sigmoid(x);
  const ExprPtr indices = relay::MakeConstant(Tensor(DType::kInt64, {2, 6}));
  const auto scattered = [&](const ExprPtr& data) {
    return MakeCall("scatter_elements", {data, indices, Weight({2, 6})}, {{"axis", int64_t{0}}});
  };
  const ExprPtr z = scattered(x);
  ExpectAsReference(ModuleOf(relay::MakeTuple({Concat({y, z}, 1), Concat({scattered(z), x}, 0), scattered(y)})));
}

TEST(ConcatInPlace, ImagesMayBeJoinedInsideJoinedChannels) {
  for (const int64_t parts : {2, 3, 4}) {
    for (const int64_t images : {1, 2}) {
      std::vector<ExprPtr> joined;
      joined.reserve(static_cast<size_t>(parts));
      for (int64_t i = 0; i < parts; ++i) joined.push_back(Sigmoid(Input("a" + std::to_string(i), {images, 16, 4, 4})));
      const ExprPtr other = Sigmoid(Input("c", {parts * images, 16, 4, 4}));
      const ExprPtr inner = Concat(joined, 0);
      ExpectAsReference(ModuleOf(Concat({inner, other}, 1)));
      ExpectAsReference(ModuleOf(Concat({other, inner}, 1)));
      ExpectAsReference(ModuleOf(Conv3x3(Concat({Concat({other, inner}, 1), other}, 1), 48, 8)));
      ExpectAsReference(ModuleOf(Concat({Concat({inner, other}, 1), Input("d", {1, 32, 4, 4})}, 0)));
    }
  }
}

}  // namespace
}  // namespace hone
