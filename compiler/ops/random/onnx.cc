// RandomNormal, RandomUniform, Bernoulli and Multinomial: functions of uniform numbers.
#include "compiler/ops/random/onnx.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"

namespace hone {
namespace {

using relay::ExprPtr;

constexpr int64_t kMostDrawn = int64_t{1} << 31;  // elements of one node

void RequireFewDrawn(const Shape& shape) {
  if (ElementCount(shape) > kMostDrawn)
    RefuseNode(fmt::format("{} random numbers; {} are the most", ShapeText(shape), kMostDrawn));
}

// The key of a seed that a node gives: an integer's low bits, or a float's. Bit 32 tells it from a model's seeds below.
ExprPtr SeedOf(const OnnxNodeView& view) {
  const OnnxAttribute* given = view.Find("seed");
  if (given == nullptr) return view.builder().seed();
  const bool is_integer = given->kind == OnnxAttribute::Kind::kInt;
  const auto bits =
      is_integer ? static_cast<uint32_t>(given->i) : std::bit_cast<uint32_t>(static_cast<float>(view.Float("seed", 0)));
  return relay::MakeConstant(Tensor::FromVector<int64_t>(DType::kInt64, {}, {int64_t{bits} | int64_t{1} << 32}));
}

// Two uniform numbers for each element: words 0 and 1 of its block. An element of counted extents is numbered within
// their bounds.
std::pair<ExprPtr, ExprPtr> Uniforms(const OnnxNodeView& view, const Shape& shape, const Counts& counts) {
  RequireFewDrawn(shape);
  const ExprPtr seed = SeedOf(view);
  const int64_t stream = view.HasAttr("seed") ? 0 : view.builder().NextStream();
  const auto word = [&](int64_t which) {
    ExprPtr drawn =
        view.builder().Unfolded("random.uniform", {seed}, {{"shape", shape}, {"stream", stream}, {"word", which}});
    view.builder().SetCounts(drawn, counts);
    return drawn;
  };
  return {word(0), word(1)};
}

// Box and Muller: sqrt(-2 log(1 - u)) cos(2 pi v). 1 - u is never 0.
ExprPtr NormalNumbers(const OnnxNodeView& view, const Shape& shape, const Counts& counts) {
  const auto [u, v] = Uniforms(view, shape, counts);
  const ExprPtr rest = WithScalar(view, "add", view.Call("negative", {u}), 1);
  const ExprPtr radius = view.Call("sqrt", {WithScalar(view, "multiply", view.Call("log", {rest}), -2)});
  return view.Call("multiply", {radius, view.Call("cos", {WithScalar(view, "multiply", v, 2 * std::numbers::pi)})});
}

ExprPtr Times(const OnnxNodeView& view, const ExprPtr& numbers, double scale, double offset) {
  return WithScalar(view, "add", WithScalar(view, "multiply", numbers, scale), offset);
}

ExprPtr AsAsked(const OnnxNodeView& view, const ExprPtr& numbers, DType otherwise) {
  return AsDType(view, numbers, view.HasAttr("dtype") ? CastTarget(view.Int("dtype", 1)) : otherwise);
}

// A shape of the attribute `shape`, or that of the first input.
Shape ShapeAsked(const OnnxNodeView& view) {
  if (view.num_inputs() > 0) return view.InputShape(0);
  const Shape shape = view.Ints("shape", {});
  for (const int64_t extent : shape) {
    if (extent < 0) RefuseNode(fmt::format("shape is {}", ShapeText(shape)));
  }
  return shape;
}

Counts CountsAsked(const OnnxNodeView& view) {
  return view.num_inputs() > 0 ? view.builder().CountsOf(view.Input(0)) : Counts();
}

ExprPtr Filled(const Shape& shape, double value, const OnnxNodeView& view) {
  RequireFewDrawn(shape);
  view.builder().Spend(ElementCount(shape) * DTypeBytes(DType::kFloat32));
  Tensor filled(DType::kFloat32, shape);
  for (int64_t i = 0; i < filled.elements(); ++i) filled.Set(i, value);
  const ExprPtr result = relay::MakeConstant(std::move(filled));
  view.builder().SetCounts(result, CountsAsked(view));
  return result;
}

DType TypeLike(const OnnxNodeView& view) {
  const DType like = view.num_inputs() > 0 ? view.builder().DTypeOf(view.Input(0)) : DType::kFloat32;
  return IsFloat(like) ? like : DType::kFloat32;
}

// A scale of 0 leaves the mean.
std::vector<ExprPtr> RandomNormal(const OnnxNodeView& view) {
  const Shape shape = ShapeAsked(view);
  const double mean = view.Float("mean", 0), scale = view.Float("scale", 1);
  const ExprPtr numbers =
      scale == 0 ? Filled(shape, mean, view) : Times(view, NormalNumbers(view, shape, CountsAsked(view)), scale, mean);
  return {AsAsked(view, numbers, TypeLike(view))};
}

std::vector<ExprPtr> RandomUniform(const OnnxNodeView& view) {
  const Shape shape = ShapeAsked(view);
  const double low = view.Float("low", 0), high = view.Float("high", 1);
  const ExprPtr numbers = low == high ? Filled(shape, low, view)
                                      : Times(view, UniformNumbers(view, shape, CountsAsked(view)), high - low, low);
  return {AsAsked(view, numbers, TypeLike(view))};
}

std::vector<ExprPtr> Bernoulli(const OnnxNodeView& view) {
  const ExprPtr& chance = view.Input(0);
  const ExprPtr drawn = view.Call(
      "less", {UniformNumbers(view, view.InputShape(0), CountsAsked(view)), AsDType(view, chance, DType::kFloat32)});
  return {AsAsked(view, drawn, view.builder().DTypeOf(chance))};
}

// The classes whose sums of chances, up to each, first exceed a uniform part of the whole sum.
std::vector<ExprPtr> Multinomial(const OnnxNodeView& view) {
  const Shape shape = view.InputShape(0);
  const int64_t count = view.Int("sample_size", 1);
  if (shape.size() != 2 || shape[1] < 1 || count < 1 || count > kMostDrawn) {
    RefuseNode(fmt::format("{} samples of {}; 1 or more of batch x classes can be drawn", count, ShapeText(shape)));
  }
  const ExprPtr chances = view.Call("nn.softmax", {view.Input(0)});
  const ExprPtr sums = view.Reshape(view.Call("cumsum", {chances}, {{"axis", int64_t{1}}}), {shape[0], 1, shape[1]});
  const ExprPtr whole = view.Slice(sums, 2, shape[1] - 1, shape[1]);
  const ExprPtr part = view.Call("multiply", {UniformNumbers(view, {shape[0], count, 1}), whole});
  const ExprPtr passed = AsDType(view, view.Call("less_equal", {sums, part}), DType::kInt32);
  const ExprPtr picked = view.Call("sum", {passed}, {{"axis", std::vector<int64_t>{2}}});
  return {AsAsked(view, WithScalar(view, "minimum", picked, static_cast<double>(shape[1] - 1)), DType::kInt32)};
}

}  // namespace

ExprPtr UniformNumbers(const OnnxNodeView& view, const Shape& shape, const Counts& counts) {
  return Uniforms(view, shape, counts).first;
}

OnnxOperatorTable RandomOperators() {
  const char* normal = "add cos log multiply negative random.uniform sqrt";
  const char* uniform = "add multiply random.uniform";
  return {
      {"RandomNormal", 0, 0, RandomNormal, {"dtype", "mean", "scale", "seed", "shape"}, {.becomes = normal}},
      {"RandomNormalLike",
       1,
       1,
       RandomNormal,
       {"dtype", "mean", "scale", "seed"},
       {.becomes = normal, .takes_counts = true}},
      {"RandomUniform", 0, 0, RandomUniform, {"dtype", "high", "low", "seed", "shape"}, {.becomes = uniform}},
      {"RandomUniformLike",
       1,
       1,
       RandomUniform,
       {"dtype", "high", "low", "seed"},
       {.becomes = uniform, .takes_counts = true}},
      {"Bernoulli", 1, 1, Bernoulli, {"dtype", "seed"}, {.becomes = "cast less random.uniform", .takes_counts = true}},
      {"Multinomial",
       1,
       1,
       Multinomial,
       {"dtype", "sample_size", "seed"},
       {.becomes = "cast cumsum less_equal minimum multiply nn.softmax random.uniform reshape strided_slice sum"}}};
}

}  // namespace hone
