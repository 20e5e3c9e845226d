#include <limits>

#include "compiler/relay/indexing.h"
#include "tests/compiler/relay/run_op.h"

namespace hone::relay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Tensor kSix = Floats({2, 3}, {0, 1, 2, 3, 4, 5});

TEST(Softmax, SumsToOneAlongItsAxis) {
  const Tensor x = Saw({2, 3}, 4, 1);  // -1 0 1 | 2 -1 0
  EXPECT_THAT(RunFor("nn.softmax", {x}), Near({0.090031, 0.244728, 0.665241, 0.843795, 0.04201, 0.114195}));
  EXPECT_THAT(RunFor("nn.softmax", {x}, {{"axis", int64_t{0}}}),
              Near({0.047426, 0.731059, 0.731059, 0.952574, 0.268941, 0.268941}));
  EXPECT_THAT(RunFor("nn.log_softmax", {x}), Near({-2.407606, -1.407606, -0.407606, -0.169846, -3.169846, -2.169846}));
  EXPECT_THAT(RunFor("nn.softmax", {Floats({2}, {1000, 1000})}), ElementsAre(0.5, 0.5));
}

TEST(Reduce, OverSomeAxesOrAll) {
  EXPECT_THAT(RunFor("mean", {kSix}, {{"axis", Ints{-1}}}), ElementsAre(1, 4));
  EXPECT_THAT(RunFor("sum", {kSix}, {{"axis", Ints{0}}}), ElementsAre(3, 5, 7));
  EXPECT_THAT(RunFor("max", {kSix}), ElementsAre(5));
  EXPECT_EQ(RunOp("sum", {kSix}, {{"axis", Ints{0}}, {"keepdims", true}})[0].shape(), (Shape{1, 3}));
  EXPECT_THAT(ResultType("sum", {TensorType({2, 3})}, {{"axis", Ints{0, -2}}}), HasSubstr("name one axis twice"));
  EXPECT_THAT(ResultType("sum", {TensorType({2, 3})}, {{"axis", Ints{2}}}), HasSubstr("axis 2 lies outside"));
}

TEST(OffsetWalk, GoesWhereTheListGoes) {
  const Shape from{3, 1, 4}, to{2, 3, 5, 4};
  const Ints list = StridedOffsets(to, BroadcastStrides(from, to));
  OffsetWalk walk = OffsetWalk::Broadcast(from, to), scalar({}, {}, 7), back({3}, {-2}, 4);
  for (const int64_t offset : list) EXPECT_EQ(walk.Next(), offset);
  EXPECT_EQ(scalar.Next(), 7);
  for (const int64_t offset : {4, 2, 0}) EXPECT_EQ(back.Next(), offset);
}

TEST(BroadcastTo, NothingIsDoneForNothingHoweverLong) {
  const Ints shape{2, int64_t{1} << 40, 0};
  EXPECT_EQ(RunOp("broadcast_to", {Floats({1}, {1})}, {{"shape", shape}})[0].elements(), 0);
}

