#include "tests/compiler/generic/check_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/ops/kernel.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "core/tensor.h"
#include "tests/compiler/generic/kernel_runner.h"
#include "tests/support/test_targets.h"

namespace hone::testing {

using relay::ExprPtr;
using relay::TensorType;

namespace {

void ExpectNear(const Tensor& got, const Tensor& want, double tolerance) {
  ASSERT_EQ(got.shape(), want.shape());
  ASSERT_EQ(got.dtype(), want.dtype());
  for (int64_t i = 0; !IsFloat(want.dtype()) && i < want.elements(); ++i) {
    ASSERT_EQ(IntegerAt(got, i), IntegerAt(want, i)) << "element " << i << " of " << ShapeText(want.shape());
  }
  if (!IsFloat(want.dtype())) return;
  double scale = 1;
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (std::isfinite(want.At(i))) scale = std::max(scale, std::abs(want.At(i)));
  }
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (got.At(i) == want.At(i) || (std::isnan(got.At(i)) && std::isnan(want.At(i)))) continue;
    ASSERT_NEAR(got.At(i), want.At(i), tolerance * scale) << "element " << i << " of " << ShapeText(want.shape());
  }
}

}  // namespace

ExprPtr Param(const std::string& name, Shape shape, const std::string& layout, DType dtype) {
  return relay::MakeVar(name, TensorType(std::move(shape), dtype, layout));
}

relay::FunctionPtr Function(const std::vector<ExprPtr>& params, const ExprPtr& body) {
  std::vector<std::shared_ptr<const relay::Var>> vars;
  for (const auto& param : params) vars.push_back(std::static_pointer_cast<const relay::Var>(param));
  return relay::InferType(std::make_shared<relay::Function>(vars, body));
}

Tensor Filled(const relay::Type& type, uint64_t seed) {
  Tensor tensor(type.dtype, type.shape);
  if (type.dtype == DType::kFloat32) {
    FillTensor(tensor, Fill::kNormal, seed);
    return tensor;
  }
  Random random(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) tensor.Set(i, static_cast<double>(random.Below(3)));
  return tensor;
}

void CheckFunction(const relay::FunctionPtr& function, std::vector<Tensor> args, double tolerance,
                   const std::vector<Target>& targets) {
  SCOPED_TRACE(GenericKey(*function));
  for (size_t i = args.size(); i < function->params.size(); ++i)
    args.push_back(Filled(*function->params[i]->type, i + 1));
  const auto want = RunReference(*function, args);
  Random random(7);
  for (const Target& target : targets) {
    SCOPED_TRACE(target.cpu);
    const CompiledFunction compiled(function, target);
    const auto got = compiled.Run(args, 0, random);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) ExpectNear(got[i], want[i], tolerance);
    const auto cut = compiled.Run(args, 5, random);
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(std::memcmp(got[i].raw(), cut[i].raw(), static_cast<size_t>(got[i].size_bytes())), 0);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace hone::testing
