// Attention as one kernel: the graphs that become one, and that the kernel computes the same as the operators.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "compiler/generic/memory_shape.h"
#include "compiler/ops/attention/kernel.h"
#include "compiler/passes/fusion/fuse.h"
#include "compiler/passes/rules/canonicalise.h"
#include "compiler/relay/infer_type.h"
#include "core/random.h"
#include "runtime/threads/thread_state.h"
#include "tests/compiler/generic/check_function.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using relay::ExprPtr;
using relay::IRModule;
using relay::MakeCall;
using ::testing::Contains;
using ::testing::ElementsAre;
using Ints = std::vector<int64_t>;

// Scores are unscaled sums of products of normal values, and their exponentials amplify the error.
constexpr double kTolerance = 2e-5;

ExprPtr Reshape(const ExprPtr& x, Ints shape) { return MakeCall("reshape", {x}, {{"newshape", std::move(shape)}}); }
ExprPtr Transpose(const ExprPtr& x, Ints axes) { return MakeCall("transpose", {x}, {{"axes", std::move(axes)}}); }
ExprPtr Softmax(const ExprPtr& x, int64_t axis = -1) { return MakeCall("nn.softmax", {x}, {{"axis", axis}}); }
ExprPtr Product(const ExprPtr& a, const ExprPtr& b, bool transpose_b) {
  return MakeCall("nn.batch_matmul", {a, b}, {{"transpose_b", transpose_b}});
}

// The weights with zeros for NaN, as exporters guard attention.
ExprPtr NanToZero(const ExprPtr& weights, float instead = 0) {
  return MakeCall("where", {MakeCall("not_equal", {weights, weights}), ScalarConstant(instead), weights});
}

struct Sizes {
  int64_t products = 3, queries = 7, keys = 20, width = 8, value_width = 8;
};

ExprPtr Queries(const Sizes& s) { return Input("q", {s.products, s.queries, s.width}); }
ExprPtr Keys(const Sizes& s) { return Input("k", {s.products, s.keys, s.width}); }
ExprPtr Values(const Sizes& s) { return Input("v", {s.products, s.keys, s.value_width}); }
ExprPtr Scores(const Sizes& s) { return Product(Queries(s), Keys(s), true); }

IRModule Fused(const ExprPtr& body, int64_t least_bytes = 0) {
  const IRModule module = ModuleOf(body);
  const IRModule fused = Fuse(module, {.least_scores_bytes = least_bytes});
  ExpectSameMeaning(module, fused);
  return fused;
}

// The attention function of a module that has one.
relay::FunctionPtr AttentionIn(const IRModule& module) {
  for (const relay::Call* call : FunctionCalls(module)) {
    const auto function = std::static_pointer_cast<const relay::Function>(call->op);
    if (AttentionOf(*function) != nullptr) return function;
  }
  return nullptr;
}

TEST(Attention, TakesAllFromTheScoresToTheProductWithValues) {
  const Sizes s;
  const ExprPtr scaled = MakeCall("multiply", {Scores(s), ScalarConstant(0.25F)});
  const ExprPtr masked = MakeCall("add", {scaled, Input("mask", {s.queries, s.keys})});
  const IRModule fused = Fused(Product(Softmax(masked), Values(s), false));
  EXPECT_THAT(FunctionNames(fused), ElementsAre("nn.batch_matmul+multiply+add+nn.softmax+nn.batch_matmul"));
  const relay::FunctionPtr function = AttentionIn(fused);
  ASSERT_TRUE(function);
  EXPECT_EQ(AttentionOf(*function)->scores.ToText(),
            "nn.batch_matmul data=3x7x8 weight=3x20x8 layouts=BMK,BNK,BMN dtype=float32 epilogue=none");
  EXPECT_EQ(AttentionOf(*function)->values.ToText(),
            "nn.batch_matmul data=3x7x20 weight=3x20x8 layouts=BMK,BKN,BMN dtype=float32 epilogue=none");
  EXPECT_EQ(AttentionOf(*function)->Flops(), 2 * 2 * 3 * 7 * 20 * 8);
}

