// Three ways, depending on the length N:
//
//    short          a product with the matrix of all twiddle factors
//    N = F * rest   with n = rest n1 + n2 and k = k1 + F k2 (Cooley and Tukey, "An Algorithm for the Machine
//                   Calculation of Complex Fourier Series", 1965): F-point transforms along n1, turns by n2 k1 / N, and
//                   transforms of the rest along n2
//    else           k n = (k^2 + n^2 - (k - n)^2) / 2 makes it a convolution, which transforms of a power of two
//                   compute (Bluestein, "A Linear Filtering Approach to the Computation of Discrete Fourier Transform",
//                   1970)
//
// Between the steps numbers lie in planes, all real parts of a row before its imaginary ones, because rows are long
// then.
#include "compiler/ops/spectrum/onnx_fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "core/tensor.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Axes = std::vector<int64_t>;
using Complex = std::complex<double>;

constexpr int64_t kShort = 128;           // longest length that is always one product
constexpr int64_t kLargest = 64;          // the factor for which products are fastest
constexpr int64_t kLongestProduct = 512;  // longest product if no factor divides the length

// Computes exp(sign 2 pi i turns / length).
Complex Turn(int sign, int64_t turns, int64_t length) {
  return std::polar(1.0,
                    sign * 2 * std::numbers::pi * static_cast<double>(turns % length) / static_cast<double>(length));
}

// Transforms in place; the length is a power of two.
void TransformHere(std::vector<Complex>& x, int sign) {
  if (x.size() == 1) return;
  std::vector<Complex> even, odd;
  for (size_t i = 0; i < x.size(); ++i) (i % 2 == 0 ? even : odd).push_back(x[i]);
  TransformHere(even, sign);
  TransformHere(odd, sign);
  for (size_t k = 0; k < even.size(); ++k) {
    const Complex turned = odd[k] * Turn(sign, static_cast<int64_t>(k), static_cast<int64_t>(x.size()));
    x[k] = even[k] + turned;
    x[k + even.size()] = even[k] - turned;
  }
}

// The divisor nearest to the length's root that gives the fewest factors; 1 if none is short.
int64_t FactorOf(int64_t length) {
  const double logarithm = std::log(static_cast<double>(length));
  const double wanted = logarithm / std::ceil(logarithm / std::log(static_cast<double>(kLargest)));
  int64_t best = 1;
  double least = logarithm;
  for (int64_t factor = 2; factor <= kShort && factor < length; ++factor) {
    const double off = std::abs(std::log(static_cast<double>(factor)) - wanted);
    if (length % factor != 0 || off >= least) continue;
    best = factor;
    least = off;
  }
  return best;
}

class Fourier {
 public:
  explicit Fourier(const OnnxNodeView& view) : view_(view) {}

  Numbers Transformed(const Numbers& x, const Transform& t) {
    if (x.length <= kShort) return ByMatrix(x, t);
    if (const int64_t factor = FactorOf(x.length); factor > 1) return BySplit(x, factor, t);
    return x.length <= kLongestProduct ? ByMatrix(x, t) : ByConvolution(x, t);
  }

 private:
  // Position in a row of part `part` of number `i`.
  static int64_t Place(int64_t i, int64_t part, int64_t length, int64_t parts, bool pairs) {
    return pairs ? i * parts + part : part * length + i;
  }

