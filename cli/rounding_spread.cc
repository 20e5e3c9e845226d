#include "cli/rounding_spread.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "cli/compare_outputs.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/random.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;
using Inputs = std::map<std::string, Tensor>;
using Largest = std::unordered_map<const relay::Expr*, double>;  // what a rounding rounds, by its call

constexpr double kSumError = 1.0 / (1 << 18);

// From -1 to 1, per element.
using Direction = std::function<double()>;

Largest LargestRounded(const relay::IRModule& typed, const Inputs& inputs, std::vector<Tensor>& outputs) {
  Largest largest;
  outputs = RunReference(typed, inputs, [&](const Call& call, const std::vector<Tensor>& results) {
    const relay::Op* op = relay::AsOp(call.op);
    if (op == nullptr || op->def->name != "round") return;
    double& most = largest[&call];
    for (int64_t i = 0; i < results[0].elements(); ++i) most = std::max(most, std::fabs(results[0].At(i)));
  });
  return largest;
}

relay::IRModule PushedModule(const relay::IRModule& typed, const Largest& largest, const Direction& direction) {
  relay::IRModule pushed = typed;
  const ExprPtr body = relay::RewritePostOrder(typed.main->body, [&](const ExprPtr& old, const ExprPtr& fresh) {
    const auto rounds = largest.find(old.get());
    if (rounds == largest.end()) return fresh;
    // Types are those of the call as it was; what it rounds is what became of it.
    const Call& call = *relay::AsCall(old);
    Tensor noise(call.args[0]->type->dtype, call.args[0]->type->shape);
    for (int64_t i = 0; i < noise.elements(); ++i) noise.Set(i, rounds->second * kSumError * direction());
    const ExprPtr moved = relay::MakeCall("add", {relay::AsCall(fresh)->args[0], relay::MakeConstant(noise)});
    return relay::MakeCall("round", {moved});
  });
  pushed.main = relay::WithFields(*typed.main, typed.main->params, body);
  return relay::InferType(pushed);
}

}  // namespace

bool Rounds(const relay::IRModule& typed) {
  bool rounds = false;
  relay::PostOrderVisit(typed.main->body,
                        [&](const ExprPtr& expr) { rounds = rounds || relay::AsCallTo(expr, "round") != nullptr; });
  return rounds;
}

std::vector<double> RoundingSpread(const relay::IRModule& typed, const Inputs& inputs) {
  std::vector<Tensor> outputs;
  const Largest largest = LargestRounded(typed, inputs, outputs);
  std::vector<double> spread(outputs.size(), 0.0);
  if (largest.empty()) return spread;
  Random random(1);
  const Direction up = [] { return 1.0; }, down = [] { return -1.0; };
  const Direction any = [&] { return 2 * random.Uniform() - 1; };
  for (const Direction& direction : {up, down, any, any}) {
    const std::vector<Tensor> pushed = RunReference(PushedModule(typed, largest, direction), inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const double worst = CompareOutput("", pushed[i], outputs[i], 0).worst;
      // What has no bound allows nothing.
      if (std::isfinite(worst)) spread[i] = std::max(spread[i], worst);
    }
  }
  return spread;
}

}  // namespace hone