TEST(Reshape, CopiesDimsAndWorksOneOut) {
  const auto type = [](Shape data, Ints newshape) {
    return ResultType("reshape", {TensorType(std::move(data))}, {{"newshape", std::move(newshape)}});
  };
  EXPECT_EQ(type({2, 3, 4}, {0, -1}), "Tensor[(2, 12), float32]");
  EXPECT_EQ(type({kAnyDim, 2048, 1, 1}, {0, -1}), "Tensor[(?, 2048), float32]");
  EXPECT_EQ(type({kAnyDim, 2, 2}, {-1, 4}), "Tensor[(?, 4), float32]");
  EXPECT_THAT(type({2, 3}, {4, -1}), HasSubstr("does not reshape"));
  EXPECT_THAT(type({2, 3}, {5}), HasSubstr("does not reshape"));
  EXPECT_THAT(type({2, 3}, {-1, -1}), HasSubstr("at most one -1"));
  EXPECT_THAT(type({2, 3}, {int64_t{1} << 62, 8}), HasSubstr("newshape"));
  EXPECT_THAT(RunFor("reshape", {kSix}, {{"newshape", Ints{3, 2}}}), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(Reshape, AddsAndRemovesAxesOfOne) {
  EXPECT_EQ(ResultType("squeeze", {TensorType({1, 3, 1})}), "Tensor[(3), float32]");
  EXPECT_EQ(ResultType("squeeze", {TensorType({1, 3, 1})}, {{"axis", Ints{-1}}}), "Tensor[(1, 3), float32]");
  EXPECT_THAT(ResultType("squeeze", {TensorType({1, 3})}, {{"axis", Ints{1}}}), HasSubstr("only one can be squeezed"));
  EXPECT_EQ(ResultType("expand_dims", {TensorType({3})}, {{"axis", int64_t{1}}, {"num_newaxis", int64_t{2}}}),
            "Tensor[(3, 1, 1), float32]");
  EXPECT_EQ(ResultType("nn.batch_flatten", {TensorType({kAnyDim, 3, 4})}), "Tensor[(?, 12), float32]");
}

TEST(ShapeOf, GivesTheDims) {
  const Tensor shape = RunOp("shape_of", {kSix})[0];
  EXPECT_EQ(shape.dtype(), DType::kInt64);
  EXPECT_THAT(Values(shape), ElementsAre(2, 3));
}

TEST(Cast, RoundsTowardsZero) {
  EXPECT_THAT(RunFor("cast", {Floats({3}, {-1.5, 0.25, 2})}, {{"dtype", "int64"}}), ElementsAre(-1, 0, 2));
  EXPECT_THAT(RunFor("cast", {Floats({3}, {-1.5, 0, 2})}, {{"dtype", "bool"}}), ElementsAre(1, 0, 1));
  EXPECT_THAT(ResultType("cast", {TensorType({1})}, {{"dtype", "complex"}}), HasSubstr("complex"));
}

TEST(LayoutTransform, ChangesTheTypesLayoutAlone) {
  const TypePtr plain = TensorType({1, 20, 2, 2});
  const Attrs attrs{{"src_layout", "NCHW"}, {"dst_layout", "NCHW16c"}};
  EXPECT_EQ(ResultType("layout_transform", {plain}, attrs), "Tensor[(1, 20, 2, 2), float32, NCHW16c]");
  const TypePtr blocked = TensorType({1, 20, 2, 2}, DType::kFloat32, "NCHW16c");
  EXPECT_EQ(ResultType("layout_transform", {blocked}, {{"src_layout", "NCHW16c"}, {"dst_layout", "NCHW"}}),
            "Tensor[(1, 20, 2, 2), float32]");
  EXPECT_THAT(ResultType("layout_transform", {blocked}, attrs), HasSubstr("data lies as NCHW16c"));
}

TEST(Transpose, PermutesAxes) {
  EXPECT_THAT(RunFor("transpose", {kSix}), ElementsAre(0, 3, 1, 4, 2, 5));
  const Tensor x = Floats({1, 2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor y = RunOp("transpose", {x}, {{"axes", Ints{2, 0, -2}}})[0];
  EXPECT_EQ(y.shape(), (Shape{3, 1, 2}));
  EXPECT_THAT(Values(y), ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(ResultType("transpose", {TensorType({2, 3})}, {{"axes", Ints{0, 0}}}), HasSubstr("name one axis twice"));
}

TEST(StridedSlice, FollowsNumpy) {
  const auto slice = [](Ints begin, Ints end, Ints strides, Ints axes) {
    return RunFor("strided_slice", {kSix}, {{"begin", begin}, {"end", end}, {"strides", strides}, {"axes", axes}});
  };
  EXPECT_THAT(slice({1}, {2}, {}, {1}), ElementsAre(1, 4));
  EXPECT_THAT(slice({0, -2}, {1, 9}, {}, {}), ElementsAre(1, 2));
  EXPECT_THAT(slice({2}, {-9}, {-2}, {-1}), ElementsAre(2, 0, 5, 3));
  EXPECT_THAT(slice({0}, {std::numeric_limits<int64_t>::max()}, {2}, {1}), ElementsAre(0, 2, 3, 5));
  EXPECT_THAT(slice({2}, {1}, {1}, {1}), ElementsAre());
  EXPECT_THAT(
      ResultType("strided_slice", {TensorType({2})}, {{"begin", Ints{0}}, {"end", Ints{1}}, {"strides", Ints{0}}}),
      HasSubstr("cannot be 0"));
}

TEST(Take, PicksSlices) {
  EXPECT_THAT(RunFor("take", {kSix, Int64s({2}, {2, -3})}, {{"axis", int64_t{1}}}), ElementsAre(2, 0, 5, 3));
  EXPECT_EQ(ResultType("take", {TensorType({5, 7}), TensorType({}, DType::kInt64)}), "Tensor[(7), float32]");
  EXPECT_THROW(RunOp("take", {kSix, Int64s({1}, {2})}), Error);
}

TEST(BroadcastTo, Repeats) {
  EXPECT_THAT(RunFor("broadcast_to", {Floats({2, 1}, {1, 2})}, {{"shape", Ints{2, 2}}}), ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(ResultType("broadcast_to", {TensorType({2, 2})}, {{"shape", Ints{2, 1}}}),
              HasSubstr("does not broadcast to"));
}

TEST(Pad, ConstantReflectAndEdge) {
  const auto pad = [](Ints width, const std::string& mode) {
    return RunFor("nn.pad", {kSix}, {{"pad_width", width}, {"pad_mode", mode}, {"pad_value", 9.0}});
  };
  EXPECT_THAT(pad({0, 0, 1, 0}, "constant"), ElementsAre(9, 0, 1, 2, 9, 3, 4, 5));
  EXPECT_THAT(pad({1, 0, 2, 1}, "reflect"), ElementsAre(5, 4, 3, 4, 5, 4, 2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4));
  EXPECT_THAT(pad({1, 0, 2, 1}, "edge"), ElementsAre(0, 0, 0, 1, 2, 2, 0, 0, 0, 1, 2, 2, 3, 3, 3, 4, 5, 5));
  EXPECT_THAT(ResultType("nn.pad", {TensorType({2})}, {{"pad_width", Ints{0, 2}}, {"pad_mode", "reflect"}}),
              HasSubstr("a reflect border of 2 is too wide for 2"));
  EXPECT_THAT(ResultType("nn.pad", {TensorType({2})}, {{"pad_width", Ints{-1, 0}}}), HasSubstr("pad_width"));
}

TEST(Concatenate, JoinsAlongTheAxis) {
  const Tensor more = Floats({2, 1}, {7, 8});
  EXPECT_THAT(RunFor("concatenate", {kSix, more}, {{"axis", int64_t{-1}}}), ElementsAre(0, 1, 2, 7, 3, 4, 5, 8));
  const TypePtr blocked = TensorType({1, 16, 2, 2}, DType::kFloat32, "NCHW16c");
  EXPECT_EQ(ResultType("concatenate", {blocked, blocked}, {{"axis", int64_t{1}}}),
            "Tensor[(1, 32, 2, 2), float32, NCHW16c]");
  EXPECT_THAT(ResultType("concatenate", {blocked, TensorType({1, 16, 2, 2})}), HasSubstr("field 1 is"));
  EXPECT_THAT(ResultType("concatenate", {TensorType({2, 3}), TensorType({2, 4})}), HasSubstr("does not join"));
}

TEST(Split, IntoEqualPartsOrAtIndices) {
  const auto halves = RunOp("split", {Floats({4}, {0, 1, 2, 3})}, {{"indices_or_sections", Ints{2}}});
  ASSERT_EQ(halves.size(), 2u);
  EXPECT_THAT(Values(halves[1]), ElementsAre(2, 3));
  const auto parts = RunOp("split", {kSix}, {{"indices_or_sections", Ints{0, 1}}, {"axis", int64_t{1}}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_THAT(Values(parts[0]), ElementsAre(0, 3));
  EXPECT_THAT(Values(parts[1]), ElementsAre(1, 2, 4, 5));
  EXPECT_EQ(ResultType("split", {TensorType({6})}, {{"indices_or_sections", Ints{1, 3}}}),
            "(Tensor[(1), float32], Tensor[(2), float32], Tensor[(3), float32])");
  EXPECT_THAT(ResultType("split", {TensorType({5})}, {{"indices_or_sections", Ints{2}}}), HasSubstr("2 equal parts"));
}

TEST(Dense, MultipliesByTheTransposedWeight) {
  EXPECT_THAT(RunFor("nn.dense", {kSix, Floats({2, 3}, {1, 0, -1, 2, 2, 2})}), ElementsAre(-2, 6, -2, 24));
  const FunctionPtr function = CallFunction("nn.dense", {TensorType({1, 8}), nullptr}, {{"units", int64_t{10}}});
  EXPECT_EQ(ToText(function->params[1]->type), "Tensor[(10, 8), float32]");
  EXPECT_THAT(ResultType("nn.dense", {TensorType({1, 8}), TensorType({4, 9})}), HasSubstr("8 against 9"));
}

TEST(Dense, BytesAreSummedInInt32) {
  const Attrs attrs{{"out_dtype", "int32"}};
  const Tensor data = Saw({3, 11}, 256, 0), weight = Saw({5, 11}, 55, 27);
  EXPECT_EQ(RunFor("nn.dense", {data.As(DType::kUInt8), weight.As(DType::kInt8)}, attrs),
            RunFor("nn.dense", {data, weight}));
  // A sum that float32 cannot represent.
  Tensor long_row(DType::kUInt8, {1, 3000}), most(DType::kInt8, {1, 3000});
  for (int64_t i = 0; i < 3000; ++i) {
    long_row.Set(i, i == 0 ? 254 : 255);
    most.Set(i, 127);
  }
  EXPECT_THAT(RunFor("nn.dense", {long_row, most}, attrs), ElementsAre(127 * (255 * 3000 - 1)));
  const TypePtr bytes = TensorType({1, 8}, DType::kUInt8);
  const Attrs filled{{"out_dtype", "int32"}, {"units", int64_t{4}}};
  EXPECT_EQ(ToText(CallFunction("nn.dense", {bytes, nullptr}, filled)->params[1]->type), "Tensor[(4, 8), int8]");
  EXPECT_THAT(ResultType("nn.dense", {bytes, TensorType({4, 8})}, attrs),
              HasSubstr("weight is float32, it must be int8 with data of uint8"));
  EXPECT_THAT(ResultType("nn.dense", {bytes, TensorType({4, 8}, DType::kInt8)}),
              HasSubstr("out_dtype = \"\" of uint8 data must be int32"));
  EXPECT_THAT(ResultType("nn.dense", {TensorType({1, 8}, DType::kInt8), TensorType({4, 8}, DType::kInt8)}, attrs),
              HasSubstr("data is int8, it must be float32, bfloat16 or uint8"));
}

TEST(BatchMatmul, TransposesAndSharesABatchOfOne) {
  const Tensor a = Floats({2, 1, 2}, {1, 2, 3, 4});
  const Tensor b = Floats({1, 2, 2}, {1, 0, 10, 1});
  EXPECT_THAT(RunFor("nn.batch_matmul", {a, b}), ElementsAre(1, 12, 3, 34));
  EXPECT_THAT(RunFor("nn.batch_matmul", {a, b}, {{"transpose_b", false}}), ElementsAre(21, 2, 43, 4));
  EXPECT_EQ(ResultType("nn.batch_matmul", {TensorType({4, 8, 5}), TensorType({4, 6, 8})}, {{"transpose_a", true}}),
            "Tensor[(4, 5, 6), float32]");
}

TEST(BatchMatmul, TakesZeroPointsOffBytes) {
  const Tensor a = Saw({2, 3, 5}, 256, 0), b = Saw({1, 5, 4}, 251, 0);
  Tensor zeros(DType::kInt32, {2}), centred_a(DType::kFloat32, a.shape()), centred_b(DType::kFloat32, b.shape());
  zeros.Set(0, 128);
  zeros.Set(1, 3);
  for (int64_t i = 0; i < a.elements(); ++i) centred_a.Set(i, a.At(i) - 128);
  for (int64_t i = 0; i < b.elements(); ++i) centred_b.Set(i, b.At(i) - 3);
  const Attrs attrs{{"out_dtype", "int32"}, {"transpose_b", false}}, floats{{"transpose_b", false}};
  EXPECT_EQ(RunFor("nn.batch_matmul", {a.As(DType::kUInt8), b.As(DType::kUInt8), zeros}, attrs),
            RunFor("nn.batch_matmul", {centred_a, centred_b}, floats));
  zeros.Set(0, 0);
  EXPECT_EQ(RunFor("nn.batch_matmul", {centred_a.As(DType::kInt8), b.As(DType::kUInt8), zeros}, attrs),
            RunFor("nn.batch_matmul", {centred_a, centred_b}, floats));
  const TypePtr bytes = TensorType({2, 3, 4}, DType::kUInt8), floating = TensorType({2, 3, 4});
  EXPECT_THAT(ResultType("nn.batch_matmul", {bytes, bytes}, {{"out_dtype", "int32"}}),
              HasSubstr("zero_points are of bytes, and bytes have them"));
  EXPECT_THAT(ResultType("nn.batch_matmul", {floating, floating, TensorType({2}, DType::kInt32)}),
              HasSubstr("zero_points are of bytes"));
}

TEST(DepthToSpace, PlacesComeFirstOrLast) {
  const Tensor x = Floats({1, 8, 1, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(RunOp("nn.depth_to_space", {x}, {{"block_size", int64_t{2}}})[0].shape(), (Shape{1, 2, 2, 2}));
  EXPECT_THAT(RunFor("nn.depth_to_space", {x}, {{"block_size", int64_t{2}}}), ElementsAre(0, 2, 4, 6, 1, 3, 5, 7));
  EXPECT_THAT(RunFor("nn.depth_to_space", {x}, {{"block_size", int64_t{2}}, {"mode", std::string("CRD")}}),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
  const Tensor rows = Floats({1, 4, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_THAT(RunFor("nn.depth_to_space", {rows}, {{"block_size", int64_t{2}}}), ElementsAre(0, 2, 1, 3, 4, 6, 5, 7));
}

TEST(DepthToSpace, ChannelsMustBePlaces) {
  const auto type = [](int64_t size, const std::string& mode) {
    return ResultType("nn.depth_to_space", {TensorType({1, 6, 2, 2})}, {{"block_size", size}, {"mode", mode}});
  };
  EXPECT_THAT(type(2, "DCR"), HasSubstr("6 channels do not make 2 x 2 places"));
  EXPECT_THAT(type(0, "DCR"), HasSubstr("block_size = 0 must be at least 1"));
  EXPECT_THAT(type(int64_t{1} << 40, "DCR"), HasSubstr("do not make"));
  EXPECT_THAT(type(1, "RCD"), HasSubstr("must be DCR or CRD"));
}

TEST(Interleave, RowsAndColumnsTakeTurns) {
  const Tensor a = Floats({1, 1, 2, 2}, {0, 1, 2, 3}), b = Floats({1, 1, 2, 1}, {10, 11});
  const Tensor c = Floats({1, 1, 1, 2}, {20, 21}), pixel = Floats({1, 1, 1, 1}, {30});
  const Attrs attrs{{"strides", Ints{2, 2}}, {"size", Ints{3, 3}}};
  EXPECT_THAT(RunFor("nn.interleave", {a, b, c, pixel}, attrs), ElementsAre(0, 10, 1, 20, 30, 21, 2, 11, 3));
}

TEST(Interleave, FieldsMustBeThePhases) {
  const auto type = [](const std::vector<TypePtr>& fields, const Ints& strides, const Ints& size) {
    return ResultType("nn.interleave", fields, {{"strides", strides}, {"size", size}});
  };
  const TypePtr wide = TensorType({2, 3, 4, 5}), narrow = TensorType({2, 3, 4, 4}), pixel = TensorType({1, 3, 1, 1});
  EXPECT_EQ(type({wide, narrow}, {1, 2}, {4, 9}), "Tensor[(2, 3, 4, 9), float32]");
  EXPECT_EQ(type({pixel, narrow}, {1, 2}, {4, 9}), "Tensor[(2, 3, 4, 9), float32]");
  EXPECT_THAT(type({wide, wide}, {1, 2}, {4, 9}), HasSubstr("field 1 is Tensor[(2, 3, 4, 5), float32], its phase is"));
  EXPECT_THAT(type({wide}, {1, 2}, {4, 9}), HasSubstr("2 phases need as many fields, not 1"));
  EXPECT_THAT(type({wide, narrow}, {1, 2}, {4, 1}), HasSubstr("2 phases do not fit in 1"));
}

}  // namespace
}  // namespace hone::relay
