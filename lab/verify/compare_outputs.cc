#include "lab/verify/compare_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace hone {
namespace {

double OutputDistance(double got, double reference) {
  if (std::isfinite(got) && std::isfinite(reference)) return std::fabs(got - reference);
  const bool same = got == reference || (std::isnan(got) && std::isnan(reference));
  return same ? 0 : std::numeric_limits<double>::infinity();
}

double LargestFinite(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    if (std::isfinite(tensor.At(i))) largest = std::max(largest, std::fabs(tensor.At(i)));
  }
  return largest;
}

}  // namespace

// Rounds up to whole steps, because less than one step is a step of a channel with a smaller scale. The hundredth
// allows for the rounding of floats.
double OutputError::AllowedQuanta() const { return std::ceil(rounding * scale / quantum - 0.01); }

OutputError CompareOutput(const std::string& name, const Tensor& got, const Tensor& reference, double tolerance) {
  if (got.shape() != reference.shape()) {
    throw Error(ExitCode::kBadData, fmt::format("output {} is {}, and is compared with {}", name,
                                                ShapeText(got.shape()), ShapeText(reference.shape())));
  }
  OutputError error;
  error.name = name;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const double distance = OutputDistance(got.At(i), reference.At(i));
    if (distance > error.worst) {
      error.worst = distance;
      error.index = i;
    }
  }
  const double largest = LargestFinite(reference);
  if (largest > 0) error.scale = largest;
  error.worst /= error.scale;
  error.agrees = error.worst <= tolerance;
  return error;
}

}  // namespace hone
