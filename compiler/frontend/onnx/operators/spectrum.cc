// Fourier transforms as products with matrices of cosines and sines, and the windows of short ones.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "compiler/frontend/onnx/cast_target.h"
#include "compiler/frontend/onnx/onnx_operators.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Axes = std::vector<int64_t>;

// A matrix of the length times itself is what a transform costs.
constexpr int64_t kLongest = 4096;

// The only number of an input that may be absent.
std::optional<int64_t> KnownInt(const OnnxNodeView& view, int input, std::string_view what) {
  const auto given = view.InputInts(input, what);
  if (!given) return std::nullopt;
  if (given->size() != 1) RefuseNode(fmt::format("its {} must be one number", what));
  return (*given)[0];
}

struct Transform {
  int64_t length = 0;    // as many samples make a period
  int64_t given = 0;     // samples or bins that are there; those past the length count for nothing
  int64_t parts = 1;     // of a number that is given: real, and imaginary
  bool inverse = false;  // divided by the length
  bool onesided = false;

  // Of a real signal half of the bins tell the others: they are not made, or are not given and the signal is real.
  bool from_half() const { return inverse && onesided; }
  int64_t results() const { return onesided && !inverse ? length / 2 + 1 : length; }
  int64_t result_parts() const { return from_half() ? 1 : 2; }
};

void CheckTransform(const Transform& transform) {
  if (transform.length < 1 || transform.length > kLongest) {
    RefuseNode(fmt::format("a transform of {}; it may be of 1 to {}", transform.length, kLongest));
  }
  if (transform.parts != 1 && transform.parts != 2) {
    RefuseNode(fmt::format("numbers of {} parts; they have one, or a real and an imaginary one", transform.parts));
  }
  if (transform.onesided && !transform.inverse && transform.parts == 2) {
    RefuseNode("onesided is set, and the signal is complex");
  }
}

// (results * parts of them) x (given * parts): what a row of numbers is multiplied with.
Tensor MatrixOf(const OnnxNodeView& view, const Transform& t) {
  const int64_t rows = t.results() * t.result_parts(), columns = t.given * t.parts;
  view.builder().Spend(rows * columns * 4);
  Tensor matrix(DType::kFloat32, {rows, columns});
  const int64_t used = std::min(t.given, t.from_half() ? t.length / 2 + 1 : t.length);
  for (int64_t k = 0; k < t.results(); ++k) {
    for (int64_t n = 0; n < used; ++n) {
      // Bins between the first and the middle stand for two.
      const double times = t.from_half() && n > 0 && 2 * n != t.length ? 2 : 1;
      const double weight = t.inverse ? times / static_cast<double>(t.length) : 1;
      const double turn = 2 * std::numbers::pi * static_cast<double>(k * n % t.length) / static_cast<double>(t.length);
      const double cosine = weight * std::cos(turn), sine = (t.inverse ? weight : -weight) * std::sin(turn);
      const int64_t row = k * t.result_parts() * columns, column = n * t.parts;
      matrix.Set(row + column, cosine);
      if (t.parts == 2) matrix.Set(row + column + 1, -sine);
      if (t.result_parts() == 1) continue;
      matrix.Set(row + columns + column, sine);
      if (t.parts == 2) matrix.Set(row + columns + column + 1, cosine);
    }
  }
  return matrix;
}

ExprPtr Product(const OnnxNodeView& view, const ExprPtr& rows, const Tensor& matrix) {
  return view.Call("nn.dense", {rows, relay::MakeConstant(matrix)}, {{"units", matrix.shape()[0]}});
}

// An input since opset 20, an attribute before.
int64_t AxisOf(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  const int64_t given = view.opset() < 20 ? view.Int("axis", 1) : KnownInt(view, 2, "axis").value_or(-2);
  const int64_t axis = OnnxNodeView::Axis(given, rank);
  if (axis == rank - 1) RefuseNode(fmt::format("axis {} is that of real and imaginary parts", given));
  return axis;
}

std::vector<ExprPtr> Dft(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() < 2) RefuseNode(fmt::format("its data is {}; it must have an axis of parts", ShapeText(shape)));
  const int64_t axis = AxisOf(view), rank = view.InputRank(0);
  Transform transform{0, Nth(shape, axis), shape.back(), view.Int("inverse", 0) != 0, view.Int("onesided", 0) != 0};
  transform.length =
      KnownInt(view, 1, "dft_length").value_or(transform.from_half() ? 2 * (transform.given - 1) : transform.given);
  CheckTransform(transform);
  if (transform.from_half() && transform.parts == 1) RefuseNode("half a spectrum must be complex");
  Axes to_back(static_cast<size_t>(rank)), back(static_cast<size_t>(rank));
  std::iota(to_back.begin(), to_back.end(), 0);
  to_back.erase(to_back.begin() + axis);
  to_back.insert(to_back.end() - 1, axis);
  for (int64_t d = 0; d < rank; ++d) Nth(back, Nth(to_back, d)) = d;
  const auto transposed = [&](const ExprPtr& x, const Axes& axes) {
    return axis == rank - 2 ? x : view.Call("transpose", {x}, {{"axes", axes}});
  };
  const ExprPtr x = transposed(AsDType(view, view.Input(0), DType::kFloat32), to_back);
  Shape result = view.builder().ShapeOf(x);
  const int64_t columns = transform.given * transform.parts;
  const ExprPtr rows = view.Reshape(x, {ElementCount(shape) / columns, columns});
  result[result.size() - 2] = transform.results();
  result.back() = transform.result_parts();
  return {transposed(view.Reshape(Product(view, rows, MatrixOf(view, transform)), result), back)};
}

