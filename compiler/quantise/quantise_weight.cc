#include "compiler/quantise/quantise_weight.h"

#include <algorithm>
#include <cmath>

namespace hone {
namespace {

constexpr double kLargest = 127;
constexpr double kBiasSteps = 1 << 22;

// The position along one axis of an element.
struct AxisPosition {
  AxisPosition(const Shape& shape, int64_t axis) : extent(shape.at(static_cast<size_t>(axis))) {
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
  }
  size_t Of(int64_t element) const { return static_cast<size_t>(element / inner % extent); }
  int64_t extent;
  int64_t inner = 1;
};

std::vector<double> LargestMagnitudes(const Tensor& weight, const AxisPosition& at) {
  std::vector<double> largest(static_cast<size_t>(at.extent), 0.0);
  for (int64_t i = 0; i < weight.elements(); ++i) {
    double& most = largest[at.Of(i)];
    most = std::max(most, std::fabs(weight.At(i)));
  }
  return largest;
}

}  // namespace

QuantisedWeight QuantiseWeight(const Tensor& weight, int64_t axis, const std::vector<double>& least) {
  const AxisPosition at(weight.shape(), axis);
  QuantisedWeight result{Tensor(DType::kInt8, weight.shape()), {}};
  const std::vector<double> largest = LargestMagnitudes(weight, at);
  for (size_t c = 0; c < largest.size(); ++c) {
    const double scale = std::max(largest[c] / kLargest, least.empty() ? 0.0 : least[c]);
    const auto narrow = static_cast<float>(scale);
    result.scales.push_back(std::isnormal(narrow) ? narrow : 1.0F);
  }
  for (int64_t i = 0; i < weight.elements(); ++i) {
    const double steps = std::nearbyint(weight.At(i) / static_cast<double>(result.scales[at.Of(i)]));
    result.integers.Set(i, std::clamp(steps, -kLargest, kLargest));
  }
  return result;
}

std::vector<double> LeastScalesFor(const std::vector<double>& bias, double value_scale) {
  std::vector<double> least;
  least.reserve(bias.size());
  for (const double b : bias) least.push_back(std::fabs(b) / (value_scale * kBiasSteps));
  return least;
}

Tensor QuantiseBias(const std::vector<double>& bias, double value_scale, const std::vector<float>& scales) {
  Tensor result(DType::kInt32, {static_cast<int64_t>(bias.size())});
  constexpr double kMost = 2147483647;
  for (size_t c = 0; c < bias.size(); ++c) {
    // In float32, because readers of the scales multiply them in float32.
    const float scale = static_cast<float>(value_scale) * scales[c];
    const double steps = std::nearbyint(bias[c] / static_cast<double>(scale));
    result.Set(static_cast<int64_t>(c), std::clamp(steps, -kMost, kMost));
  }
  return result;
}

std::vector<double> MeanShift(const Tensor& weight, const QuantisedWeight& quantised, int64_t axis, int64_t input_axis,
                              const std::vector<double>& means) {
  const AxisPosition out(weight.shape(), axis), in(weight.shape(), input_axis);
  const auto outputs = static_cast<size_t>(out.extent), inputs = static_cast<size_t>(in.extent);
  const size_t groups = std::max<size_t>(1, means.size() / inputs);
  std::vector<double> shift(outputs, 0.0);
  for (int64_t i = 0; i < weight.elements(); ++i) {
    const size_t c = out.Of(i);
    const double error = quantised.integers.At(i) * static_cast<double>(quantised.scales[c]) - weight.At(i);
    shift[c] += error * means[c * groups / outputs * inputs + in.Of(i)];
  }
  return shift;
}

}  // namespace hone
