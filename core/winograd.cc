#include "core/winograd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/error.h"

namespace hone {
namespace {

using Row = std::array<double, 3>;

std::vector<Row> MatrixG(int64_t m) {
  if (m == 2) return {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  if (m == 4) {
    return {{1.0 / 4, 0, 0},
            {-1.0 / 6, -1.0 / 6, -1.0 / 6},
            {-1.0 / 6, 1.0 / 6, -1.0 / 6},
            {1.0 / 24, 1.0 / 12, 1.0 / 6},
            {1.0 / 24, -1.0 / 12, 1.0 / 6},
            {0, 0, 1}};
  }
  throw Error(ExitCode::kBadData, fmt::format("Winograd tiles are 2 or 4 wide, not {}", m));
}

// The integer matrix: 2 G for m = 2, and 30 G for m = 4 with other points (winograd.h).
std::vector<Row> WholeMatrixG(int64_t m) {
  if (m == 2) return {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  return {{15, 0, 0}, {1, 2, 4}, {5, 5, 5}, {5, -5, 5}, {4, -2, 1}, {0, 0, 15}};
}

double Dot(const Row& a, double x, double y, double z) { return a[0] * x + a[1] * y + a[2] * z; }

constexpr int64_t kLine = 16;  // floats

// G k G^T of one 3x3 kernel, frequency by frequency.
template <typename Take>
void TransformOne(const std::vector<Row>& g, const float* k, const Take& take) {
  for (size_t a = 0; a < g.size(); ++a) {
    const double left = Dot(g[a], k[0], k[3], k[6]), middle = Dot(g[a], k[1], k[4], k[7]),
                 right = Dot(g[a], k[2], k[5], k[8]);
    for (size_t b = 0; b < g.size(); ++b) take(a * g.size() + b, static_cast<float>(Dot(g[b], left, middle, right)));
  }
}

// Splits each plane of 16-bit numbers into a plane of low bytes and one of high bytes.
Tensor InBytes(const Tensor& numbers) {
  const Shape& shape = numbers.shape();
  const int64_t plane = shape[2] * shape[3], planes = shape[0] * shape[1];
  Tensor bytes(DType::kInt8, {shape[0], 2 * shape[1], shape[2], shape[3]});
  for (int64_t p = 0; p < planes; ++p) {
    const float* from = numbers.data<float>() + p * plane;
    int8_t* low = bytes.data<int8_t>() + 2 * p * plane;
    for (int64_t i = 0; i < plane; ++i) {
      const auto number = static_cast<uint16_t>(static_cast<int16_t>(from[i]));
      low[i] = static_cast<int8_t>(number & 0xff);
      low[plane + i] = static_cast<int8_t>(number >> 8);
    }
  }
  return bytes;
}

// G g G^T of every 3x3 float kernel, frequency by frequency.
Tensor Transformed(const Tensor& weights, const std::vector<Row>& g) {
  const Shape& shape = weights.shape();
  const auto alpha = static_cast<int64_t>(g.size());
  const int64_t pairs = shape[0] * shape[1];
  Tensor result(DType::kFloat32, {alpha, alpha, shape[0], shape[1]});
  // Each frequency's plane gets one cache line at a time. One pair at a time would write to 36 places a power of two
  // apart.
  for (int64_t first = 0; first < pairs; first += kLine) {
    const int64_t count = std::min(kLine, pairs - first);
    std::array<std::array<float, kLine>, 36> lines;
    for (int64_t i = 0; i < count; ++i) {
      TransformOne(g, weights.data<float>() + (first + i) * 9,
                   [&](size_t frequency, float value) { lines[frequency][static_cast<size_t>(i)] = value; });
    }
    for (int64_t frequency = 0; frequency < alpha * alpha; ++frequency) {
      std::copy_n(lines[static_cast<size_t>(frequency)].begin(), count,
                  result.data<float>() + frequency * pairs + first);
    }
  }
  return result;
}

}  // namespace

Tensor WinogradWeights(const Tensor& weights, int64_t m) {
  const std::vector<Row> g = MatrixG(m);
  const Shape& shape = weights.shape();
  const bool whole = weights.dtype() == DType::kInt8;
  if (shape.size() != 4 || shape[2] != 3 || shape[3] != 3 || (!whole && weights.dtype() != DType::kFloat32)) {
    throw Error(ExitCode::kBadData,
                fmt::format("Winograd weights are 3x3 kernels of float32 or int8, not {}", ShapeText(shape)));
  }
  if (!whole) return Transformed(weights, g);
  Tensor floats(DType::kFloat32, shape);
  for (int64_t i = 0; i < floats.elements(); ++i) floats.data<float>()[i] = weights.data<int8_t>()[i];
  return InBytes(Transformed(floats, WholeMatrixG(m)));
}

}  // namespace hone