TEST(Attention, TakesReshapesBetweenAndTransposesAround) {
  const auto heads = [](const std::string& name, int64_t tokens) {
    return Reshape(Transpose(Reshape(Input(name, {tokens, 24}), {1, tokens, 4, 6}), {0, 2, 1, 3}), {4, tokens, 6});
  };
  const ExprPtr scores = Reshape(Product(heads("q", 9), heads("k", 33), true), {1, 4, 9, 33});
  const ExprPtr weights = Reshape(Softmax(MakeCall("add", {scores, Input("mask", {1, 1, 1, 33})})), {4, 9, 33});
  const ExprPtr mixed = Reshape(Product(weights, heads("v", 33), false), {1, 4, 9, 6});
  const IRModule module = ModuleOf(Reshape(Transpose(mixed, {0, 2, 1, 3}), {9, 24}));
  const IRModule fused = Fuse(relay::InferType(Canonicalise(module, 3)), {.least_scores_bytes = 0});
  ExpectSameMeaning(module, fused);
  const relay::FunctionPtr function = AttentionIn(fused);
  ASSERT_TRUE(function);
  EXPECT_EQ(AttentionOf(*function)->scores.layouts, "MBK,NBK,BMN");
  EXPECT_EQ(AttentionOf(*function)->values.layouts, "BMK,KBN,MBN");
  CheckFunction(function, {}, kTolerance);
}

// DeBERTa adds gathered scores before it splits the batch from the heads.
TEST(Attention, TakesASumWithOtherScoresBehindAReshape) {
  const Sizes s;
  const ExprPtr given = Input("relative", {s.products, s.queries, s.keys});
  const ExprPtr sum = Reshape(MakeCall("add", {Scores(s), given}), {1, s.products, s.queries, s.keys});
  const ExprPtr masked = MakeCall("add", {sum, Input("mask", {1, 1, 1, s.keys})});
  const ExprPtr weights = Reshape(Softmax(masked), {s.products, s.queries, s.keys});
  const IRModule fused = Fused(Product(weights, Values(s), false));
  EXPECT_EQ(FunctionNames(fused).size(), 1U);
  ASSERT_TRUE(AttentionIn(fused));
  CheckFunction(AttentionIn(fused), {}, kTolerance);
}

TEST(Attention, IsNotFormedIfAnotherNodeReadsTheScores) {
  const Sizes s;
  const ExprPtr scores = Scores(s), weights = Softmax(Scores(s));
  const ExprPtr both = relay::MakeTuple({Product(Softmax(scores), Values(s), false), scores});
  EXPECT_FALSE(AttentionIn(Fused(both)));
  const ExprPtr kept = relay::MakeTuple({Product(weights, Values(s), false), weights});
  EXPECT_FALSE(AttentionIn(Fused(kept)));
}

TEST(Attention, TakesZerosForWeightsThatAreNoNumbers) {
  const Sizes s;
  const ExprPtr in_front = NanToZero(Reshape(Softmax(Scores(s)), {1, s.products, s.queries, s.keys}));
  const ExprPtr behind = NanToZero(Softmax(Reshape(Scores(s), {1, s.products, s.queries, s.keys})));
  for (const ExprPtr& weights : {in_front, behind}) {
    const IRModule fused = Fused(Product(Reshape(weights, {s.products, s.queries, s.keys}), Values(s), false));
    const relay::FunctionPtr function = AttentionIn(fused);
    ASSERT_TRUE(function);
    EXPECT_TRUE(AttentionOf(*function)->zeroes_nan);
    EXPECT_EQ(function->params.size(), 3U);  // the zero is no operand
    CheckFunction(function, {}, kTolerance);
  }
}

