// Traits that operators promise to passes, compared with the behaviour of their references.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "compiler/relay/op.h"
#include "core/random.h"

namespace hone::relay {
namespace {

using Tensors = std::vector<Tensor>;

Tensor Signed(const Shape& shape, uint64_t seed) {
  Tensor tensor(DType::kFloat32, shape);
  Random random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, 2 * random.Uniform() - 1);
  return tensor;
}

// The rest of a call whose first argument has two images: further arguments, and attributes.
struct Example {
  Tensors more;
  Attrs attrs;
};

Tensor Picks() {
  Tensor picks(DType::kInt64, {2});
  picks.Set(1, 3);
  return picks;
}

std::map<std::string, Example> Examples() {
  const Attrs window{{"pool_size", std::vector<int64_t>{2, 2}},
                     {"strides", std::vector<int64_t>{1, 1}},
                     {"dilation", std::vector<int64_t>{1, 1}},
                     {"padding", std::vector<int64_t>{0, 1, 1, 0}}};
  const Attrs channels{{"axis", int64_t{1}}};
  return {
      {"reshape", {{}, {{"newshape", std::vector<int64_t>{0, -1}}}}},
      {"squeeze", {}},
      {"expand_dims", {{}, {{"axis", int64_t{1}}, {"num_newaxis", int64_t{1}}}}},
      {"nn.batch_flatten", {}},
      {"transpose", {{}, {{"axes", std::vector<int64_t>{0, 2, 3, 1}}}}},
      {"strided_slice",
       {{},
        {{"begin", std::vector<int64_t>{0, 1}},
         {"end", std::vector<int64_t>{2, 3}},
         {"axes", std::vector<int64_t>{0, 1}}}}},
      {"take", {{Picks()}, channels}},
      {"nn.max_pool2d", {{}, window}},
      {"nn.avg_pool2d", {{}, window}},
      {"nn.global_max_pool2d", {}},
      {"nn.global_avg_pool2d", {}},
      {"nn.relu", {}},
      {"nn.leaky_relu", {{}, {{"alpha", 0.25}}}},
      {"nn.lrn", {{}, {{"size", int64_t{3}}, {"axis", int64_t{1}}, {"bias", 2.0}, {"alpha", 0.5}, {"beta", 0.75}}}},
      {"nn.bias_add", {{Signed({4}, 2)}, channels}},
      {"nn.prelu", {{Signed({4}, 2)}, channels}},
      {"concatenate", {{Signed({2, 3, 4, 4}, 2)}, channels}},
      {"nn.pad", {{}, {{"pad_width", std::vector<int64_t>{0, 0, 0, 0, 1, 1, 1, 1}}}}},
      {"nn.interleave",
       {{Signed({2, 4, 4, 4}, 2)}, {{"strides", std::vector<int64_t>{1, 2}}, {"size", std::vector<int64_t>{4, 8}}}}},
      {"nn.depth_to_space", {{}, {{"block_size", int64_t{2}}, {"mode", std::string("DCR")}}}},
      {"nn.conv2d",
       {{Signed({3, 4, 3, 3}, 2)},
        {{"strides", std::vector<int64_t>{1, 1}},
         {"padding", std::vector<int64_t>{1, 1, 1, 1}},
         {"dilation", std::vector<int64_t>{1, 1}},
         {"groups", int64_t{1}}}}}};
}

const Shape kImages{2, 4, 4, 4};

Tensor Result(const OpDef& op, const Tensor& data) {
  const Example example = Examples().at(op.name);
  Tensors args{data};
  args.insert(args.end(), example.more.begin(), example.more.end());
  return op.reference(args, example.attrs).at(0);
}

// Every operator with the trait has an example, so each promise is tested.
std::vector<const OpDef*> OpsWith(bool OpTraits::* trait) {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : AllOps()) {
    if (!(op->traits.*trait)) continue;
    EXPECT_TRUE(Examples().contains(op->name)) << op->name;
    if (Examples().contains(op->name)) ops.push_back(op);
  }
  EXPECT_FALSE(ops.empty());
  return ops;
}

