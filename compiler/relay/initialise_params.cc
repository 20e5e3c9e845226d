#include "compiler/relay/initialise_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "core/hash/hash.h"

namespace hone::relay {
namespace {

// Number of inputs that a weight joins with one output, and of outputs that it joins with one input.
struct Fans {
  double in = 1;
  double out = 1;
};

Fans FansOf(const Shape& shape) {
  double window = 1;
  for (size_t d = 2; d < shape.size(); ++d) window *= static_cast<double>(shape[d]);
  return {static_cast<double>(shape[1]) * window, static_cast<double>(shape[0]) * window};
}

void Scale(Tensor& value, double factor) {
  float* values = value.data<float>();
  std::transform(values, values + value.elements(), values,
                 [factor](float v) { return v * static_cast<float>(factor); });
}

// `weights` fills the parameters that have fans, which are not 0.
Initialiser OfWeights(std::string what, std::function<void(Tensor&, const Fans&, uint64_t)> weights) {
  return [what = std::move(what), weights = std::move(weights)](const std::string& name, Tensor& value, uint64_t seed) {
    if (value.dtype() != DType::kFloat32) {
      throw Error(ExitCode::kUsage, fmt::format("{} has values for float32, and the parameter {} is {}", what, name,
                                                DTypeName(value.dtype())));
    }
    if (value.elements() == 0) return;
    if (value.shape().size() >= 2) return weights(value, FansOf(value.shape()), seed);
    std::fill_n(value.data<float>(), value.elements(), static_cast<float>(VectorStart(name)));
  };
}

Tensor FirstValue(const Var& param, const Initialiser& initialiser, uint64_t seed) {
  const Type& type = *param.type;
  const bool known = type.kind == TypeKind::kTensor &&
                     std::none_of(type.shape.begin(), type.shape.end(), [](int64_t dim) { return dim == kAnyDim; });
  if (!known) {
    throw Error(ExitCode::kUsage,
                fmt::format("the parameter {} is {}: only a tensor of known extents has a first value", param.name,
                            ToText(param.type)));
  }
  Tensor value(type.dtype, type.shape);
  initialiser(param.name, value, ParamSeed(param.name, seed));
  return value;
}

void RequireParams(const Function& main, const std::set<std::string>& names) {
  for (const std::string& name : names) {
    if (std::any_of(main.params.begin(), main.params.end(), [&](const auto& param) { return param->name == name; })) {
      continue;
    }
    throw Error(ExitCode::kUsage, fmt::format("{} is to be an input, and no parameter has that name", name));
  }
}

}  // namespace

Initialiser Xavier(double magnitude) {
  return OfWeights("Xavier", [magnitude](Tensor& value, const Fans& fans, uint64_t seed) {
    FillTensor(value, Fill::kUniform, seed);
    Scale(value, std::sqrt(magnitude / ((fans.in + fans.out) / 2)));
  });
}

Initialiser He() {
  return OfWeights("He", [](Tensor& value, const Fans& fans, uint64_t seed) {
    FillTensor(value, Fill::kNormal, seed);
    Scale(value, std::sqrt(2 / fans.in));
  });
}

Initialiser Filled(double value) {
  return [value](const std::string&, Tensor& tensor, uint64_t) {
    for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, value);
  };
}

double VectorStart(const std::string& name) { return name.ends_with("gamma") || name.ends_with("var") ? 1 : 0; }

IRModule InitialiseParams(const FunctionPtr& main, const Initialiser& initialiser, uint64_t seed,
                          const std::set<std::string>& inputs) {
  RequireParams(*main, inputs);
  IRModule module;
  module.main = InferType(main);
  for (const auto& param : module.main->params) {
    if (!inputs.contains(param->name)) module.params.emplace_back(param->name, FirstValue(*param, initialiser, seed));
  }
  return module;
}

uint64_t ParamSeed(const std::string& name, uint64_t seed) {
  return std::stoull(Sha256Hex(fmt::format("{} {}", seed, name)).substr(0, 16), nullptr, 16);
}

}  // namespace hone::relay