TEST(Attention, IsNotFormedIfNanWeightsBecomeAnotherNumber) {
  const Sizes s;
  EXPECT_FALSE(AttentionIn(Fused(Product(NanToZero(Softmax(Scores(s)), 0.5F), Values(s), false))));
}

TEST(Attention, IsNotFormedIfAnotherNodeReadsGuardedWeights) {
  const Sizes s;
  const ExprPtr weights = Softmax(Scores(s)), guarded = NanToZero(weights);
  const ExprPtr product = Product(guarded, Values(s), false);
  for (const ExprPtr& other : {weights, guarded, relay::AsCall(guarded)->args[0]}) {
    EXPECT_FALSE(AttentionIn(Fused(relay::MakeTuple({product, other}))));
  }
}

TEST(Attention, IsNotFormedWithoutAProductInTheSoftmax) {
  const Sizes s;
  const ExprPtr given = Input("scores", {s.products, s.queries, s.keys});
  EXPECT_FALSE(AttentionIn(Fused(Product(Softmax(given), Values(s), false))));
}

TEST(Attention, IsNotFormedIfTheSoftmaxRunsAlongAnotherAxis) {
  const Sizes s;
  EXPECT_FALSE(AttentionIn(Fused(Product(Softmax(Scores(s), 1), Values(s), false))));
}

TEST(Attention, IsNotFormedIfTheLogarithmIsTaken) {
  const Sizes s;
  const ExprPtr weights = MakeCall("nn.log_softmax", {Scores(s)}, {{"axis", int64_t{-1}}});
  EXPECT_FALSE(AttentionIn(Fused(Product(weights, Values(s), false))));
}

TEST(Attention, IsNotFormedIfAReshapeCutsRowsOfScores) {
  const Sizes s{.products = 2, .queries = 4, .keys = 6};
  const ExprPtr weights = Reshape(Softmax(Reshape(Scores(s), {2, 2, 12})), {2, 4, 6});
  EXPECT_FALSE(AttentionIn(Fused(Product(weights, Values(s), false))));
}

TEST(Attention, TakesOneOfTwoProductsThatMeet) {
  const Sizes s;
  const ExprPtr positions = Product(Input("p", {s.products, s.queries, 5}), Input("r", {s.products, s.keys, 5}), true);
  const IRModule fused = Fused(Product(Softmax(MakeCall("add", {Scores(s), positions})), Values(s), false));
  const relay::FunctionPtr function = AttentionIn(fused);
  ASSERT_TRUE(function);
  EXPECT_THAT(FunctionNames(fused), Contains("nn.batch_matmul"));  // the other product is an operand
  CheckFunction(function, {}, kTolerance);
}

TEST(Attention, SmallScoresStayApart) {
  const Sizes s;
  const int64_t bytes = s.products * s.queries * s.keys * 4;
  const ExprPtr body = Product(Softmax(Scores(s)), Values(s), false);
  EXPECT_TRUE(AttentionIn(Fused(body, bytes)));
  EXPECT_FALSE(AttentionIn(Fused(body, bytes + 1)));
}

// An operation on the scores, of shape (products, queries, keys): an addition, a product or a choice.
ExprPtr Drawn(const ExprPtr& scores, const Sizes& s, Random& random) {
  switch (random.Below(6)) {
    case 0:
      return scores;
    case 1:
      return MakeCall("multiply", {scores, ScalarConstant(0.3F)});
    case 2:
      return MakeCall("add", {scores, Input("mask", {s.queries, s.keys})});
    case 3:
      return MakeCall("add", {MakeCall("divide", {scores, ScalarConstant(3)}), Input("mask", {1, 1, s.keys})});
    case 4:
      return MakeCall("subtract", {Input("bias", {s.products, s.queries, s.keys}), scores});
    default: {
      const ExprPtr chosen = MakeCall("greater", {Input("m", {s.products, 1, s.keys}), ScalarConstant(0)});
      return MakeCall("where", {chosen, scores, ScalarConstant(-1e9F)});
    }
  }
}