  Tensor MatrixOf(const Numbers& x, const Transform& t) {
    const int64_t n = x.length, columns = n * x.parts;
    Tensor matrix = Table({n * t.parts, columns});
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t i = 0; i < n; ++i) {
        const Complex turn = t.scale * Turn(t.sign, k * i, n);
        for (int64_t from = 0; from < x.parts; ++from) {
          // An imaginary part turns by another quarter.
          const Complex weight = from == 0 ? turn : turn * Complex(0, 1);
          for (int64_t to = 0; to < t.parts; ++to) {
            matrix.Set(Place(k, to, n, t.parts, t.pairs) * columns + Place(i, from, n, x.parts, x.pairs),
                       to == 0 ? weight.real() : weight.imag());
          }
        }
      }
    }
    return matrix;
  }

  Numbers ByMatrix(const Numbers& x, const Transform& t) {
    const Tensor matrix = MatrixOf(x, t);
    const ExprPtr rows = view_.Reshape(x.value, {x.rows, x.length * x.parts});
    const ExprPtr product = view_.Call("nn.dense", {rows, relay::MakeConstant(matrix)}, {{"units", matrix.shape()[0]}});
    return Lying({product, x.rows, x.length, t.parts, t.pairs});
  }

  Numbers BySplit(const Numbers& x, int64_t factor, const Transform& t) {
    const int64_t rest = x.length / factor;
    const Shape split = x.pairs ? Shape{x.rows, factor, rest, x.parts} : Shape{x.rows, x.parts, factor, rest};
    const ExprPtr columns = Transposed(view_.Reshape(x.value, split), x.pairs ? Axes{0, 2, 3, 1} : Axes{0, 3, 1, 2});
    const Numbers first = ByMatrix({columns, x.rows * rest, factor, x.parts, false}, {t.sign, 1, 2, false});
    std::vector<Complex> turns;
    for (int64_t i = 0; i < x.length; ++i) turns.push_back(Turn(t.sign, i / factor * (i % factor), x.length));
    const ExprPtr turned = Multiplied(view_.Reshape(first.value, {x.rows, rest, 2, factor}), 2, turns, rest);
    const ExprPtr lines = view_.Reshape(Transposed(turned, {0, 3, 2, 1}), {x.rows * factor, 2, rest});
    const Numbers second = Transformed({lines, x.rows * factor, rest, 2, false}, {t.sign, t.scale, t.parts, false});
    const ExprPtr parts = view_.Reshape(second.value, {x.rows, factor, t.parts, rest});
    return Lying(
        {Transposed(parts, t.pairs ? Axes{0, 3, 1, 2} : Axes{0, 2, 3, 1}), x.rows, x.length, t.parts, t.pairs});
  }

  // Computes result[k] = chirp[k] * sum over n of (x[n] chirp[n]) conj(chirp[k - n]), where chirp[n] is half of n^2
  // turns.
  Numbers ByConvolution(const Numbers& x, const Transform& t) {
    const int64_t n = x.length, padded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)));
    std::vector<Complex> chirp, scaled, filter(static_cast<size_t>(padded));
    for (int64_t i = 0; i < n; ++i) {
      chirp.push_back(Turn(t.sign, i * i % (2 * n), 2 * n));
      scaled.push_back(t.scale * chirp.back());
      filter[static_cast<size_t>(i)] = filter[static_cast<size_t>((padded - i) % padded)] = std::conj(chirp.back());
    }
    TransformHere(filter, -1);
    const ExprPtr planes = x.pairs ? Transposed(Lying(x).value, {0, 2, 1}) : Lying(x).value;
    const ExprPtr chirped = Multiplied(view_.Reshape(planes, {x.rows, 1, x.parts, n}), x.parts, chirp, 1);
    const ExprPtr wide = view_.Call("nn.pad", {view_.Reshape(chirped, {x.rows, 2, n})},
                                    {{"pad_width", Axes{0, 0, 0, 0, 0, padded - n}}});
    const Numbers there = Transformed({wide, x.rows, padded, 2, false}, {-1, 1, 2, false});
    const ExprPtr filtered = Multiplied(view_.Reshape(there.value, {x.rows, 1, 2, padded}), 2, filter, 1);
    const Numbers back = Transformed({view_.Reshape(filtered, {x.rows, 2, padded}), x.rows, padded, 2, false},
                                     {1, 1 / static_cast<double>(padded), 2, false});
    const ExprPtr result = Multiplied(view_.Reshape(Part(back.value, 2, 0, n), {x.rows, 1, 2, n}), 2, scaled, 1);
    const ExprPtr parts = view_.Reshape(Part(result, 2, 0, t.parts), {x.rows, t.parts, n});
    return {t.pairs ? Transposed(parts, {0, 2, 1}) : parts, x.rows, n, t.parts, t.pairs};
  }

  // Multiplies each number of rows x lines x parts x length by that of the table of lines x length.
  ExprPtr Multiplied(const ExprPtr& x, int64_t parts, const std::vector<Complex>& table, int64_t lines) {
    const auto length = static_cast<int64_t>(table.size()) / lines;
    Tensor cosines = Table({lines, 1, length}), sines = Table({lines, 1, length});
    for (size_t i = 0; i < table.size(); ++i) {
      cosines.Set(static_cast<int64_t>(i), table[i].real());
      sines.Set(static_cast<int64_t>(i), table[i].imag());
    }
    const ExprPtr real = Part(x, 2, 0, 1), cosine = relay::MakeConstant(cosines), sine = relay::MakeConstant(sines);
    ExprPtr to_real = view_.Call("multiply", {real, cosine}), to_imaginary = view_.Call("multiply", {real, sine});
    if (parts == 2) {
      const ExprPtr imaginary = Part(x, 2, 1, 2);
      to_real = view_.Call("subtract", {to_real, view_.Call("multiply", {imaginary, sine})});
      to_imaginary = view_.Call("add", {to_imaginary, view_.Call("multiply", {imaginary, cosine})});
    }
    return view_.builder().CallOnTuple("concatenate", {to_real, to_imaginary}, {{"axis", int64_t{2}}});
  }

  Numbers Lying(Numbers x) const {
    x.value = view_.Reshape(x.value, x.pairs ? Shape{x.rows, x.length, x.parts} : Shape{x.rows, x.parts, x.length});
    return x;
  }
  Tensor Table(const Shape& shape) const {
    view_.builder().Spend(ElementCount(shape) * 4);
    return {DType::kFloat32, shape};
  }
  ExprPtr Transposed(const ExprPtr& x, const Axes& axes) const {
    return view_.Call("transpose", {x}, {{"axes", axes}});
  }
  ExprPtr Part(const ExprPtr& x, int64_t axis, int64_t begin, int64_t end) const {
    if (begin == 0 && end == view_.builder().ShapeOf(x)[static_cast<size_t>(axis)]) return x;
    return view_.Call("strided_slice", {x}, {{"begin", Axes{begin}}, {"end", Axes{end}}, {"axes", Axes{axis}}});
  }

  const OnnxNodeView& view_;
};

}  // namespace

Numbers Transformed(const OnnxNodeView& view, const Numbers& x, const Transform& transform) {
  return Fourier(view).Transformed(x, transform);
}

}  // namespace hone
