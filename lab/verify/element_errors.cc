#include "lab/verify/element_errors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Inputs = std::map<std::string, Tensor>;
using Tensors = std::vector<Tensor>;

constexpr double kMoved = 0.1;  // share of the tolerance
constexpr double kSlack = 8;
constexpr int kTimes = 4;

// Operators for which a small change of the input may change the result by a whole step.
constexpr std::array<std::string_view, 17> kSteps = {
    "round", "floor",   "ceil",       "trunc",         "sign",   "mod",  "floor_mod", "equal",   "not_equal",
    "less",  "greater", "less_equal", "greater_equal", "argmax", "topk", "argmin",    "argwhere"};

bool IsOfFloats(const relay::TypePtr& type) {
  return type != nullptr && type->kind == relay::TypeKind::kTensor && type->dtype == DType::kFloat32;
}

bool IsStep(const ExprPtr& expr) {
  const relay::Call* call = relay::AsCall(expr);
  const relay::Op* op = call ? relay::AsOp(call->op) : nullptr;
  if (op == nullptr || call->args.empty() || !IsOfFloats(call->args[0]->type)) return false;
  const std::string_view name = op->def->name;
  const bool cut = name == "cast" && (!IsFloat(call->type->dtype) || DTypeBytes(call->type->dtype) < 4);
  return cut || name.starts_with("vision.") || name == "tree_ensemble" ||
         std::find(kSteps.begin(), kSteps.end(), name) != kSteps.end();
}

// Multiplies a value, computed or an input, by random factors near 1.
ExprPtr Moved(const ExprPtr& value, const relay::TypePtr& type, double most, Random& random) {
  Tensor factor(DType::kFloat32, type->shape);
  for (int64_t i = 0; i < factor.elements(); ++i) factor.Set(i, 1 + most * (2 * random.Uniform() - 1));
  return TypedCall("multiply", {value, relay::MakeConstant(factor)});
}

relay::IRModule MovedModule(const relay::IRModule& typed, double most, Random& random) {
  const ExprPtr body =
      relay::RewritePostOrder(typed.main->body, [&](const ExprPtr& old, const ExprPtr& fresh) -> ExprPtr {
        const bool moves = relay::AsCall(old) != nullptr || relay::AsVar(old) != nullptr;
        return moves && IsOfFloats(old->type) ? Moved(fresh, old->type, most, random) : fresh;
      });
  return WithBody(typed, body);
}

// a - b|; 0 if either is not finite.
double FiniteDistance(double a, double b) { return std::isfinite(a) && std::isfinite(b) ? std::fabs(a - b) : 0; }

// The median magnitude of elements that are neither 0 nor infinite.
double UsualSize(const Tensor& tensor) {
  std::vector<double> sizes;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    const double size = std::fabs(tensor.At(i));
    if (size > 0 && std::isfinite(size)) sizes.push_back(size);
  }
  if (sizes.empty()) return 0;
  const auto middle = sizes.begin() + static_cast<int64_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

// Elements to examine more closely.
std::vector<int64_t> Suspects(const Tensor& got, const Tensor& reference, double tolerance) {
  const double usual = UsualSize(reference);
  std::vector<int64_t> suspects;
  for (int64_t i = 0; IsFloat(reference.dtype()) && i < reference.elements(); ++i) {
    const double expected = reference.At(i);
    if (FiniteDistance(got.At(i), expected) > tolerance * std::max(std::fabs(expected), usual)) suspects.push_back(i);
  }
  return suspects;
}

// Root mean square of each element's movement, by output and suspect.
using Spreads = std::vector<std::vector<double>>;

Spreads SpreadsOf(const relay::IRModule& typed, const Inputs& inputs, const Tensors& reference,
                  const std::vector<std::vector<int64_t>>& suspects, double tolerance) {
  Spreads spreads;
  for (const auto& each : suspects) spreads.emplace_back(each.size(), 0.0);
  Random random(1);
  for (int time = 0; time < kTimes; ++time) {
    const Tensors moved = RunReference(MovedModule(typed, kMoved * tolerance, random), inputs);
    for (size_t o = 0; o < suspects.size(); ++o) {
      for (size_t s = 0; s < suspects[o].size(); ++s) {
        const int64_t i = suspects[o][s];
        spreads[o][s] += std::pow(FiniteDistance(moved.at(o).At(i), reference[o].At(i)), 2) / kTimes;
      }
    }
  }
  for (auto& each : spreads) {
    for (double& spread : each) spread = std::sqrt(spread);
  }
  return spreads;
}

}  // namespace

bool IsContinuous(const relay::IRModule& typed) {
  bool steps = false;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) { steps = steps || IsStep(expr); });
  return !steps;
}

std::vector<ElementError> ElementErrors(const relay::IRModule& typed, const Inputs& inputs, const Tensors& got,
                                        const Tensors& reference, double tolerance) {
  std::vector<ElementError> errors(got.size());
  std::vector<std::vector<int64_t>> suspects;
  for (size_t o = 0; o < got.size(); ++o) suspects.push_back(Suspects(got[o], reference[o], tolerance));
  if (std::all_of(suspects.begin(), suspects.end(), [](const auto& each) { return each.empty(); })) return errors;
  const Spreads spreads = SpreadsOf(typed, inputs, reference, suspects, tolerance);
  for (size_t o = 0; o < got.size(); ++o) {
    for (size_t s = 0; s < suspects[o].size(); ++s) {
      const int64_t i = suspects[o][s];
      const double expected = reference[o].At(i);
      const double allowed = tolerance * std::fabs(expected) + kSlack * spreads[o][s];
      const double excess = FiniteDistance(got[o].At(i), expected) / allowed;
      if (excess > errors[o].excess) errors[o] = {excess, i};
    }
  }
  return errors;
}

}  // namespace hone
