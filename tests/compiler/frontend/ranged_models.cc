#include "tests/compiler/frontend/ranged_models.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/indexing.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/reference.h"
#include "core/nth.h"

namespace hone {
namespace {

Tensor RandomTensor(DType dtype, const Shape& shape, int64_t below, std::mt19937& random) {
  Tensor tensor(dtype, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double unit = static_cast<double>(random() % 2001) / 1000 - 1;
    const int64_t most = dtype == DType::kBool ? 2 : below;
    tensor.Set(i, IsFloat(dtype) ? unit : static_cast<double>(static_cast<int64_t>(random()) % most));
  }
  return tensor;
}

double Garbage(DType dtype) {
  if (IsFloat(dtype)) return std::numeric_limits<double>::quiet_NaN();
  if (dtype == DType::kBool) return 1;
  if (dtype == DType::kUInt8 || dtype == DType::kInt8) return 127;
  return std::numeric_limits<int32_t>::max();
}

void ExpectSame(const std::vector<Tensor>& got, const std::vector<Tensor>& wanted, const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), wanted[i].shape()) << what << ", output " << i;
    ASSERT_EQ(got[i].dtype(), wanted[i].dtype()) << what << ", output " << i;
    for (int64_t k = 0; k < got[i].elements(); ++k) {
      const double a = got[i].At(k), b = wanted[i].At(k);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      ASSERT_NEAR(a, b, 2e-5 * std::max(1.0, std::abs(b))) << what << ", output " << i << ", element " << k;
    }
  }
}

std::string ExtentsText(const Extents& extents) {
  std::string text;
  for (const auto& [name, extent] : extents) text += name + "=" + std::to_string(extent) + " ";
  return text;
}

}  // namespace

void Name(ModelMaker& model, int input, int axis, const std::string& name) {
  auto* shape = model.graph().mutable_input(input)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(axis)->clear_dim_value();
  shape->mutable_dim(axis)->set_dim_param(name);
}

std::vector<Tensor> ArgumentsWithGarbage(const relay::Function& main, const std::map<std::string, Tensor>& inputs) {
  const std::map<std::string, Tensor> full = relay::FullInputs(main, inputs);
  std::vector<Tensor> arguments;
  for (const auto& param : main.params) {
    const Tensor& zeros = full.at(param->name);
    const auto given = inputs.find(param->name);
    if (given == inputs.end() || given->second.shape() == zeros.shape()) {
      arguments.push_back(zeros);
      continue;
    }
    Tensor argument(zeros.dtype(), zeros.shape());
    for (int64_t i = 0; i < argument.elements(); ++i) argument.Set(i, Garbage(zeros.dtype()));
    relay::OffsetWalk walk(given->second.shape(), relay::RowMajorStrides(zeros.shape()));
    for (int64_t i = 0; i < given->second.elements(); ++i) argument.Set(walk.Next(), given->second.At(i));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

void ExpectEqualToFixed(const std::string& bytes, const std::map<std::string, DimRange>& ranges,
                        const std::vector<Extents>& runs, const OnnxImportOptions& options, int64_t below) {
  OnnxImportOptions ranged_options = options;
  ranged_options.ranges = ranges;
  const relay::IRModule ranged = relay::InferType(ImportOnnxBytes(bytes, "ranged", ranged_options).module);
  std::mt19937 random(1);
  for (const Extents& extents : runs) {
    OnnxImportOptions fixed_options = options;
    for (const auto& [name, extent] : extents) fixed_options.dims[name] = extent;
    const relay::IRModule fixed = relay::InferType(ImportOnnxBytes(bytes, "fixed", fixed_options).module);
    std::map<std::string, Tensor> inputs;
    for (const auto& param : fixed.main->params) {
      inputs[param->name] = RandomTensor(param->type->dtype, param->type->shape, below, random);
    }
    const std::vector<Tensor> wanted = RunReference(fixed, inputs);
    ExpectSame(RunReference(ranged, inputs), wanted, ExtentsText(extents));
    const auto results = RunReference(*ranged.main, ArgumentsWithGarbage(*ranged.main, inputs));
    ExpectSame(relay::TrueOutputs(*ranged.main, results), wanted, ExtentsText(extents) + "with garbage");
  }
}

}  // namespace hone
