// Fourier transforms of whole signals and of their frames, and the windows of frames.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

#include "compiler/frontend/onnx/expressions.h"
#include "compiler/ops/onnx_families.h"
#include "compiler/ops/spectrum/onnx_fourier.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Axes = std::vector<int64_t>;

constexpr int64_t kLongestSpectrum = int64_t{1} << 24;

// The only number of an input, which may be absent.
std::optional<int64_t> KnownInt(const OnnxNodeView& view, int input, std::string_view what) {
  const auto given = view.InputInts(input, what);
  if (!given) return std::nullopt;
  if (given->size() != 1) RefuseNode(fmt::format("its {} must be one number", what));
  return (*given)[0];
}

struct Spectrum {
  int64_t length = 0;    // number of samples in a period
  int64_t parts = 1;     // parts of an input number: real, or real and imaginary
  bool inverse = false;  // the inverse transform, divided by the length
  bool onesided = false;

  // Half of the bins determine a real signal. The other half is not computed. In an inverse transform it is not given,
  // and the signal is real.
  bool from_half() const { return inverse && onesided; }
  int64_t results() const { return onesided && !inverse ? length / 2 + 1 : length; }
  int64_t result_parts() const { return from_half() ? 1 : 2; }
};

void CheckSpectrum(const Spectrum& spectrum) {
  if (spectrum.length < 1 || spectrum.length > kLongestSpectrum) {
    RefuseNode(fmt::format("a transform of {}; it may be of 1 to {}", spectrum.length, kLongestSpectrum));
  }
  if (spectrum.parts != 1 && spectrum.parts != 2) {
    RefuseNode(fmt::format("numbers of {} parts; they have one, or a real and an imaginary one", spectrum.parts));
  }
  if (spectrum.onesided && !spectrum.inverse && spectrum.parts == 2) {
    RefuseNode("onesided is set, and the signal is complex");
  }
}

// Extends rows x given x parts with zeros, or cuts the last ones off.
ExprPtr OfLength(const OnnxNodeView& view, const ExprPtr& x, int64_t length) {
  const int64_t given = view.builder().ShapeOf(x)[1];
  if (given > length) return view.Slice(x, 1, 0, length);
  if (given == length) return x;
  return view.Call("nn.pad", {x}, {{"pad_width", Axes{0, 0, 0, length - given, 0, 0}}});
}

// Appends the bins that half of a real signal's determine. They are the conjugates of those from the second on, in
// reverse order.
ExprPtr WithOtherHalf(const OnnxNodeView& view, const ExprPtr& half, int64_t length) {
  const int64_t others = (length - 1) / 2;
  if (others == 0) return half;
  const ExprPtr mirrored = view.Slice(half, 1, others, 0, -1);
  const ExprPtr signs = relay::MakeConstant(Tensor::FromVector<float>(DType::kFloat32, {2}, {1, -1}));
  return view.builder().CallOnTuple("concatenate", {half, view.Call("multiply", {mirrored, signs})},
                                    {{"axis", int64_t{1}}});
}

// Turns rows x given x parts into rows x results x parts.
ExprPtr SpectrumOf(const OnnxNodeView& view, const ExprPtr& given, const Spectrum& spectrum) {
  ExprPtr x = OfLength(view, given, spectrum.from_half() ? spectrum.length / 2 + 1 : spectrum.length);
  if (spectrum.from_half()) x = WithOtherHalf(view, x, spectrum.length);
  const Numbers numbers{x, view.builder().ShapeOf(x)[0], spectrum.length, spectrum.parts, true};
  const double scale = spectrum.inverse ? 1 / static_cast<double>(spectrum.length) : 1;
  const ExprPtr all =
      Transformed(view, numbers, {spectrum.inverse ? 1 : -1, scale, spectrum.result_parts(), true}).value;
  return spectrum.results() < spectrum.length ? view.Slice(all, 1, 0, spectrum.results()) : all;
}

// An input since opset 20, an attribute before.
int64_t TransformedAxis(const OnnxNodeView& view) {
  const int64_t rank = view.InputRank(0);
  const int64_t given = view.opset() < 20 ? view.Int("axis", 1) : KnownInt(view, 2, "axis").value_or(-2);
  const int64_t axis = OnnxNodeView::Axis(given, rank);
  if (axis == rank - 1) RefuseNode(fmt::format("axis {} is that of real and imaginary parts", given));
  return axis;
}

std::vector<ExprPtr> Dft(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() < 2) RefuseNode(fmt::format("its data is {}; it must have an axis of parts", ShapeText(shape)));
  const int64_t axis = TransformedAxis(view), rank = view.InputRank(0);
  const int64_t given = Nth(shape, axis);
  Spectrum spectrum{0, shape.back(), view.Int("inverse", 0) != 0, view.Int("onesided", 0) != 0};
  spectrum.length = KnownInt(view, 1, "dft_length").value_or(spectrum.from_half() ? 2 * (given - 1) : given);
  CheckSpectrum(spectrum);
  if (spectrum.from_half() && spectrum.parts == 1) RefuseNode("half a spectrum must be complex");
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
  const ExprPtr rows = view.Reshape(x, {ElementCount(shape) / (given * spectrum.parts), given, spectrum.parts});
  result[result.size() - 2] = spectrum.results();
  result.back() = spectrum.result_parts();
  return {transposed(view.Reshape(SpectrumOf(view, rows, spectrum), result), back)};
}

