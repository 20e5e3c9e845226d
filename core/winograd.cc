#include "core/winograd.h"

#include <fmt/format.h>

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

double Dot(const Row& a, double x, double y, double z) { return a[0] * x + a[1] * y + a[2] * z; }

}  // namespace

Tensor WinogradWeights(const Tensor& weights, int64_t m) {
  const std::vector<Row> g = MatrixG(m);
  const Shape& shape = weights.shape();
  if (shape.size() != 4 || shape[2] != 3 || shape[3] != 3 || weights.dtype() != DType::kFloat32) {
    throw Error(ExitCode::kBadData, fmt::format("Winograd weights are float32 3x3 kernels, not {}", ShapeText(shape)));
  }
  const int64_t alpha = m + 2, pairs = shape[0] * shape[1];
  Tensor result(DType::kFloat32, {alpha, alpha, shape[0], shape[1]});
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const float* k = weights.data<float>() + pair * 9;
    for (size_t a = 0; a < g.size(); ++a) {
      const double left = Dot(g[a], k[0], k[3], k[6]), middle = Dot(g[a], k[1], k[4], k[7]),
                   right = Dot(g[a], k[2], k[5], k[8]);
      for (size_t b = 0; b < g.size(); ++b) {
        const int64_t frequency = static_cast<int64_t>(a) * alpha + static_cast<int64_t>(b);
        result.data<float>()[frequency * pairs + pair] = static_cast<float>(Dot(g[b], left, middle, right));
      }
    }
  }
  return result;
}

}  // namespace hone