// The window, one number per sample of a frame; null when all are 1.
ExprPtr WindowOf(const OnnxNodeView& view, int64_t length) {
  if (!view.HasInput(2)) return nullptr;
  if (view.InputShape(2) != Shape{length}) {
    RefuseNode(fmt::format("a window of {} for frames of {}", ShapeText(view.InputShape(2)), length));
  }
  return view.Reshape(AsDType(view, view.Input(2), DType::kFloat32), {length, 1});
}

std::vector<ExprPtr> Stft(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() != 2 && shape.size() != 3) RefuseNode(fmt::format("a signal of {}", ShapeText(shape)));
  const int64_t step = KnownInt(view, 1, "frame_step").value_or(0), parts = shape.size() == 3 ? shape[2] : 1;
  const int64_t windowed = view.HasInput(2) && view.InputRank(2) == 1 ? view.InputShape(2)[0] : shape[1];
  const int64_t length = KnownInt(view, 3, "frame_length").value_or(windowed);
  const Transform transform{length, length, parts, false, view.Int("onesided", 1) != 0};
  CheckTransform(transform);
  if (step < 1 || length > shape[1]) {
    RefuseNode(fmt::format("frames of {} at steps of {} in a signal of {}", length, step, shape[1]));
  }
  const int64_t frames = (shape[1] - length) / step + 1;
  view.builder().Spend(frames * length * 8);
  Tensor places(DType::kInt64, {frames * length});
  for (int64_t i = 0; i < frames * length; ++i) places.data<int64_t>()[i] = i / length * step + i % length;
  const ExprPtr signal = view.Reshape(AsDType(view, view.Input(0), DType::kFloat32), {shape[0], shape[1], parts});
  ExprPtr rows = view.Call("take", {signal, relay::MakeConstant(places)}, {{"axis", int64_t{1}}});
  rows = view.Reshape(rows, {shape[0] * frames, length, parts});
  if (const ExprPtr window = WindowOf(view, length)) rows = view.Call("multiply", {rows, window});
  const ExprPtr bins =
      Product(view, view.Reshape(rows, {shape[0] * frames, length * parts}), MatrixOf(view, transform));
  return {view.Reshape(bins, {shape[0], frames, transform.results(), 2})};
}

// a - b cos(turn) + c cos(2 turn), one turn in all; of a periodic one the last number would be the first again.
struct Cosines {
  double a, b, c;
};

std::vector<ExprPtr> WindowBy(const OnnxNodeView& view, const Cosines& cosines) {
  constexpr int64_t kLongestWindow = int64_t{1} << 24;
  const int64_t size = KnownInt(view, 0, "size").value_or(0);
  if (size < 1 || size > kLongestWindow) RefuseNode(fmt::format("a window of {}", size));
  const auto turns = static_cast<double>(std::max<int64_t>(1, view.Int("periodic", 1) != 0 ? size : size - 1));
  view.builder().Spend(size * 4);
  Tensor window(DType::kFloat32, {size});
  for (int64_t i = 0; i < size; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / turns;
    window.Set(i, cosines.a - cosines.b * std::cos(turn) + cosines.c * std::cos(2 * turn));
  }
  return {AsDType(view, relay::MakeConstant(window), CastTarget(view.Int("output_datatype", 1)))};
}

std::vector<ExprPtr> HannWindow(const OnnxNodeView& view) { return WindowBy(view, {0.5, 0.5, 0}); }
std::vector<ExprPtr> HammingWindow(const OnnxNodeView& view) { return WindowBy(view, {25.0 / 46, 21.0 / 46, 0}); }
std::vector<ExprPtr> BlackmanWindow(const OnnxNodeView& view) { return WindowBy(view, {0.42, 0.5, 0.08}); }

}  // namespace

OnnxOperatorTable SpectrumOperators() {
  return {{"DFT", 1, 3, Dft, {"axis", "inverse", "onesided"}},
          {"STFT", 2, 4, Stft, {"onesided"}},
          {"HannWindow", 1, 1, HannWindow, {"output_datatype", "periodic"}},
          {"HammingWindow", 1, 1, HammingWindow, {"output_datatype", "periodic"}},
          {"BlackmanWindow", 1, 1, BlackmanWindow, {"output_datatype", "periodic"}}};
}

}  // namespace hone
