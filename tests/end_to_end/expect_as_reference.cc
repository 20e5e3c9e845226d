#include "tests/end_to_end/expect_as_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compiler/relay/infer_type.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

constexpr uint64_t kSeed = 11;

std::map<std::string, Tensor> InputsOf(const relay::IRModule& module) {
  std::map<std::string, Tensor> inputs;
  uint64_t seed = kSeed;
  for (const auto& param : module.main->params) {
    Tensor input(param->type->dtype, param->type->shape);
    FillTensor(input, Fill::kNormal, seed++);
    inputs.emplace(param->name, std::move(input));
  }
  return inputs;
}

void ExpectNear(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.shape(), want.shape());
  double largest = 0;
  for (int64_t i = 0; i < want.elements(); ++i) largest = std::max(largest, std::fabs(want.At(i)));
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (std::isnan(want.At(i)) && std::isnan(got.At(i))) continue;
    if (want.At(i) == got.At(i)) continue;
    ASSERT_NEAR(got.At(i), want.At(i), 1e-5 * largest) << "element " << i << " of " << ShapeText(want.shape());
  }
}

}  // namespace

void ExpectAsReference(const relay::IRModule& module, int opt_level) {
  BuildOptions options = HostBuild();
  options.context.opt_level = opt_level;
  ExpectAsReference(module, options);
}

void ExpectAsReference(const relay::IRModule& module, const BuildOptions& options) {
  const std::vector<Tensor> want = RunReference(module, InputsOf(module));
  const auto package = Package::FromBytes(Build(module, options).package, "test");
  const std::vector<Tensor> got = RunOnce(package, 1, Fill::kNormal, kSeed);
  const std::vector<Tensor> again = RunOnce(package, 2, Fill::kNormal, kSeed);
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    SCOPED_TRACE("output " + std::to_string(i) + " at level " + std::to_string(options.context.opt_level));
    ExpectNear(got[i], want[i]);
    EXPECT_EQ(Bits(got[i]), Bits(again[i]));
  }
}

relay::IRModule ModuleOf(const relay::ExprPtr& body) {
  std::vector<std::shared_ptr<const relay::Var>> params;
  relay::PostOrderVisit(body, [&](const relay::ExprPtr& expr) {
    if (relay::AsVar(expr)) params.push_back(std::static_pointer_cast<const relay::Var>(expr));
  });
  return relay::InferType({std::make_shared<relay::Function>(params, body), {}, "test", {}});
}

}  // namespace hone