class RandomAttention : public ::testing::TestWithParam<int> {};

TEST_P(RandomAttention, ComputesWhatItsOperatorsMean) {
  Random random(static_cast<uint64_t>(GetParam()));
  const auto below = [&](int64_t most) { return 1 + static_cast<int64_t>(random.Below(static_cast<uint64_t>(most))); };
  const Sizes s{below(4), below(90), below(150), below(70), below(70)};
  SCOPED_TRACE(fmt::format("{} products, {} queries, {} keys, {} and {} wide", s.products, s.queries, s.keys, s.width,
                           s.value_width));
  const bool by_head = random.Below(2) == 0, transposed = random.Below(2) == 0;
  const ExprPtr queries = by_head ? Transpose(Input("q", {s.queries, s.products, s.width}), {1, 0, 2}) : Queries(s);
  const ExprPtr keys = by_head ? Transpose(Input("k", {s.keys, s.products, s.width}), {1, 0, 2}) : Keys(s);
  const ExprPtr scores =
      transposed ? Product(queries, Input("kt", {s.products, s.width, s.keys}), false) : Product(queries, keys, true);
  const ExprPtr values =
      random.Below(2) == 0 ? Values(s) : Transpose(Input("v", {s.keys, s.products, s.value_width}), {1, 0, 2});
  ExprPtr body = Product(Softmax(Drawn(scores, s, random)), values, false);
  if (random.Below(2) == 0) body = Transpose(body, {1, 0, 2});
  const relay::FunctionPtr function = AttentionIn(Fused(body));
  ASSERT_TRUE(function);
  CheckFunction(function, {}, kTolerance);
  // All operands that allow gaps between their images get them.
  Ints apart;
  for (size_t i = 0; i <= function->params.size(); ++i) {
    const Shape& shape = i < function->params.size() ? function->params[i]->type->shape : function->body->type->shape;
    if (!shape.empty() && shape[0] > 1) apart.push_back(static_cast<int64_t>(i));
  }
  CheckFunction(WithImagesApart(function, apart), {}, kTolerance);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomAttention, ::testing::Range(0, 24));

ExprPtr Rounded(const ExprPtr& x) { return MakeCall("cast", {x}, {{"dtype", std::string("bfloat16")}}); }

class RandomBFloat16Attention : public ::testing::TestWithParam<int> {
 protected:
  // Allows kernels for this machine to use tile registers.
  RandomBFloat16Attention() { MayUseTileRegisters(); }
};

// The kernel rounds weights before it divides them by their sum, the operators afterwards.
TEST_P(RandomBFloat16Attention, ComputesWhatItsOperatorsMean) {
  constexpr double kRounding = 1.0 / 128;
  Random random(static_cast<uint64_t>(GetParam()));
  const auto below = [&](int64_t most) { return 1 + static_cast<int64_t>(random.Below(static_cast<uint64_t>(most))); };
  // Two thirds of the widths suit matrix tiles.
  const int64_t width = GetParam() % 3 == 0 ? 2 * below(40) : 32 * below(3);
  const Sizes s{below(4), below(150), 2 * below(100), width, below(70)};
  SCOPED_TRACE(fmt::format("{} products, {} queries, {} keys, {} and {} wide", s.products, s.queries, s.keys, s.width,
                           s.value_width));
  const bool by_head = random.Below(2) == 0;
  const auto heads = [&](const char* name, int64_t rows, int64_t columns) {
    if (!by_head) return Rounded(Input(name, {s.products, rows, columns}));
    return Transpose(Rounded(Input(name, {rows, s.products, columns})), {1, 0, 2});
  };
  const ExprPtr queries = heads("q", s.queries, s.width);
  // Scores are scaled down, because sums of pairs would otherwise be too large for an exponential.
  const ExprPtr scores = MakeCall("multiply", {Product(queries, heads("k", s.keys, s.width), true),
                                               ScalarConstant(0.5F / std::sqrt(static_cast<float>(width)))});
  const ExprPtr weights = Softmax(Drawn(scores, s, random));
  const ExprPtr rounded = Rounded(GetParam() % 2 == 0 ? weights : NanToZero(weights));
  ExprPtr body = Product(rounded, heads("v", s.keys, s.value_width), false);
  if (random.Below(2) == 0) body = Rounded(body);
  if (random.Below(2) == 0) body = Transpose(body, {1, 0, 2});
  const IRModule fused = Fuse(ModuleOf(body), {.least_scores_bytes = 0});
  const relay::FunctionPtr function = AttentionIn(fused);
  ASSERT_TRUE(function);
  EXPECT_EQ(AttentionOf(*function)->scores.types.data, DType::kBFloat16);
  EXPECT_EQ(AttentionOf(*function)->values.types.output, function->body->type->dtype);
  CheckFunction(function, {}, kRounding);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomBFloat16Attention, ::testing::Range(0, 30));

