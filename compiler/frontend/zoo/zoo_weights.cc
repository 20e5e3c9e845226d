#include "compiler/frontend/zoo/zoo_weights.h"

#include <cmath>

#include "compiler/relay/param_seed.h"

namespace hone {
namespace {

bool EndsWith(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct Distribution {
  Fill fill;
  float scale;
  float offset;
};

Distribution DistributionOf(const std::string& name, const Shape& shape, float gain) {
  // kUniform fills [-1, 1).
  if (EndsWith(name, "_gamma")) return {Fill::kUniform, 0.05F, 1.05F};
  if (EndsWith(name, "_moving_var")) return {Fill::kUniform, 0.5F, 1.0F};
  if (EndsWith(name, "_moving_mean") || EndsWith(name, "_beta")) return {Fill::kNormal, 0.1F, 0};
  if (shape.size() < 2) return {Fill::kNormal, 0.05F, 0};
  const double fan_in = static_cast<double>(ElementCount(shape)) / static_cast<double>(shape[0]);
  const double variance = (shape.size() >= 4 ? 2.0 : 1.0) / fan_in;
  return {Fill::kNormal, gain * static_cast<float>(std::sqrt(variance)), 0};
}

}  // namespace

Tensor ZooWeight(const std::string& name, const Shape& shape, uint64_t seed, float gain) {
  const Distribution distribution = DistributionOf(name, shape, gain);
  Tensor tensor(DType::kFloat32, shape);
  FillTensor(tensor, distribution.fill, relay::ParamSeed(name, seed));
  float* values = tensor.data<float>();
  for (int64_t i = 0; i < tensor.elements(); ++i) values[i] = values[i] * distribution.scale + distribution.offset;
  return tensor;
}

}  // namespace hone
