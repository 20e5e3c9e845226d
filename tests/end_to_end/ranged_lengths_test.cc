// One package for every length: an encoder whose number of tokens the caller chooses for each run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "compiler/build.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "core/random.h"
#include "runtime/session.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

using relay::ExprPtr;
using relay::MakeCall;
using Ints = std::vector<int64_t>;

constexpr int64_t kMost = 320, kWidth = 32, kHeads = 4, kHead = kWidth / kHeads;

ExprPtr Weights(Shape shape, uint64_t seed) {
  Tensor value(DType::kFloat32, std::move(shape));
  Random random(seed);
  for (int64_t i = 0; i < value.elements(); ++i) value.Set(i, 0.4 * random.Uniform() - 0.2);
  return relay::MakeConstant(std::move(value), "w" + std::to_string(seed));
}

ExprPtr Number(double value) {
  Tensor number(DType::kFloat32, {});
  number.Set(0, value);
  return relay::MakeConstant(std::move(number));
}

ExprPtr ReshapeTo(const ExprPtr& x, Ints shape) { return MakeCall("reshape", {x}, {{"newshape", std::move(shape)}}); }

// x in front of `extent` along an axis of kMost positions, and `fill` behind it.
ExprPtr Filled(const ExprPtr& x, const ExprPtr& extent, Shape places, double fill) {
  Tensor positions(DType::kInt64, std::move(places));
  for (int64_t i = 0; i < kMost; ++i) positions.data<int64_t>()[i] = i;
  return MakeCall("where", {MakeCall("less", {relay::MakeConstant(std::move(positions)), extent}), x, Number(fill)});
}

ExprPtr Projected(const ExprPtr& rows, uint64_t seed) {
  return MakeCall("nn.dense", {rows, Weights({kWidth, kWidth}, seed)});
}

ExprPtr InHeads(const ExprPtr& rows) {
  const ExprPtr apart = ReshapeTo(rows, {1, kMost, kHeads, kHead});
  return ReshapeTo(MakeCall("transpose", {apart}, {{"axes", Ints{0, 2, 1, 3}}}), {kHeads, kMost, kHead});
}

ExprPtr Attended(const ExprPtr& rows, const ExprPtr& extent, uint64_t seed) {
  const ExprPtr scores =
      MakeCall("nn.batch_matmul", {InHeads(Projected(rows, seed)), InHeads(Projected(rows, seed + 1))});
  const ExprPtr masked = Filled(scores, extent, {1, 1, kMost}, -std::numeric_limits<double>::infinity());
  const ExprPtr values = Filled(InHeads(Projected(rows, seed + 2)), extent, {1, kMost, 1}, 0);
  const ExprPtr mixed =
      MakeCall("nn.batch_matmul", {MakeCall("nn.softmax", {masked}), values}, {{"transpose_b", false}});
  const ExprPtr beside =
      MakeCall("transpose", {ReshapeTo(mixed, {1, kHeads, kMost, kHead})}, {{"axes", Ints{0, 2, 1, 3}}});
  return MakeCall("add", {rows, Projected(ReshapeTo(beside, {kMost, kWidth}), seed + 3)});
}

ExprPtr Normalised(const ExprPtr& rows) {
  const relay::Attrs last{{"axis", Ints{-1}}, {"keepdims", true}};
  const ExprPtr centred = MakeCall("subtract", {rows, MakeCall("mean", {rows}, last)});
  const ExprPtr variance = MakeCall("mean", {MakeCall("multiply", {centred, centred})}, last);
  return MakeCall("divide", {centred, MakeCall("sqrt", {MakeCall("add", {variance, Number(1e-3)})})});
}

