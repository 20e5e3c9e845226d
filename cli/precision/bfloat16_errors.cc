#include "cli/precision/bfloat16_errors.h"

#include <algorithm>
#include <array>
#include <set>

#include "cli/precision/run_package.h"
#include "cli/quantise/value_statistics.h"
#include "compiler/build.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

bool IsNamedProduct(const ExprPtr& expr) {
  constexpr std::array<const char*, 3> kProducts = {"nn.conv2d", "nn.dense", "nn.batch_matmul"};
  const bool product =
      std::any_of(kProducts.begin(), kProducts.end(), [&](const char* op) { return relay::AsCallTo(expr, op); });
  if (!product) return false;
  const Call& call = *relay::AsCall(expr);
  return !call.name.empty() && call.type->dtype == DType::kFloat32 && !call.attrs.GetBool("integral");
}

std::vector<ExprPtr> ProductsOf(const relay::IRModule& typed) {
  std::vector<ExprPtr> products;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) {
    if (IsNamedProduct(expr)) products.push_back(expr);
  });
  return products;
}

ExprPtr Rounded(const ExprPtr& value) {
  const relay::Constant* constant = relay::AsConstant(value);
  if (constant != nullptr) {
    return relay::MakeConstant(constant->value.As(DType::kBFloat16).As(DType::kFloat32), constant->name);
  }
  const ExprPtr narrow = relay::MakeCall("cast", {value}, {{"dtype", std::string("bfloat16")}});
  return relay::MakeCall("cast", {narrow}, {{"dtype", std::string("float32")}});
}

ExprPtr RoundedProduct(const Call& call) {
  return relay::MakeCall(relay::AsOp(call.op)->def->name, {Rounded(call.args[0]), Rounded(call.args[1])}, call.attrs,
                         call.name);
}

// A model whose results are the products and behind them, in the same order, what they are when they round.
relay::IRModule WithRounded(const relay::IRModule& typed, const std::vector<ExprPtr>& products) {
  std::vector<ExprPtr> results = products;
  for (const ExprPtr& product : products) results.push_back(RoundedProduct(*relay::AsCall(product)));
  relay::IRModule module = typed;
  module.output_names.clear();
  module.main = relay::WithFields(*typed.main, typed.main->params, relay::MakeTuple(std::move(results)));
  return relay::InferType(module);
}

// As many as make kMostValueBytes at once, or one.
std::vector<std::vector<ExprPtr>> GroupsOf(const std::vector<ExprPtr>& products) {
  std::vector<std::vector<ExprPtr>> groups;
  int64_t used = kMostValueBytes;
  for (const ExprPtr& product : products) {
    const int64_t bytes = 2 * ElementCount(product->type->shape) * DTypeBytes(product->type->dtype);
    if (used + bytes > kMostValueBytes) {
      groups.emplace_back();
      used = 0;
    }
    groups.back().push_back(product);
    used += bytes;
  }
  return groups;
}

}  // namespace

std::vector<NamedProduct> NamedProducts(const relay::IRModule& typed) {
  std::vector<NamedProduct> named;
  std::set<std::string> met;
  for (const ExprPtr& product : ProductsOf(typed)) {
    const Call& call = *relay::AsCall(product);
    if (met.insert(call.name).second) named.push_back({call.name, relay::AsOp(call.op)->def->name});
  }
  return named;
}

std::map<std::string, SignalError> BFloat16ErrorsAlone(const relay::IRModule& typed,
                                                       const std::vector<CalibrationSample>& samples,
                                                       const BuildContext& here) {
  std::map<std::string, SignalError> errors;
  BuildOptions options;
  options.context = here;
  for (const std::vector<ExprPtr>& group : GroupsOf(ProductsOf(typed))) {
    const std::string package = Build(WithRounded(typed, group), options).package;
    const std::vector<std::vector<Tensor>> made = RunPackage(package, samples, here.threads);
    for (const std::vector<Tensor>& values : made) {
      for (size_t i = 0; i < group.size(); ++i) {
        errors[relay::AsCall(group[i])->name].Add(values.at(group.size() + i), values.at(i));
      }
    }
  }
  return errors;
}

}  // namespace hone
