// Generated kernels on operands with gaps between their images, against the operators' references.
#include <gtest/gtest.h>

#include "compiler/generic/memory_shape.h"
#include "tests/compiler/generic/check_function.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

// Checks with gaps in the parameter, in the result, and in both.
void CheckApart(const ExprPtr& param, const ExprPtr& body) {
  const relay::FunctionPtr function = Function({param}, body);
  CheckFunction(WithImagesApart(function, {0}));
  const bool images = !function->body->type->shape.empty() &&
                      ElementCount(function->body->type->shape) > function->body->type->shape[0];
  if (!images) return;
  CheckFunction(WithImagesApart(function, {1}));
  CheckFunction(WithImagesApart(function, {0, 1}));
}

TEST(ImagesApart, AreReadInAnyOrder) {
  for (const int64_t channels : {10, 16}) {
    const ExprPtr x = Param("x", {5, channels, 6, 6});
    CheckApart(x, MakeCall("exp", {x}));
    for (const char* fold : {"max", "sum"}) {
      CheckApart(x, MakeCall(fold, {x}, {{"axis", Ints{0}}}));
      CheckApart(x, MakeCall(fold, {x}, {{"axis", Ints{0, 3}}}));
      CheckApart(x, MakeCall(fold, {x}, {{"axis", Ints{1, 2, 3}}, {"keepdims", true}}));
    }
    for (const Ints& axes : {Ints{1, 0, 2, 3}, Ints{3, 2, 1, 0}, Ints{2, 3, 1, 0}, Ints{0, 2, 3, 1}, Ints{1, 2, 3, 0}})
      CheckApart(x, MakeCall("transpose", {x}, {{"axes", axes}}));
    CheckApart(x, MakeCall("reshape", {x}, {{"newshape", Ints{channels, 180}}}));
    CheckApart(x, MakeCall("reshape", {x}, {{"newshape", Ints{5, channels * 36}}}));
    CheckApart(x, MakeCall("strided_slice", {x},
                           {{"begin", Ints{4}}, {"end", Ints{0}}, {"strides", Ints{-2}}, {"axes", Ints{0}}}));
    CheckApart(x, MakeCall("nn.softmax", {x}, {{"axis", int64_t{0}}}));
    CheckApart(x, MakeCall("nn.softmax", {x}, {{"axis", int64_t{1}}}));
    CheckApart(x, MakeCall("nn.max_pool2d", {x}, {{"pool_size", Ints{2, 2}}, {"strides", Ints{2, 2}}}));
  }
}

// A line that continues from image to image is contiguous in its parameter and not in its result.
TEST(ImagesApart, AreCrossedByLines) {
  for (const Ints& axes : {Ints{0, 1, 2}, Ints{0, 1}, Ints{0, 2}, Ints{1, 2}, Ints{0}}) {
    for (const Shape& shape : {Shape{2, 5, 6}, Shape{3, 1, 37}}) {
      const ExprPtr x = Param("x", shape);
      const auto mean = [&](const ExprPtr& data) {
        return MakeCall("mean", {data}, {{"axis", axes}, {"keepdims", true}});
      };
      const ExprPtr centred = MakeCall("subtract", {x, mean(x)});
      CheckApart(x, centred);
      CheckApart(x, MakeCall("multiply", {centred, mean(MakeCall("multiply", {centred, centred}))}));
    }
  }
}

TEST(ImagesApart, ArePhases) {
  for (const std::string layout : {"", "NCHW8c"}) {
    const ExprPtr a = Param("a", {3, 10, 4, 5}, layout), b = Param("b", {3, 10, 4, 4}, layout);
    const relay::Attrs attrs{{"strides", Ints{1, 2}}, {"size", Ints{4, 9}}};
    const relay::FunctionPtr function = Function({a, b}, MakeCall("nn.interleave", {relay::MakeTuple({a, b})}, attrs));
    CheckFunction(WithImagesApart(function, {1}));
    CheckFunction(WithImagesApart(function, {0, 2}));
  }
}

TEST(ImagesApart, AreTheRowsOfAMatrix) {
  const ExprPtr x = Param("x", {37, 20});
  CheckApart(x, MakeCall("transpose", {x}));
  CheckApart(x, MakeCall("sum", {x}, {{"axis", Ints{1}}}));
  CheckApart(x, MakeCall("sum", {x}, {{"axis", Ints{1}}, {"keepdims", true}}));
  CheckApart(x, MakeCall("nn.softmax", {x}, {{"axis", int64_t{0}}}));
  CheckApart(x, MakeCall("strided_slice", {x}, {{"begin", Ints{3}}, {"end", Ints{4}}, {"axes", Ints{1}}}));
}

TEST(ImagesApart, LieInAnyLayout) {
  for (const std::string layout : {"NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (const int64_t channels : {16, 10}) {
      const ExprPtr blocked = Param("x", {3, channels, 5, 5}, layout), plain = Param("y", {3, channels, 5, 5});
      CheckApart(blocked, MakeCall("exp", {blocked}));
      CheckApart(blocked, MakeCall("layout_transform", {blocked}, {{"src_layout", layout}, {"dst_layout", "NCHW"}}));
      CheckApart(plain, MakeCall("layout_transform", {plain}, {{"src_layout", "NCHW"}, {"dst_layout", layout}}));
    }
  }
}

}  // namespace
}  // namespace hone::testing