// Tokens of (1, n, kWidth) to as many, and their sum.
relay::IRModule Encoder() {
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({1, kMost, kWidth}));
  const ExprPtr n = relay::MakeVar("tokens", relay::TensorType({}, DType::kInt64));
  ExprPtr rows = ReshapeTo(x, {kMost, kWidth});
  for (uint64_t layer = 0; layer < 2; ++layer) {
    rows = Normalised(Attended(rows, n, 10 * layer));
    const ExprPtr wide =
        MakeCall("nn.relu", {MakeCall("nn.dense", {rows, Weights({3 * kWidth, kWidth}, 10 * layer + 4)})});
    rows = Normalised(
        MakeCall("add", {rows, MakeCall("nn.dense", {wide, Weights({kWidth, 3 * kWidth}, 10 * layer + 5)})}));
  }
  const ExprPtr pooled = MakeCall("sum", {Filled(rows, n, {kMost, 1}, 0)}, {{"axis", Ints{0}}});
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers({{0, 0 + 1, 1, 1}}));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers({{0, 1, 2, kMost}}));
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(x),
                                                     std::static_pointer_cast<const relay::Var>(n)},
      relay::MakeTuple({ReshapeTo(rows, {1, kMost, kWidth}), pooled, n}), attrs);
  return relay::InferType(module);
}

Tensor Tokens(int64_t n, double fill = 0) {
  Tensor x(DType::kFloat32, {1, n, kWidth});
  Random random(static_cast<uint64_t>(n));
  for (int64_t i = 0; i < x.elements(); ++i) x.Set(i, fill != 0 ? fill : random.Uniform() - 0.5);
  return x;
}

void ExpectClose(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.shape(), want.shape());
  for (int64_t i = 0; i < want.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 2e-4) << i;
}

class RangedLengths : public ::testing::TestWithParam<BuildContext> {};

// A full run of infinities leaves nothing finite in the session's memory, which a shorter run must not read.
TEST_P(RangedLengths, ComputesEachLengthAsIfItWereTheOnlyOne) {
  const relay::IRModule module = Encoder();
  BuildOptions options = HostBuild();
  options.context = GetParam();
  const auto package = Package::FromBytes(Build(module, options).package, "encoder");
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const int64_t n : {kMost, int64_t{1}, int64_t{57}, int64_t{16}, kMost, int64_t{33}, int64_t{2}}) {
      session.SetInput("x", Tokens(kMost, std::numeric_limits<double>::infinity()));
      session.Run();
      session.SetInput("x", Tokens(n));
      session.Run();
      const std::vector<Tensor> want = RunReference(module, {{"x", Tokens(n)}});
      ExpectClose(session.Output(0), want[0]);
      ExpectClose(session.Output(1), want[1]);
    }
  }
}

TEST_P(RangedLengths, TellsItsOutputsBeforeARun) {
  BuildOptions options = HostBuild();
  options.context = GetParam();
  Session session(Package::FromBytes(Build(Encoder(), options).package, "encoder"), {.threads = 1});
  EXPECT_EQ(session.ExpectedShape(0), (Shape{1, kMost, kWidth}));
  session.SetInput("x", Tokens(57));
  EXPECT_EQ(session.ExpectedShape(0), (Shape{1, 57, kWidth}));
  EXPECT_EQ(session.OutputShape(0), (Shape{1, kMost, kWidth}));
  session.Run();
  EXPECT_EQ(session.OutputShape(0), (Shape{1, 57, kWidth}));
  session.SetInputShape(0, {1, 3, kWidth});
  EXPECT_EQ(session.ExpectedShape(0), (Shape{1, 3, kWidth}));
  EXPECT_EQ(session.OutputShape(0), (Shape{1, 57, kWidth}));
}

// A module with one input and its extent. Results come before their counts.
relay::IRModule RangedModule(const ExprPtr& x, const ExprPtr& n, std::vector<ExprPtr> results,
                             const std::vector<relay::RangedInput>& ranged,
                             const std::vector<relay::CountedOutput>& counted) {
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers(ranged));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers(counted));
  relay::IRModule module;
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(x),
                                                     std::static_pointer_cast<const relay::Var>(n)},
      relay::MakeTuple(std::move(results)), attrs);
  return relay::InferType(module);
}