// A query that sees no key has NaN weights, as for nn.softmax; they must not affect other queries.
void CheckRowOfInfinities(const std::function<ExprPtr(const ExprPtr&)>& guard, double nan_query, double tolerance) {
  const Sizes s{.products = 1, .queries = 3, .keys = 40};
  const ExprPtr masked = MakeCall("add", {Scores(s), Input("mask", {s.queries, s.keys})});
  const relay::FunctionPtr function = AttentionIn(Fused(Product(guard(Softmax(masked)), Values(s), false)));
  ASSERT_TRUE(function);
  std::vector<Tensor> args;
  for (size_t i = 0; i < function->params.size(); ++i) args.push_back(Filled(*function->params[i]->type, i + 1));
  Tensor& mask = args[2];
  ASSERT_EQ(mask.shape(), (Shape{s.queries, s.keys}));
  for (int64_t key = 0; key < s.keys; ++key) {
    mask.Set(key, key > 3 ? -std::numeric_limits<double>::infinity() : 0);
    mask.Set(s.keys + key, -std::numeric_limits<double>::infinity());
  }
  args[0].Set(2 * s.width, nan_query);
  CheckFunction(function, args, tolerance);
}

TEST(Attention, ARowOfInfinitiesIsNotANumberAlone) {
  CheckRowOfInfinities([](const ExprPtr& weights) { return weights; }, 1, kTolerance);
}

TEST(Attention, AGuardMakesRowsThatAreNoNumbersZeros) {
  const auto guard = [](const ExprPtr& weights) { return NanToZero(weights); };
  CheckRowOfInfinities(guard, 1, kTolerance);
  CheckRowOfInfinities(guard, std::numeric_limits<double>::quiet_NaN(), kTolerance);
  CheckRowOfInfinities(guard, std::numeric_limits<double>::infinity(), kTolerance);
}

// where(position < n, x, other) with positions along the axis of these places.
ExprPtr UpTo(const ExprPtr& n, const ExprPtr& x, Shape places, float other) {
  Tensor positions(DType::kInt64, std::move(places));
  for (int64_t i = 0; i < positions.elements(); ++i) positions.Set(i, static_cast<double>(i));
  return MakeCall("where", {MakeCall("less", {relay::MakeConstant(positions), n}), x, ScalarConstant(other)});
}

