// An activation gives the same numbers in a convolution's epilogue and in a kernel of its own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/relay/infer_type.h"
#include "core/activation.h"
#include "runtime/session.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

using relay::ExprPtr;
using relay::MakeCall;

struct Parameters {
  double lo = 0, hi = 0;
};

// Zeros of both signs, NaN, the ends of the range, denormals; then a sweep.
std::vector<float> Values() {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values;
  for (const float v : {0.0F, Limits::quiet_NaN(), Limits::infinity(), Limits::max(), Limits::min(),
                        Limits::denorm_min(), 1e-40F, 1e-30F, 1.0F, 3.0F, 6.0F, 88.5F, 1000.0F}) {
    values.insert(values.end(), {v, -v});
  }
  for (int i = -3000; i < 3000; ++i) values.push_back(static_cast<float>(i) / 311);
  return values;
}

// A convolution of one input channel, so nothing is summed. Its 19 outputs take the values unchanged, negated, and so
// small that products underflow to zeros of either sign.
relay::IRModule ModelOf(const ActivationRow& row, const Parameters& given) {
  const auto x = std::make_shared<relay::Var>("x", relay::TensorType({1, 1, 1, static_cast<int64_t>(Values().size())}));
  Tensor weight(DType::kFloat32, {19, 1, 1, 1});
  for (int64_t i = 0; i < 19; ++i) weight.Set(i, i % 3 == 0 ? 1 : i % 3 == 1 ? -1 : 1e-30);
  relay::Attrs attrs;
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    attrs.Set(row.parameters[i].attribute, i == 0 ? given.lo : given.hi);
  }
  const ExprPtr body = MakeCall(row.op, {MakeCall("nn.conv2d", {x, relay::MakeConstant(weight)})}, attrs);
  const std::vector<std::shared_ptr<const relay::Var>> params{x};
  return relay::InferType({std::make_shared<relay::Function>(params, body), {}, "activation", {}});
}

struct Run {
  size_t calls = 0;
  Tensor output;
};

Run RunAt(int opt_level, const relay::IRModule& module) {
  BuildOptions options = HostBuild();
  options.context.opt_level = opt_level;
  const BuildResult built = Build(module, options);
  Session session(Package::FromBytes(built.package, "activation"));
  const std::vector<float> values = Values();
  Tensor input(DType::kFloat32, {1, 1, 1, static_cast<int64_t>(values.size())});
  std::memcpy(input.raw(), values.data(), values.size() * sizeof(float));
  session.SetInput("x", input);
  session.Run();
  return {built.plan.calls.size(), session.Output(0)};
}

// Equal bits, or both NaN.
bool Same(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

void ExpectSameNumbers(const ActivationRow& row, const Parameters& given) {
  SCOPED_TRACE(row.op);
  const relay::IRModule module = ModelOf(row, given);
  const Run apart = RunAt(0, module), fused = RunAt(3, module);
  EXPECT_LT(fused.calls, apart.calls);
  int differ = 0;
  for (int64_t i = 0; i < apart.output.elements(); ++i) {
    const float a = apart.output.data<float>()[i], b = fused.output.data<float>()[i];
    if (!Same(a, b) && ++differ <= 3) ADD_FAILURE() << "element " << i << ": " << a << " apart, " << b << " fused";
  }
  EXPECT_EQ(differ, 0) << "of " << apart.output.elements();
}

TEST(FusedActivations, AreTheSameNumbers) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const ActivationRow& row : Activations()) {
    ExpectSameNumbers(row, row.parameters.size() == 1 ? Parameters{0.1, 0} : Parameters{0, 6});
  }
  for (const Parameters& bounds : {Parameters{-1.5, infinity}, Parameters{-infinity, 2}, Parameters{1, 2}}) {
    ExpectSameNumbers(*ActivationNamed("clip"), bounds);
  }
}

}  // namespace
}  // namespace hone