// The elements of a table at positions.
ExprPtr LookedUp(const std::string& op, const ExprPtr& places) {
  if (op == "gather") return MakeCall(op, {Weights({kMost, kWidth}, 3), places}, {{"axis", int64_t{0}}});
  return MakeCall(op, {Weights({kMost}, 3), op == "take" ? places : ReshapeTo(places, {1, kMost, kWidth})});
}

class RangedPositions : public ::testing::TestWithParam<std::string> {};

// Behind the extent lie positions of an earlier run, which nothing but the largest run may compute or read.
TEST_P(RangedPositions, EndWhereTheRunEnds) {
  const ExprPtr ids = relay::MakeVar("ids", relay::TensorType({kMost, kWidth}, DType::kInt64));
  const ExprPtr n = relay::MakeVar("n", relay::TensorType({}, DType::kInt64));
  Tensor numbers(DType::kInt64, {kMost, 1}), zero(DType::kInt64, {}), most(DType::kInt64, {});
  for (int64_t i = 0; i < kMost; ++i) numbers.Set(i, static_cast<double>(i));
  most.Set(0, kMost - 1);
  const ExprPtr is_there = MakeCall("less", {relay::MakeConstant(numbers), n});
  const ExprPtr turned = MakeCall("subtract", {relay::MakeConstant(most), ids});
  const ExprPtr places = MakeCall("where", {is_there, turned, relay::MakeConstant(zero)});
  const relay::IRModule module =
      RangedModule(ids, n, {LookedUp(GetParam(), places), n}, {{0, 0, 1, 1}}, {{0, 0, 1, kMost}});
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "positions");
  for (const PlanCall& call : package->plan().calls) {
    const bool looks_up = call.op == "where" || call.op == GetParam();
    EXPECT_EQ(looks_up && call.boxes.empty(), false) << call.op;
  }
  Session session(package, {.threads = 1});
  for (const int64_t rows : {kMost, int64_t{1}, int64_t{57}, kMost}) {
    Tensor given(DType::kInt64, {rows, kWidth});
    for (int64_t i = 0; i < given.elements(); ++i) given.Set(i, static_cast<double>(i * 7 % kMost));
    session.SetInput("ids", given);
    session.Run();
    ExpectClose(session.Output(0), RunReference(module, {{"ids", given}})[0]);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, RangedPositions, ::testing::Values("take", "gather", "gather_nd"),
                         [](const auto& test) { return test.param; });

// A gather may read anything along its own axis, but only in the rows that a run needs.
TEST(RangedGather, NeedsTheRowsOfARun) {
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({kMost, kWidth}));
  const ExprPtr n = relay::MakeVar("n", relay::TensorType({}, DType::kInt64));
  Tensor places(DType::kInt64, {kMost, kWidth});
  for (int64_t i = 0; i < places.elements(); ++i) places.Set(i, static_cast<double>(i * 7 % kWidth));
  const ExprPtr y =
      MakeCall("gather", {Projected(x, 1), relay::MakeConstant(std::move(places))}, {{"axis", int64_t{1}}});
  const relay::IRModule module = RangedModule(x, n, {y, n}, {{0, 0, 1, 1}}, {{0, 0, 1, kMost}});
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "rows");
  for (const PlanCall& call : package->plan().calls) {
    EXPECT_FALSE((call.op == "nn.dense" || call.op == "gather") && call.boxes.empty()) << call.op;
  }
  Session session(package, {.threads = 1});
  for (const int64_t rows : {kMost, int64_t{1}, int64_t{57}}) {
    Tensor given(DType::kFloat32, {rows, kWidth});
    for (int64_t i = 0; i < given.elements(); ++i) given.Set(i, static_cast<double>(i % 13) - 6);
    session.SetInput("x", given);
    session.Run();
    ExpectClose(session.Output(0), RunReference(module, {{"x", given}})[0]);
  }
}

