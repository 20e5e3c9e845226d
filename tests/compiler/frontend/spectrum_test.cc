// Fourier transforms against sums written out in full, and the refusals.
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "compiler/relay/visitor.h"
#include "tests/compiler/frontend/run_onnx.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::Pointwise;
using Attributes = std::vector<std::pair<std::string, TestAttribute>>;
using Complex = std::complex<double>;

auto Near(const std::vector<float>& values) { return Pointwise(testing::FloatNear(1e-4F), values); }

Tensor Signal(const Shape& shape) {
  Tensor signal(DType::kFloat32, shape);
  for (int64_t i = 0; i < signal.elements(); ++i) signal.Set(i, static_cast<double>(i * 7 % 5 - 2));
  return signal;
}

// Complex numbers from pairs of real and imaginary parts.
std::vector<Complex> Numbers(const Tensor& pairs) {
  std::vector<Complex> numbers;
  for (int64_t i = 0; i < pairs.elements(); i += 2) numbers.emplace_back(pairs.At(i), pairs.At(i + 1));
  return numbers;
}

std::vector<float> Pairs(const std::vector<Complex>& numbers) {
  std::vector<float> pairs;
  for (const Complex& number : numbers) {
    pairs.push_back(static_cast<float>(number.real()));
    pairs.push_back(static_cast<float>(number.imag()));
  }
  return pairs;
}

std::vector<Complex> Transformed(const std::vector<Complex>& x, int64_t length, bool inverse) {
  std::vector<Complex> turns, y;
  for (int64_t i = 0; i < length; ++i) {
    const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length);
    turns.push_back(std::polar(1.0, inverse ? turn : -turn));
  }
  for (int64_t k = 0; k < length; ++k) {
    Complex sum;
    for (int64_t n = 0; n < std::min<int64_t>(length, static_cast<int64_t>(x.size())); ++n) {
      sum += x[static_cast<size_t>(n)] * turns[static_cast<size_t>(k * n % length)];
    }
    y.push_back(inverse ? sum / static_cast<double>(length) : sum);
  }
  return y;
}

// The DFT of x along an axis; `length` 0 is left out.
Tensor Dft(const Tensor& x, int64_t axis, int64_t length, const Attributes& attributes) {
  ModelMaker model(20);
  model.Input("x", x.shape()).Ints("axis", {axis}).Ints("n", {length});
  model.Node("DFT", {"x", length > 0 ? "n" : "", "axis"}, {"y"}, attributes).Output("y");
  return RunOnnx(model.Bytes(), {{"x", x}})[0];
}

TEST(OnnxSpectrum, TransformsComplexNumbers) {
  const Tensor x = Signal({1, 5, 2});
  EXPECT_THAT(Values(Dft(x, 1, 0, {})), Near(Pairs(Transformed(Numbers(x), 5, false))));
  EXPECT_THAT(Values(Dft(x, 1, 0, {{"inverse", int64_t{1}}})), Near(Pairs(Transformed(Numbers(x), 5, true))));
  EXPECT_THAT(Values(Dft(x, -2, 7, {})), Near(Pairs(Transformed(Numbers(x), 7, false))));
  EXPECT_THAT(Values(Dft(x, -2, 3, {})), Near(Pairs(Transformed(Numbers(x), 3, false))));
}

// Lengths with one product, with two and three factors, with a large factor, and primes that need a convolution.
TEST(OnnxSpectrum, TransformsAnyLength) {
  for (const int64_t length : {127, 128, 130, 254, 480, 509, 521, 1042, 2 * 64 * 65}) {
    SCOPED_TRACE(length);
    for (const int64_t parts : {1, 2}) {
      const Tensor x = Signal({1, length, parts});
      std::vector<Complex> numbers = parts == 2 ? Numbers(x) : std::vector<Complex>();
      for (int64_t i = 0; parts == 1 && i < length; ++i) numbers.emplace_back(x.At(i));
      const auto near = [&](const std::vector<Complex>& want) {
        return Pointwise(testing::FloatNear(2e-3F), Pairs(want));
      };
      EXPECT_THAT(Values(Dft(x, 1, 0, {})), near(Transformed(numbers, length, false)));
      if (length > 1000) continue;
      EXPECT_THAT(Values(Dft(x, 1, 0, {{"inverse", int64_t{1}}})), near(Transformed(numbers, length, true)));
    }
  }
}

TEST(OnnxSpectrum, KeepsLongTransformsSmall) {
  ModelMaker model(17);
  model.Input("x", {1, 4096, 1}).Node("DFT", {"x"}, {"y"}).Output("y");
  const relay::IRModule module = ImportOnnxBytes(model.Bytes(), "spectrum").module;
  int64_t bytes = 0;
  relay::PostOrderVisit(module.main->body, [&](const relay::ExprPtr& expr) {
    if (const auto* constant = relay::AsConstant(expr)) bytes += constant->value.size_bytes();
  });
  for (const auto& [name, value] : module.params) bytes += value.size_bytes();
  EXPECT_LT(bytes, 256 * 1024);
}

