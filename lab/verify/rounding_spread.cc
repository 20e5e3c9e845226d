#include "lab/verify/rounding_spread.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/passes.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"
#include "lab/verify/compare_outputs.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;
using Inputs = std::map<std::string, Tensor>;
using LargestByRound = std::unordered_map<const relay::Expr*, double>;  // largest rounded value, by the call of round

constexpr double kSumError = 1.0 / (1 << 18);

// Returns a number from -1 to 1 for each element.
using Direction = std::function<double()>;

bool IsRounding(const ExprPtr& expr) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  if (cast == nullptr) return relay::AsCallTo(expr, "round") != nullptr;
  const DType to = cast->type->dtype;
  return cast->args[0]->type->dtype == DType::kFloat32 && IsFloat(to) && DTypeBytes(to) < DTypeBytes(DType::kFloat32);
}

LargestByRound LargestRounded(const relay::IRModule& typed, const Inputs& inputs, std::vector<Tensor>& outputs) {
  LargestByRound largest;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) {
    if (IsRounding(expr)) largest[expr.get()] = 0;
  });
  outputs = RunReference(typed, inputs, [&](const Call& call, const std::vector<Tensor>& results) {
    const auto rounds = largest.find(&call);
    if (rounds == largest.end()) return;
    for (int64_t i = 0; i < results[0].elements(); ++i) {
      const double size = std::fabs(results[0].At(i));
      if (std::isfinite(size)) rounds->second = std::max(rounds->second, size);
    }
  });
  return largest;
}

relay::IRModule PushedModule(const relay::IRModule& typed, const LargestByRound& largest, const Direction& direction) {
  relay::IRModule pushed = typed;
  const ExprPtr body = relay::RewritePostOrder(typed.main->body, [&](const ExprPtr& old, const ExprPtr& fresh) {
    const auto rounds = largest.find(old.get());
    if (rounds == largest.end()) return fresh;
    // Types come from the original call; the argument is the rewritten one.
    const Call& call = *relay::AsCall(old);
    Tensor noise(call.args[0]->type->dtype, call.args[0]->type->shape);
    for (int64_t i = 0; i < noise.elements(); ++i) noise.Set(i, rounds->second * kSumError * direction());
    const ExprPtr moved = relay::MakeCall("add", {relay::AsCall(fresh)->args[0], relay::MakeConstant(noise)});
    return relay::MakeCall(relay::AsOp(call.op)->def->name, {moved}, call.attrs);
  });
  pushed.main = relay::WithFields(*typed.main, typed.main->params, body);
  return relay::InferType(pushed);
}

// An operand or result of a product, moved and rounded to bfloat16.
ExprPtr Narrowed(const ExprPtr& value, const relay::TypePtr& type, const Direction& direction) {
  constexpr double kHalfLastPlace = 1.0 / 256;
  Tensor factor(DType::kFloat32, type->shape);
  for (int64_t i = 0; i < factor.elements(); ++i) factor.Set(i, 1 + kHalfLastPlace * direction());
  const ExprPtr moved = relay::MakeCall("multiply", {value, relay::MakeConstant(factor)});
  const ExprPtr narrow = relay::MakeCall("cast", {moved}, {{"dtype", std::string("bfloat16")}});
  return relay::MakeCall("cast", {narrow}, {{"dtype", std::string("float32")}});
}

bool MultipliesFloats(const ExprPtr& expr) {
  const Call* call = nullptr;
  for (const char* product : {"nn.conv2d", "nn.dense", "nn.batch_matmul"}) {
    if (call == nullptr) call = relay::AsCallTo(expr, product);
  }
  return call != nullptr && call->args[0]->type->dtype == DType::kFloat32 && !call->attrs.GetBool("integral");
}

relay::IRModule NarrowedModule(const relay::IRModule& typed, const Direction& direction) {
  relay::IRModule narrowed = typed;
  const ExprPtr body = relay::RewritePostOrder(typed.main->body, [&](const ExprPtr& old, const ExprPtr& fresh) {
    if (!MultipliesFloats(old)) return fresh;
    const Call &before = *relay::AsCall(old), &now = *relay::AsCall(fresh);
    std::vector<ExprPtr> args = now.args;
    for (size_t i = 0; i < 2; ++i) args[i] = Narrowed(args[i], before.args[i]->type, direction);
    const ExprPtr product = relay::MakeCall(relay::AsOp(now.op)->def->name, std::move(args), now.attrs, now.name);
    return Narrowed(product, old->type, direction);
  });
  narrowed.main = relay::WithFields(*typed.main, typed.main->params, body);
  return relay::InferType(narrowed);
}

// Raises each spread to the outputs' distance from the reference's. Distances that are not finite are ignored.
void Widen(const std::vector<Tensor>& outputs, const std::vector<Tensor>& reference, std::vector<double>& spread) {
  for (size_t i = 0; i < reference.size(); ++i) {
    const double worst = CompareOutput("", outputs[i], reference[i], 0).worst;
    if (std::isfinite(worst)) spread[i] = std::max(spread[i], worst);
  }
}

}  // namespace

std::vector<double> BFloat16Spread(const relay::IRModule& typed, const Inputs& inputs) {
  const std::vector<Tensor> outputs = RunReference(typed, inputs);
  std::vector<double> spread(outputs.size(), 0.0);
  Random random(1);
  const Direction none = [] { return 0.0; }, any = [&] { return 2 * random.Uniform() - 1; };
  for (const Direction& direction : {none, any, any}) {
    Widen(RunReference(NarrowedModule(typed, direction), inputs), outputs, spread);
  }
  return spread;
}

