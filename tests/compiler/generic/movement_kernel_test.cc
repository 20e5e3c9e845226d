// Generated kernels that only move elements of their arguments, against the operators' references.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/ceil_div.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {
namespace {

using relay::Attrs;
using relay::ExprPtr;
using relay::MakeCall;
using relay::TensorType;
using Ints = std::vector<int64_t>;

TEST(MovementKernel, Concatenates) {
  for (const auto& [layout, first] : std::vector<std::pair<std::string, int64_t>>{
           {"", 3}, {"NCHW8c", 16}, {"NCHW8c", 5}, {"NCHW16c", 32}, {"NCHW4c", 8}}) {
    const auto a = Param("a", {2, first, 3, 5}, layout), b = Param("b", {2, 8, 3, 5}, layout);
    const auto c = Param("c", {2, 6, 3, 5}, layout);
    const auto joined = MakeCall("concatenate", {relay::MakeTuple({a, b, c})}, {{"axis", int64_t{1}}});
    CheckFunction(Function({a, b, c}, joined));
    CheckFunction(Function({a, b, c}, MakeCall("exp", {joined})));
  }
  for (int64_t axis : {0, 2, 3}) {
    const auto a = Param("a", {2, 3, 4, 5}), b = Param("b", {2, 3, 4, 5});
    CheckFunction(Function({a, b}, MakeCall("concatenate", {relay::MakeTuple({a, b, a})}, {{"axis", axis}})));
  }
}

TEST(MovementKernel, Splits) {
  for (int64_t axis : {0, 1, 2}) {
    const auto x = Param("x", {4, 8, 6});
    CheckFunction(Function({x}, MakeCall("split", {x}, {{"indices_or_sections", Ints{2}}, {"axis", axis}})));
    CheckFunction(Function({x}, MakeCall("split", {x}, {{"indices_or_sections", Ints{1, 3}}, {"axis", axis}})));
  }
}

TEST(MovementKernel, MakesChannelsPlaces) {
  for (const std::string layout : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (const std::string mode : {"DCR", "CRD"}) {
      if (mode == "CRD" && !layout.empty()) continue;  // stays row-major
      const auto x = Param("x", {2, 64, 3, 5}, layout);
      CheckFunction(Function({x}, MakeCall("nn.depth_to_space", {x}, {{"block_size", int64_t{2}}, {"mode", mode}})));
    }
  }
  const auto x = Param("x", {1, 27, 2, 3});
  CheckFunction(Function({x}, MakeCall("nn.depth_to_space", {x}, {{"block_size", int64_t{3}}})));
}

// The phases of an image of that size; the last phase is a single pixel for all.
void CheckInterleave(const Shape& image, const Ints& strides, const std::string& layout, DType dtype) {
  std::vector<ExprPtr> fields;
  for (int64_t r = 0; r < strides[0]; ++r) {
    for (int64_t c = 0; c < strides[1]; ++c) {
      const bool last = r + c > 0 && r == strides[0] - 1 && c == strides[1] - 1;
      const Shape phase{image[0], image[1], CeilDiv(image[2] - r, strides[0]), CeilDiv(image[3] - c, strides[1])};
      const std::string name = "p" + std::to_string(r) + "_" + std::to_string(c);
      fields.push_back(Param(name, last ? Shape{1, image[1], 1, 1} : phase, layout, dtype));
    }
  }
  const Attrs attrs{{"strides", strides}, {"size", Ints{image[2], image[3]}}};
  CheckFunction(Function(fields, MakeCall("nn.interleave", {relay::MakeTuple(fields)}, attrs)));
}

TEST(MovementKernel, InterleavesPhases) {
  for (const std::string layout : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (const DType dtype : {DType::kFloat32, DType::kUInt8}) {
      CheckInterleave({2, 19, 7, 37}, {2, 2}, layout, dtype);
      CheckInterleave({1, 8, 1, 100}, {1, 5}, layout, dtype);
      CheckInterleave({1, 3, 9, 4}, {3, 1}, layout, dtype);
      CheckInterleave({2, 5, 40, 50}, {4, 12}, layout, dtype);
      CheckInterleave({1, 5, 3, 2}, {3, 2}, layout, dtype);
    }
  }
}

TEST(MovementKernel, Reshapes) {
  for (const auto& [from, to] : std::vector<std::pair<Shape, Ints>>{
           {{2, 3, 4}, {6, 4}}, {{1, 3, 5, 7}, {1, 105}}, {{2, 3, 5, 7}, {0, -1}}, {{6, 35}, {5, 42}}}) {
    const auto x = Param("x", from);
    CheckFunction(Function({x}, MakeCall("reshape", {x}, {{"newshape", to}})));
    CheckFunction(Function({x}, MakeCall("reshape", {MakeCall("tanh", {x})}, {{"newshape", to}})));
  }
  const auto x = Param("x", {1, 5, 1, 3});
  CheckFunction(Function({x}, MakeCall("squeeze", {x})));
  CheckFunction(Function({x}, MakeCall("expand_dims", {x}, {{"axis", int64_t{2}}, {"num_newaxis", int64_t{2}}})));
  CheckFunction(Function({x}, MakeCall("nn.batch_flatten", {x})));
}

TEST(MovementKernel, ShufflesChannels) {
  for (int64_t batch : {1, 3}) {
    const auto x = Param("x", {batch, 12, 5, 21});
    const auto groups = MakeCall("reshape", {x}, {{"newshape", Ints{batch, 3, 4, 5, 21}}});
    const auto swapped = MakeCall("transpose", {groups}, {{"axes", Ints{0, 2, 1, 3, 4}}});
    CheckFunction(Function({x}, MakeCall("reshape", {swapped}, {{"newshape", Ints{batch, 12, 5, 21}}})));
  }
}

TEST(MovementKernel, Transposes) {
  for (const Ints& axes : {Ints{}, Ints{0, 2, 1, 3}, Ints{0, 2, 3, 1}, Ints{3, 0, 1, 2}, Ints{1, 0, 2, 3}}) {
    const auto x = Param("x", {2, 3, 18, 20});
    CheckFunction(Function({x}, MakeCall("transpose", {x}, {{"axes", axes}})));
  }
}

TEST(MovementKernel, Pads) {
  for (const char* mode : {"constant", "reflect", "edge"}) {
    const auto x = Param("x", {2, 3, 4, 21});
    const auto all = Ints{0, 0, 1, 2, 3, 1, 2, 3}, rows = Ints{0, 0, 0, 0, 2, 3, 0, 0};
    CheckFunction(Function(
        {x}, MakeCall("nn.pad", {x}, {{"pad_width", all}, {"pad_mode", std::string(mode)}, {"pad_value", 1.5}})));
    CheckFunction(Function({x}, MakeCall("nn.pad", {x}, {{"pad_width", rows}, {"pad_mode", std::string(mode)}})));
  }
}

TEST(MovementKernel, PadsOfHalvesHaveTheBordersValue) {
  for (const DType half : {DType::kFloat16, DType::kBFloat16}) {
    const auto x = Param("x", {3, 21}, "", half);
    CheckFunction(Function({x}, MakeCall("nn.pad", {x}, {{"pad_width", Ints{1, 2, 3, 4}}, {"pad_value", -1.5}})), {},
                  0);
  }
}

// Inner rows are copied as vectors; the operator after the padding is computed in the border and inside.
TEST(MovementKernel, PadsLongRows) {
  for (const Ints& width :
       {Ints{0, 0, 0, 0, 3, 2, 3, 2}, Ints{0, 0, 0, 0, 0, 0, 0, 1}, Ints{1, 0, 0, 2, 0, 0, 40, 0}}) {
    const auto x = Param("x", {2, 3, 9, 150});
    const auto padded = MakeCall("nn.pad", {x}, {{"pad_width", width}, {"pad_value", -0.5}});
    CheckFunction(Function({x}, padded));
    CheckFunction(Function({x}, MakeCall("exp", {MakeCall("negative", {padded})})));
  }
}

TEST(MovementKernel, Slices) {
  const auto x = Param("x", {3, 10, 50});
  const auto slice = [&](Ints begin, Ints end, Ints strides, Ints axes) {
    const Attrs attrs{{"begin", begin}, {"end", end}, {"strides", strides}, {"axes", axes}};
    CheckFunction(Function({x}, MakeCall("strided_slice", {x}, attrs)));
  };
  slice({0, 2, 5}, {3, 9, 45}, {}, {});
  slice({1, 3}, {9, 50}, {2, 3}, {1, 2});
  slice({-1}, {-60}, {-1}, {2});
  slice({-4}, {1000}, {7}, {-1});
}

// The last elements of a row, three apart, span as many elements as a vector has lanes: 2 span 4, 6 span 16.
TEST(MovementKernel, SlicesRowsWhoseRestReachesAsFarAsAVector) {
  for (const int64_t count : {6, 22}) {
    const auto x = Param("x", {2, 3 * count});
    CheckFunction(Function(
        {x}, MakeCall("strided_slice", {x},
                      {{"begin", Ints{0}}, {"end", Ints{3 * count}}, {"strides", Ints{3}}, {"axes", Ints{1}}})));
  }
}

TEST(MovementKernel, TakesByIndex) {
  for (int64_t axis : {0, 1, 2}) {
    const auto x = Param("x", {4, 5, 18}), picks = Param("i", {2, 3}, "", DType::kInt64);
    const Tensor indices = Tensor::FromVector<int64_t>(DType::kInt64, {2, 3}, {0, 3, -1, 2, 2, -4});
    CheckFunction(Function({x, picks}, MakeCall("take", {x, picks}, {{"axis", axis}})), {Filled(*x->type, 1), indices});
    CheckFunction(Function({x}, MakeCall("take", {x, relay::MakeConstant(indices)}, {{"axis", axis}})));
  }
}

// Every `step`th element of an axis, and its last one, counted from the end.
Tensor Steps(double step, int64_t extent) {
  Tensor picks(DType::kInt64, {37});
  for (int64_t i = 0; i < 37; ++i) {
    const auto at = static_cast<int64_t>(step * static_cast<double>(i));
    picks.data<int64_t>()[i] = std::clamp(step < 0 ? extent - 1 + at : at, int64_t{0}, extent - 1);
  }
  picks.data<int64_t>()[36] = -1;
  return picks;
}

// Neighbouring lanes share a position, or their positions lie apart by up to two vectors, or by more. A line may be
// shorter than a vector.
TEST(MovementKernel, TakesKnownPositionsOfALine) {
  for (const int64_t extent : {3, 40}) {
    for (const double step : {0.5, 0.7, 1.8, 5.5, -1.0}) {
      const ExprPtr x = Param("x", {2, 3, extent}), indices = relay::MakeConstant(Steps(step, extent));
      const Tensor rows = Tensor::FromVector<int64_t>(DType::kInt64, {4}, {2, 0, 0, 1});
      const ExprPtr some = MakeCall("take", {MakeCall("exp", {x}), relay::MakeConstant(rows)}, {{"axis", int64_t{1}}});
      CheckFunction(Function({x}, MakeCall("take", {x, indices}, {{"axis", int64_t{-1}}})));
      CheckFunction(Function({x}, MakeCall("negative", {MakeCall("take", {some, indices}, {{"axis", int64_t{2}}})})));
    }
  }
}

TEST(MovementKernel, TakesKnownPositionsOfEveryType) {
  for (const DType dtype : {DType::kUInt8, DType::kFloat16, DType::kInt64, DType::kBool}) {
    for (const double step : {0.5, 1.8}) {
      const ExprPtr x = Param("x", {2, 40}, "", dtype);
      CheckFunction(Function({x}, MakeCall("take", {x, relay::MakeConstant(Steps(step, 40))}, {{"axis", int64_t{1}}})));
    }
  }
}

// The list's tail is shorter than one window of the permutation.
TEST(MovementKernel, TakesListsThatEndWithFewPlaces) {
  for (const DType dtype : {DType::kUInt8, DType::kFloat32, DType::kInt64}) {
    for (const int64_t count : {1, 3, 17, 33, 35, 100}) {
      Tensor picks(DType::kInt64, {count});
      for (int64_t i = 0; i < count; ++i) picks.Set(i, static_cast<double>(count - 1 - i));
      const ExprPtr x = Param("x", {count}, "", dtype);
      CheckFunction(Function({x}, MakeCall("take", {x, relay::MakeConstant(picks)}, {{"axis", int64_t{0}}})));
    }
  }
}

// Rows occur twice, three times and once, in any order, and so do columns.
TEST(MovementKernel, TakesRowsAgain) {
  const Tensor rows = Tensor::FromVector<int64_t>(DType::kInt64, {11}, {0, 0, 1, 1, 1, 3, 2, 2, 0, 0, 3});
  for (const DType dtype : {DType::kUInt8, DType::kFloat16, DType::kFloat32, DType::kInt64}) {
    for (const int64_t columns : {1, 7, 40, 3000}) {
      const ExprPtr x = Param("x", {2, 3, 4, columns}, "", dtype);
      const ExprPtr some = MakeCall("take", {x, relay::MakeConstant(rows)}, {{"axis", int64_t{2}}});
      const ExprPtr wide = relay::MakeConstant(Steps(0.5, columns));
      CheckFunction(Function({x}, MakeCall("take", {some, wide}, {{"axis", int64_t{3}}})));
      Tensor twice(DType::kInt64, {2 * columns});
      for (int64_t i = 0; i < 2 * columns; ++i) twice.Set(i, static_cast<double>(i / 2));
      CheckFunction(Function({x}, MakeCall("take", {some, relay::MakeConstant(twice)}, {{"axis", int64_t{-1}}})));
    }
  }
}

// From channel blocks to narrower, equal and wider ones; the last block is partial, and pixels do not fill a vector.
TEST(MovementKernel, TakesKnownChannelsOfBlocks) {
  const std::vector<int64_t> channels{0, 12, 24, 1, 13, 25, 2, 14, 26, 30, 3, 31, 15, 35, 7, 6, 8, 9, 34};
  const auto indices = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {19}, channels));
  for (const DType dtype : {DType::kFloat32, DType::kUInt8}) {
    for (const char* from : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
      for (const char* to : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
        const auto x = Param("x", {2, 36, 5, 7}, from, dtype);
        const ExprPtr plain = MakeCall("take", {x, indices}, {{"axis", int64_t{1}}});
        const relay::Call& call = *relay::AsCall(plain);
        const auto take = std::make_shared<relay::Call>(call.op, call.args, call.attrs, "");
        take->type = TensorType({2, 19, 5, 7}, dtype, to);
        const std::vector<std::shared_ptr<const relay::Var>> params{std::static_pointer_cast<const relay::Var>(x)};
        CheckFunction(std::make_shared<relay::Function>(params, take));
      }
    }
  }
}