// The window, one number per sample of a frame; null if all are 1.
ExprPtr WindowOf(const OnnxNodeView& view, int64_t length) {
  if (!view.HasInput(2)) return nullptr;
  if (view.InputShape(2) != Shape{length}) {
    RefuseNode(fmt::format("a window of {} for frames of {}", ShapeText(view.InputShape(2)), length));
  }
  return view.Reshape(AsDType(view, view.Input(2), DType::kFloat32), {length, 1});
}

struct Frames {
  int64_t count, length, step;
};

// Turns signals x samples x parts into signals x count x length x parts. Frames are joined from pieces that they share,
// as far as the step and the length allow:
//
//    step 2, length 4    pieces 0 1 2 3 ..    frame 0: pieces 0 1    frame 1: pieces 1 2
ExprPtr Framed(const OnnxNodeView& view, const ExprPtr& signal, const Frames& frames) {
  constexpr int64_t kMostPieces = 64;
  const Shape shape = view.builder().ShapeOf(signal);
  const int64_t piece = std::gcd(frames.step, frames.length), pieces = frames.length / piece;
  const Shape framed{shape[0], frames.count, frames.length, shape[2]};
  if (pieces > kMostPieces) {
    view.builder().Spend(frames.count * frames.length * 8);
    Tensor places(DType::kInt64, {frames.count * frames.length});
    for (int64_t i = 0; i < places.elements(); ++i) {
      places.data<int64_t>()[i] = i / frames.length * frames.step + i % frames.length;
    }
    return view.Reshape(view.Call("take", {signal, relay::MakeConstant(places)}, {{"axis", int64_t{1}}}), framed);
  }
  const int64_t whole = shape[1] / piece, apart = frames.step / piece;
  const ExprPtr cut = view.Reshape(OfLength(view, signal, whole * piece), {shape[0], whole, piece * shape[2]});
  std::vector<ExprPtr> fields;
  for (int64_t i = 0; i < pieces; ++i) {
    fields.push_back(view.Slice(cut, 1, i, i + (frames.count - 1) * apart + 1, apart));
  }
  if (pieces == 1) return view.Reshape(fields[0], framed);
  return view.Reshape(view.builder().CallOnTuple("concatenate", fields, {{"axis", int64_t{2}}}), framed);
}

std::vector<ExprPtr> Stft(const OnnxNodeView& view) {
  const Shape& shape = view.InputShape(0);
  if (shape.size() != 2 && shape.size() != 3) RefuseNode(fmt::format("a signal of {}", ShapeText(shape)));
  const int64_t step = KnownInt(view, 1, "frame_step").value_or(0), parts = shape.size() == 3 ? shape[2] : 1;
  const int64_t windowed = view.HasInput(2) && view.InputRank(2) == 1 ? view.InputShape(2)[0] : shape[1];
  const int64_t length = KnownInt(view, 3, "frame_length").value_or(windowed);
  const Spectrum spectrum{length, parts, false, view.Int("onesided", 1) != 0};
  CheckSpectrum(spectrum);
  if (step < 1 || length > shape[1]) {
    RefuseNode(fmt::format("frames of {} at steps of {} in a signal of {}", length, step, shape[1]));
  }
  const int64_t frames = (shape[1] - length) / step + 1;
  const ExprPtr signal = view.Reshape(AsDType(view, view.Input(0), DType::kFloat32), {shape[0], shape[1], parts});
  ExprPtr rows = Framed(view, signal, {frames, length, step});
  if (const ExprPtr window = WindowOf(view, length)) rows = view.Call("multiply", {rows, window});
  const ExprPtr bins = SpectrumOf(view, view.Reshape(rows, {shape[0] * frames, length, parts}), spectrum);
  return {view.Reshape(bins, {shape[0], frames, spectrum.results(), 2})};
}

// a - b cos(turn) + c cos(2 turn) over one turn. In a periodic window the first number would follow the last one.
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
  return {{"DFT",
           1,
           3,
           Dft,
           {"axis", "inverse", "onesided"},
           {.becomes = "add concatenate multiply nn.dense nn.pad reshape strided_slice subtract transpose"}},
          {"STFT",
           2,
           4,
           Stft,
           {"onesided"},
           {.becomes = "add concatenate multiply nn.dense nn.pad reshape strided_slice subtract take transpose"}},
          {"HannWindow", 1, 1, HannWindow, {"output_datatype", "periodic"}},
          {"HammingWindow", 1, 1, HammingWindow, {"output_datatype", "periodic"}},
          {"BlackmanWindow", 1, 1, BlackmanWindow, {"output_datatype", "periodic"}}};
}

}  // namespace hone