namespace {

// Each element of float32 moved to the next number in the direction's sign.
Inputs MovedInputs(const Inputs& inputs, const Direction& direction) {
  Inputs moved;
  for (const auto& [name, tensor] : inputs) {
    Tensor copy = tensor.Clone();
    for (int64_t i = 0; tensor.dtype() == DType::kFloat32 && i < copy.elements(); ++i) {
      float& value = copy.data<float>()[i];
      value = std::nextafter(value, std::copysign(INFINITY, static_cast<float>(direction())));
    }
    moved.insert_or_assign(name, std::move(copy));
  }
  return moved;
}

}  // namespace

std::vector<double> InputSpread(const relay::IRModule& typed, const Inputs& inputs) {
  const std::vector<Tensor> outputs = RunReference(typed, inputs);
  const bool floats = std::any_of(inputs.begin(), inputs.end(),
                                  [](const auto& input) { return input.second.dtype() == DType::kFloat32; });
  std::vector<double> spread(outputs.size(), floats ? 0.0 : -1.0);
  if (!floats) return spread;
  Random random(1);
  const Direction up = [] { return 1.0; }, down = [] { return -1.0; };
  const Direction any = [&] { return 2 * random.Uniform() - 1; };
  for (const Direction& direction : {up, down, any}) {
    Widen(RunReference(typed, MovedInputs(inputs, direction)), outputs, spread);
  }
  return spread;
}

std::vector<double> StoredWeightsSpread(const relay::IRModule& typed, const Plan& plan,
                                        const PackageFacts::Built& built, const Inputs& inputs) {
  BuildContext context;
  context.target = plan.target;
  context.threads = plan.threads;
  context.weights = built.weights;
  context.weight_group = built.weight_group;
  context.byte_rows = built.byte_rows;
  const std::vector<Tensor> outputs = RunReference(typed, inputs);
  std::vector<double> spread(outputs.size(), 0.0);
  Widen(RunReference(RunPassesUntil("quantise_rows", typed, {context}), inputs), outputs, spread);
  return spread;
}

bool Rounds(const relay::IRModule& typed) {
  bool rounds = false;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) { rounds = rounds || IsRounding(expr); });
  return rounds;
}

std::vector<double> RoundingSpread(const relay::IRModule& typed, const Inputs& inputs) {
  std::vector<Tensor> outputs;
  const LargestByRound largest = LargestRounded(typed, inputs, outputs);
  std::vector<double> spread(outputs.size(), 0.0);
  if (largest.empty()) return spread;
  Random random(1);
  const Direction up = [] { return 1.0; }, down = [] { return -1.0; };
  const Direction any = [&] { return 2 * random.Uniform() - 1; };
  for (const Direction& direction : {up, down, any, any}) {
    Widen(RunReference(PushedModule(typed, largest, direction), inputs), outputs, spread);
  }
  return spread;
}

namespace {

using relay::Call;
using relay::ExprPtr;

double LargestScale(const Tensor& scales) {
  double largest = 0;
  for (int64_t i = 0; i < scales.elements(); ++i) largest = std::max(largest, std::fabs(scales.At(i)));
  return largest;
}

double ScaleOf(const Call& product) {
  for (const size_t side : {0U, 1U}) {
    const relay::Constant* scale = relay::AsConstant(product.args[side]);
    if (scale != nullptr && WholeRangeOf(product.args[1 - side])) return LargestScale(scale->value);
  }
  return 0;
}

// Follows operators that only move elements back to the product, with a loop as the chain may be long.
double QuantumOf(ExprPtr expr) {
  while (expr->type->kind != relay::TypeKind::kTensor || IsFloat(expr->type->dtype)) {
    const Call* call = relay::AsCall(expr);
    const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
    if (op == nullptr) return 0;
    if (op->def->name == "multiply") return ScaleOf(*call);
    if (!op->def->traits.moves) return 0;
    expr = call->args[0];
  }
  return 1;
}

}  // namespace

std::vector<double> OutputQuanta(const relay::IRModule& typed) {
  const relay::Tuple* tuple = relay::AsTuple(typed.main->body);
  if (tuple == nullptr) return {QuantumOf(typed.main->body)};
  std::vector<double> quanta;
  for (const ExprPtr& field : tuple->fields) quanta.push_back(QuantumOf(field));
  return quanta;
}

void AllowRoundingSpread(const relay::IRModule& typed, const std::map<std::string, Tensor>& inputs,
                         std::vector<OutputError>& errors) {
  if (!Rounds(typed)) return;
  // A difference of an integer number of steps may be off by the rounding error of floats.
  constexpr double kStepError = 0.01;
  const std::vector<double> spread = RoundingSpread(typed, inputs), quanta = OutputQuanta(typed);
  for (size_t i = 0; i < errors.size(); ++i) {
    OutputError& error = errors[i];
    error.rounding = 2 * spread.at(i);
    error.quantum = quanta.at(i);
    const bool rounded =
        error.quantum > 0 ? error.Quanta() <= error.AllowedQuanta() + kStepError : error.worst <= error.rounding;
    error.agrees = error.agrees || rounded;
  }
}

}  // namespace hone