// The share of its work items that a call computes in a run of `n` positions along all of its limited axes.
double ShareOfItems(const PlanCall& call, int64_t n) {
  double share = 1;
  for (const ItemBox& box : call.boxes) {
    for (const ItemAxis& axis : box.axes) {
      if (axis.extent < 0) continue;
      const int64_t needed = (n * axis.scale + axis.step - 1) / axis.step;
      share *= std::min(1.0, static_cast<double>(needed) / static_cast<double>(axis.items));
    }
  }
  return share;
}

// All elements of (heads, n, n) are one row of memory, but a run leaves out most of them. Those of the second result
// are read where the caller gets them.
TEST(RangedElements, EndAlongInnerAxes) {
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({kHeads, kMost, kMost}));
  const ExprPtr n = relay::MakeVar("n", relay::TensorType({}, DType::kInt64));
  const ExprPtr y = MakeCall("add", {MakeCall("multiply", {x, x}), x});
  const ExprPtr turned = MakeCall("transpose", {y}, {{"axes", Ints{0, 2, 1}}});
  const relay::IRModule module = RangedModule(x, n, {turned, y, n}, {{0, 1, 1, 1}, {0, 2, 1, 1}},
                                              {{0, 1, 2, kMost}, {0, 2, 2, kMost}, {1, 1, 2, kMost}, {1, 2, 2, kMost}});
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "elements");
  std::vector<std::string> ops;
  for (const PlanCall& call : package->plan().calls) {
    ops.push_back(call.op);
    const bool is_count = call.boxes.empty() && call.op == "copy";
    EXPECT_LT(is_count ? 0 : ShareOfItems(call, 24), 0.1) << call.op;
  }
  EXPECT_THAT(ops, ::testing::UnorderedElementsAre("multiply", "transpose", "copy"));  // of the count
  Session session(package, {.threads = 3});
  for (const int64_t positions : {kMost, int64_t{1}, int64_t{129}, int64_t{24}, kMost, int64_t{128}}) {
    Tensor given(DType::kFloat32, {kHeads, positions, positions});
    Random random(static_cast<uint64_t>(positions));
    for (int64_t i = 0; i < given.elements(); ++i) given.Set(i, random.Uniform());
    session.SetInput("x", given);
    session.Run();
    const std::vector<Tensor> want = RunReference(module, {{"x", given}});
    ExpectClose(session.Output(0), want[0]);
    ExpectClose(session.Output(1), want[1]);
  }
}

// Layers over several images, whatever kernel they get. A full run of infinities comes before each shorter one.
TEST(RangedImages, EndEachStageOfTheirLayers) {
  constexpr int64_t kImages = 16, kChannels = 64, kSide = 14;
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({kImages, kChannels, kSide, kSide}));
  const ExprPtr n = relay::MakeVar("n", relay::TensorType({}, DType::kInt64));
  const auto layer = [&](const ExprPtr& data, uint64_t seed) {
    const ExprPtr conv =
        MakeCall("nn.conv2d", {data, Weights({kChannels, kChannels, 3, 3}, seed)},
                 {{"padding", Ints{1, 1, 1, 1}}, {"channels", kChannels}, {"kernel_size", Ints{3, 3}}});
    return MakeCall("nn.relu", {conv});
  };
  const relay::IRModule module = RangedModule(x, n, {layer(layer(x, 1), 2), n}, {{0, 0, 1, 1}}, {{0, 0, 1, kImages}});
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "images");
  for (const PlanCall& call : package->plan().calls) {
    if (call.op != "nn.conv2d") continue;
    std::vector<int> stages;
    for (const ItemBox& box : call.boxes) stages.push_back(box.stage);
    for (size_t stage = 0; stage < package->plan().kernels[static_cast<size_t>(call.kernel)].stages.size(); ++stage) {
      EXPECT_THAT(stages, ::testing::Contains(static_cast<int>(stage)));
    }
  }
  const auto images = [&](int64_t count, double fill) {
    Tensor value(DType::kFloat32, {count, kChannels, kSide, kSide});
    Random random(static_cast<uint64_t>(count));
    for (int64_t i = 0; i < value.elements(); ++i) value.Set(i, fill != 0 ? fill : random.Uniform() - 0.5);
    return value;
  };
  for (const int threads : {1, 3}) {
    Session session(package, {.threads = threads});
    for (const int64_t count : {kImages, int64_t{1}, int64_t{5}}) {
      session.SetInput("x", images(kImages, std::numeric_limits<double>::infinity()));
      session.Run();
      session.SetInput("x", images(count, 0));
      session.Run();
      const Tensor got = session.Output(0), want = RunReference(module, {{"x", images(count, 0)}})[0];
      ASSERT_EQ(got.shape(), want.shape());
      for (int64_t i = 0; i < want.elements(); ++i) ASSERT_NEAR(got.At(i), want.At(i), 1e-2) << i;
    }
  }
}