TEST(MovementKernel, TakesRowsAndColumnsOfBlocks) {
  const auto indices = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {7}, {0, 0, 1, 1, 2, 4, 4}));
  for (const char* layout : {"", "NCHW4c", "NCHW8c", "NCHW16c"}) {
    for (const int64_t axis : {2, 3}) {
      const auto x = Param("x", {2, 19, 5, 6}, layout);
      const ExprPtr plain = MakeCall("take", {x, indices}, {{"axis", axis}});
      const relay::Call& call = *relay::AsCall(plain);
      const auto take = std::make_shared<relay::Call>(call.op, call.args, call.attrs, "");
      take->type = TensorType(axis == 2 ? Shape{2, 19, 7, 6} : Shape{2, 19, 5, 7}, DType::kFloat32, layout);
      const std::vector<std::shared_ptr<const relay::Var>> params{std::static_pointer_cast<const relay::Var>(x)};
      CheckFunction(std::make_shared<relay::Function>(params, take));
    }
  }
}

TEST(MovementKernel, ReadsInsideTheDataForAnyIndex) {
  const auto x = Param("x", {2, 3}), picks = Param("i", {2}, "", DType::kInt64);
  const auto indices = Tensor::FromVector<int64_t>(DType::kInt64, {2}, {int64_t{1} << 60, -(int64_t{1} << 60)});
  const auto function = Function({x, picks}, MakeCall("take", {x, picks}, {{"axis", int64_t{0}}}));
  Random random(1);
  const Tensor data = Filled(*x->type, 1);
  const auto got = CompiledFunction(function, TestTargets()[0]).Run({data, indices}, 0, random);
  EXPECT_EQ(got[0].At(0), data.At(3));
  EXPECT_EQ(got[0].At(3), data.At(0));
}