TEST(OpTraits, WhatMovesMakesNoNewElement) {
  const Tensor data = Signed(kImages, 1);
  std::set<double> elements;
  for (int64_t i = 0; i < data.elements(); ++i) elements.insert(data.At(i));
  for (const OpDef* op : OpsWith(&OpTraits::moves)) {
    const Tensor result = Result(*op, data);
    for (int64_t i = 0; i < result.elements(); ++i) EXPECT_TRUE(elements.contains(result.At(i))) << op->name;
  }
}

TEST(OpTraits, AScaleGoesBehindWhatIsHomogeneous) {
  const Tensor data = Signed(kImages, 1);
  Tensor scaled = data.Clone();
  for (int64_t i = 0; i < data.elements(); ++i) scaled.Set(i, 4 * data.At(i));
  for (const OpDef* op : OpsWith(&OpTraits::homogeneous)) {
    const Tensor result = Result(*op, data), of_scaled = Result(*op, scaled);
    for (int64_t i = 0; i < result.elements(); ++i) EXPECT_EQ(of_scaled.At(i), 4 * result.At(i)) << op->name;
  }
}

// Changes the second image and expects the first image's results to stay.
TEST(OpTraits, ImagesOfWhatIsPerImageDoNotSeeEachOther) {
  const Tensor data = Signed(kImages, 1);
  Tensor other = data.Clone();
  for (int64_t i = data.elements() / 2; i < data.elements(); ++i) other.Set(i, -data.At(i));
  for (const OpDef* op : OpsWith(&OpTraits::per_image)) {
    const Tensor result = Result(*op, data), of_other = Result(*op, other);
    bool differs = false;
    for (int64_t i = 0; i < result.elements(); ++i) {
      if (i < result.elements() / 2) {
        EXPECT_EQ(of_other.At(i), result.At(i)) << op->name;
      }
      differs = differs || of_other.At(i) != result.At(i);
    }
    EXPECT_TRUE(differs) << op->name;
  }
}

// Arguments and attributes of a call that folds.
struct FoldingCall {
  Tensors args;
  Attrs attrs;
};

std::map<std::string, FoldingCall> FoldingCalls() {
  const Tensor images = Signed({2, 4, 4, 4}, 1);
  const Attrs last{{"axis", std::vector<int64_t>{3}}}, position{{"axis", int64_t{-1}}};
  std::map<std::string, FoldingCall> calls;
  for (const char* name : {"mean", "sum", "prod", "max", "min"}) calls[name] = {{images}, last};
  for (const char* name : {"argmax", "argmin"}) calls[name] = {{images}, position};
  for (const char* name : {"nn.global_max_pool2d", "nn.global_avg_pool2d"}) calls[name] = {{images}, {}};
  calls["nn.dense"] = {{Signed({2, 4}, 1), Signed({3, 4}, 2)}, {}};
  const Tensor words = Tensor::FromVector<int32_t>(DType::kInt32, {1, 1}, {0x07'05'03'01});
  calls["nn.dense_blocks"] = {{Signed({2, 4}, 1), words, Signed({1, 1}, 2)},
                              {{"bits", int64_t{8}}, {"block", int64_t{4}}}};
  calls["nn.batch_matmul"] = {{Signed({2, 3, 4}, 1), Signed({2, 5, 4}, 2)}, {{"transpose_b", true}}};
  return calls;
}

// A large positive or negative element of the last axis must change the first result.
TEST(OpTraits, WhatFoldsTheLastAxisSeesEachOfItsElements) {
  int folding = 0;
  for (const OpDef* op : AllOps()) {
    if (op->traits.folds == Folds::kNothing) continue;
    ++folding;
    ASSERT_TRUE(FoldingCalls().contains(op->name)) << op->name;
    const auto [args, attrs] = FoldingCalls().at(op->name);
    const double result = op->reference(args, attrs).at(0).At(0);
    for (int64_t i = 0; i < args[0].shape().back(); ++i) {
      bool told = false;
      for (const double extreme : {-10.0, 10.0}) {
        Tensors changed = args;
        changed[0] = args[0].Clone();
        changed[0].Set(i, extreme);
        told = told || op->reference(changed, attrs).at(0).At(0) != result;
      }
      EXPECT_TRUE(told) << op->name << " does not see element " << i;
    }
  }
  EXPECT_EQ(folding, static_cast<int>(FoldingCalls().size()));
}

}  // namespace
}  // namespace hone::relay