// Rows of x, of which there must be five at least.
TEST(RangedRefusals, ComputeNothing) {
  const ExprPtr x = relay::MakeVar("x", relay::TensorType({8, kWidth}));
  const ExprPtr n = relay::MakeVar("rows", relay::TensorType({}, DType::kInt64));
  Tensor five(DType::kInt64, {});
  five.Set(0, 5);
  const ExprPtr left = MakeCall("subtract", {n, relay::MakeConstant(five, "five")});
  relay::Attrs attrs;
  attrs.Set(std::string(relay::kRanged), relay::RangedNumbers({{0, 0, 1, 1}}));
  attrs.Set(std::string(relay::kCounted), relay::CountedNumbers({{0, 0, 1, 8}, {-1, 0, 2, 8}}));
  relay::IRModule module;
  module.output_names = {"y", "", "what is left"};
  module.main = std::make_shared<const relay::Function>(
      std::vector<std::shared_ptr<const relay::Var>>{std::static_pointer_cast<const relay::Var>(x),
                                                     std::static_pointer_cast<const relay::Var>(n)},
      relay::MakeTuple({MakeCall("nn.relu", {x}), n, left}), attrs);
  Session session(Package::FromBytes(Build(relay::InferType(module), HostBuild()).package, "m"), {.threads = 1});
  std::vector<float> y(8 * kWidth, -7);
  session.BindOutput(0, y.data(), y.size() * 4);
  const auto refusal = [](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      return error.what();
    }
    return "none";
  };
  const std::string right = "what is left is -2 in a run of rows=3; it may be 0 to 8";
  session.SetInputShape(0, {3, kWidth});
  EXPECT_EQ(refusal([&] { session.ExpectedShape(0); }), right);
  EXPECT_EQ(refusal([&] { session.Run(); }), right);
  EXPECT_EQ(refusal([&] { session.Run(); }), right);
  EXPECT_THAT(y, ::testing::Each(-7));
  session.SetInputShape(0, {5, kWidth});
  session.Run();
  EXPECT_EQ(session.OutputShape(0), (Shape{5, kWidth}));
}

TEST_P(RangedLengths, LeavesOutItemsOfNearlyAllCalls) {
  BuildOptions options = HostBuild();
  options.context = GetParam();
  const auto package = Package::FromBytes(Build(Encoder(), options).package, "encoder");
  std::vector<std::string> whole;
  for (const PlanCall& call : package->plan().calls) {
    if (call.boxes.empty()) whole.push_back(call.op);
  }
  // These take no time beside the others.
  EXPECT_THAT(whole, ::testing::Each(::testing::AnyOf("less", "where", "sum", "copy", "add", "sqrt")));
}

std::vector<BuildContext> Contexts() {
  std::vector<BuildContext> contexts;
  for (const int level : {0, 3}) {
    for (const Precision precision : {Precision::kFloat32}) {
      BuildContext context = HostBuild().context;
      context.opt_level = level;
      context.precision = precision;
      contexts.push_back(context);
    }
  }
  return contexts;
}

INSTANTIATE_TEST_SUITE_P(Levels, RangedLengths, ::testing::ValuesIn(Contexts()),
                         [](const auto& test) { return "O" + std::to_string(test.param.opt_level); });

}  // namespace
}  // namespace hone