TEST(MovementKernel, TransformsLayouts) {
  const std::vector<std::string> layouts{"NCHW", "NCHW4c", "NCHW8c", "NCHW16c", "NHWC"};
  for (const Shape& shape : {Shape{1, 3, 5, 21}, Shape{2, 32, 3, 4}, Shape{1, 19, 2, 18}}) {
    for (const auto& from : layouts) {
      for (const auto& to : layouts) {
        if (from == to || from == "NHWC" || to == "NHWC") continue;
        const auto x = Param("x", shape, from == "NCHW" ? "" : from);
        CheckFunction(Function({x}, MakeCall("layout_transform", {x}, {{"src_layout", from}, {"dst_layout", to}})));
      }
    }
  }
  const auto w = Param("w", {19, 5, 3, 3});
  const auto packed =
      MakeCall("layout_transform", {w}, {{"src_layout", std::string("OIHW")}, {"dst_layout", std::string("OIHW4i8o")}});
  CheckFunction(Function({w}, packed));
}

// Lanes are at places of their own, of an operand and of a blend of rows.
TEST(MovementKernel, TakesAnyPlacesAlongTheLanes) {
  const auto places = [](int64_t count, int64_t extent) {
    std::vector<int64_t> all(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) all[static_cast<size_t>(i)] = i * 53 % (2 * extent) - extent;
    return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {count}, all));
  };
  const auto take = [](const relay::ExprPtr& x, const relay::ExprPtr& at, int64_t axis) {
    return relay::MakeCall("take", {x, at}, {{"axis", axis}});
  };
  for (const DType dtype : {DType::kFloat32, DType::kInt32, DType::kUInt8, DType::kInt64}) {
    const auto x = Param("x", {3, 7, 200}, "", dtype);
    for (const int64_t count : {1, 5, 16, 37, 70}) CheckFunction(Function({x}, take(x, places(count, 200), 2)));
  }
  const auto x = Param("x", {2, 9, 300}), weights = Param("w", {4, 1}), at = Param("at", {33}, "", DType::kInt64);
  const auto rows = [&](int64_t shift) {
    const auto chosen = relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {4}, {shift, 2, 5, 8}));
    return relay::MakeCall("multiply", {take(x, chosen, 1), weights});
  };
  const auto blend = relay::MakeCall("add", {rows(0), rows(1)});
  CheckFunction(Function({x, weights},
                         relay::MakeCall("add", {take(blend, places(41, 300), 2), take(blend, places(41, 300), 2)})));
  Tensor anywhere(DType::kInt64, {33});
  for (int64_t i = 0; i < 33; ++i) anywhere.Set(i, static_cast<double>(i * 91 % 600 - 300));
  CheckFunction(Function({x, at}, take(x, at, 2)), {Filled(*x->type, 1), anywhere});
}

}  // namespace
}  // namespace hone::testing