// Half a spectrum, and its inverse.
TEST(OnnxSpectrum, TransformsRealSignals) {
  for (const int64_t length : {6, 7, 200, 201}) {
    const Tensor x = Signal({1, length, 1});
    const std::vector<float> signal = Values(x);
    auto whole = Transformed({signal.begin(), signal.end()}, length, false);
    whole.resize(static_cast<size_t>(length / 2 + 1));
    const Tensor half = Dft(x, 1, 0, {{"onesided", int64_t{1}}});
    EXPECT_THAT(Values(half), Near(Pairs(whole)));
    const Tensor again = Dft(half, 1, length, {{"onesided", int64_t{1}}, {"inverse", int64_t{1}}});
    EXPECT_EQ(again.shape(), x.shape());
    EXPECT_THAT(Values(again), Near(Values(x)));
  }
}

TEST(OnnxSpectrum, TakesAnyAxis) {
  const Tensor x = Signal({3, 2, 2, 1});
  const Tensor y = Dft(x, 0, 0, {});
  EXPECT_EQ(y.shape(), (Shape{3, 2, 2, 2}));
  for (int64_t at = 0; at < 4; ++at) {
    std::vector<Complex> column, result;
    for (int64_t n = 0; n < 3; ++n) {
      column.emplace_back(x.At(n * 4 + at));
      result.emplace_back(y.At((n * 4 + at) * 2), y.At((n * 4 + at) * 2 + 1));
    }
    EXPECT_THAT(Pairs(result), Near(Pairs(Transformed(column, 3, false))));
  }
}

// Checks half the bins of each frame, with the frames `step` apart.
void ExpectFrames(int64_t samples, int64_t length, int64_t step) {
  SCOPED_TRACE(length);
  const Tensor x = Signal({1, samples, 1});
  std::vector<float> window;
  for (int64_t n = 0; n < length; ++n) window.push_back(static_cast<float>(1 + n % 4));
  ModelMaker model(17);
  model.Input("x", x.shape()).Ints("step", {step}).Weight("w", {length}, window);
  model.Node("STFT", {"x", "step", "w"}, {"y"}).Output("y");
  const Tensor y = RunOnnx(model.Bytes(), {{"x", x}})[0];
  const int64_t frames = (samples - length) / step + 1;
  EXPECT_EQ(y.shape(), (Shape{1, frames, length / 2 + 1, 2}));
  std::vector<Complex> bins;
  for (int64_t frame = 0; frame < frames; ++frame) {
    std::vector<Complex> taken;
    for (int64_t n = 0; n < length; ++n) taken.emplace_back(x.At(frame * step + n) * window[static_cast<size_t>(n)]);
    const auto all = Transformed(taken, length, false);
    bins.insert(bins.end(), all.begin(), all.begin() + length / 2 + 1);
  }
  EXPECT_THAT(Values(y), Pointwise(testing::FloatNear(length < 10 ? 1e-4F : 5e-3F), Pairs(bins)));
}

// Frames that share pieces, frames of separate samples, and frames of a prime length that share no piece.
TEST(OnnxSpectrum, FramesASignal) {
  ExpectFrames(9, 4, 2);
  ExpectFrames(9, 4, 3);
  ExpectFrames(9, 2, 4);
  ExpectFrames(200, 130, 10);
  ExpectFrames(525, 521, 3);
}

TEST(OnnxSpectrum, MakesWindows) {
  const auto window = [](const std::string& op, int64_t periodic) {
    ModelMaker model(17);
    model.Ints("n", {4}).Node(op, {"n"}, {"y"}, {{"periodic", periodic}}).Output("y");
    return Values(RunOnnx(model.Bytes(), {})[0]);
  };
  EXPECT_THAT(window("HannWindow", 1), Near({0, 0.5, 1, 0.5}));
  EXPECT_THAT(window("HannWindow", 0), Near({0, 0.75, 0.75, 0}));
  EXPECT_THAT(window("HammingWindow", 1), Near({0.0869565F, 0.543478F, 1, 0.543478F}));
  EXPECT_THAT(window("BlackmanWindow", 0), Near({0, 0.63F, 0.63F, 0}));
}

TEST(OnnxSpectrum, RefusesWhatIsNoTransform) {
  const auto refused = [](const Shape& shape, int64_t axis, int64_t length, const Attributes& attributes) {
    ModelMaker model(20);
    model.Input("x", shape).Ints("axis", {axis}).Ints("n", {length});
    model.Node("DFT", {"x", "n", "axis"}, {"y"}, attributes).Output("y");
    return ImportError(model.Bytes());
  };
  EXPECT_THAT(refused({1, 4, 1}, 2, 4, {}), HasSubstr("axis 2 is that of real and imaginary parts"));
  EXPECT_THAT(refused({1, 4, 3}, 1, 4, {}), HasSubstr("numbers of 3 parts"));
  EXPECT_THAT(refused({1, 4, 1}, 1, int64_t{1} << 40, {}), HasSubstr("it may be of 1 to 16777216"));
  EXPECT_THAT(refused({1, 4, 2}, 1, 4, {{"onesided", int64_t{1}}}), HasSubstr("the signal is complex"));
  ModelMaker model(17);
  model.Input("x", {1, 9, 1}).Ints("step", {0}).Ints("length", {4});
  model.Node("STFT", {"x", "step", "", "length"}, {"y"}).Output("y");
  EXPECT_THAT(ImportError(model.Bytes()), HasSubstr("at steps of 0"));
}

}  // namespace
}  // namespace hone