// Runs the function on several numbers of keys, perhaps none. What lies behind them is NaN.
void CheckNumbersOfKeys(const relay::FunctionPtr& function, const Sizes& s, const std::vector<Shape>& of_keys) {
  ASSERT_TRUE(function);
  ASSERT_TRUE(AttentionOf(*function)->counts_keys);
  for (const int64_t keys : {0, 1, 9, 48}) {
    SCOPED_TRACE(fmt::format("{} keys", keys));
    std::vector<Tensor> args;
    for (const auto& param : function->params) {
      Tensor& arg = args.emplace_back(Filled(*param->type, args.size() + 1));
      const Shape& shape = param->type->shape;
      if (param->type->dtype == DType::kInt64) {
        for (int64_t i = 0; i < arg.elements(); ++i) arg.Set(i, static_cast<double>(shape.empty() ? keys : i));
      } else if (std::ranges::find(of_keys, shape) != of_keys.end()) {
        for (int64_t i = 0; i < arg.elements(); ++i) {
          if (i / shape.back() % s.keys >= keys) arg.Set(i, std::numeric_limits<double>::quiet_NaN());
        }
      }
    }
    size_t of_scalar = 0;  // the masks' numbers are -infinity, then 0
    for (Tensor& arg : args) {
      if (arg.dtype() == DType::kFloat32 && arg.elements() == 1)
        arg.Set(0, of_scalar++ == 0 ? -std::numeric_limits<double>::infinity() : 0);
    }
    CheckFunction(function, args, kTolerance);
  }
}

ExprPtr NumberOfKeys() { return relay::MakeVar("n", relay::TensorType({}, DType::kInt64)); }

TEST(Attention, AGuardHoldsForEachNumberOfKeys) {
  const Sizes s{.products = 2, .queries = 21, .keys = 48, .value_width = 5};
  const ExprPtr masked = UpTo(NumberOfKeys(), Scores(s), {1, 1, s.keys}, -std::numeric_limits<float>::infinity());
  const relay::FunctionPtr function =
      AttentionIn(Fuse(ModuleOf(Product(NanToZero(Softmax(masked)), Values(s), false)), {.least_scores_bytes = 0}));
  CheckNumbersOfKeys(function, s, {{s.products, s.keys, s.width}});
}

// Heads that share keys and values, as a cache has them. The masks of the values and their repetition are no kernels.
TEST(Attention, ReadsSharedKeysAndValuesWhereTheyLie) {
  const Sizes s{.products = 6, .queries = 21, .keys = 48, .width = 8, .value_width = 5};
  const auto shared = [&](const std::string& name, int64_t width) {
    const ExprPtr one = Input(name, {2, 1, s.keys, width});
    return Reshape(MakeCall("broadcast_to", {one}, {{"shape", Ints{2, 3, s.keys, width}}}), {6, s.keys, width});
  };
  const ExprPtr n = NumberOfKeys();
  const ExprPtr scores = Product(Queries(s), shared("k", s.width), true);
  const ExprPtr masked = UpTo(n, scores, {1, 1, s.keys}, -std::numeric_limits<float>::infinity());
  const ExprPtr values = UpTo(n, shared("v", s.value_width), {1, s.keys, 1}, 0);
  const IRModule fused = Fuse(ModuleOf(Product(NanToZero(Softmax(masked)), values, false)), {.least_scores_bytes = 0});
  EXPECT_EQ(FunctionNames(fused).size(), 1U);
  CheckNumbersOfKeys(AttentionIn(fused), s, {{2, 1, s.keys, s.width}, {2, 1, s.keys, s.value_width}});
}

// Zeros behind another number of values belong to the model.
TEST(Attention, LeavesAMaskOfOtherValues) {
  const Sizes s{.keys = 48};
  const ExprPtr n = NumberOfKeys(), m = relay::MakeVar("m", relay::TensorType({}, DType::kInt64));
  const ExprPtr masked = UpTo(n, Scores(s), {1, 1, s.keys}, -std::numeric_limits<float>::infinity());
  for (const auto& [count, fill] : {std::pair{m, 0.F}, {n, 1.F}}) {
    const ExprPtr values = UpTo(count, Values(s), {1, s.keys, 1}, fill);
    const IRModule fused = Fuse(ModuleOf(Product(Softmax(masked), values, false)), {.least_scores_bytes = 0});
    EXPECT_GT(FunctionNames(fused).size(), 1U);
    EXPECT_TRUE(AttentionIn(fused));
  }
}

}  // namespace
}  // namespace hone::testing
