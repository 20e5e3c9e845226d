#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "compiler/passes/graph/channelwise.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_numbers.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// The quantising steps, the last one first, and the concatenation that they quantise.
struct Chain {
  std::vector<const Call*> steps;
  const Call* concat = nullptr;
};

const Call* WithNumber(const ExprPtr& expr, std::string_view op) {
  const Call* call = relay::AsCallTo(expr, op);
  const bool number = call != nullptr && ScalarOf(call->args[1]) && ShapeOf(call->args[0]) == ShapeOf(expr);
  return number ? call : nullptr;
}

// Follows the first arguments while each has no other reader.
class ChainReader {
 public:
  ChainReader(const ExprPtr& last, const Uses& uses) : now_(last), uses_(uses) {}

  std::optional<Chain> Read() {
    if (!Step(relay::AsCallTo(now_, "clip"))) return std::nullopt;
    Step(WithNumber(now_, "add"));
    if (!Step(relay::AsCallTo(now_, "round"))) return std::nullopt;
    if (!Step(WithNumber(now_, "divide")) && !Step(WithNumber(now_, "multiply"))) return std::nullopt;
    chain_.concat = relay::AsCallTo(now_, "concatenate");
    return chain_.concat != nullptr ? std::optional(chain_) : std::nullopt;
  }

 private:
  bool Step(const Call* call) {
    if (call == nullptr || uses_.Of(call->args[0]) != 1) return false;
    chain_.steps.push_back(call);
    now_ = call->args[0];
    return true;
  }

  ExprPtr now_;
  const Uses& uses_;
  Chain chain_;
};

// The chain's steps applied to one part, as float32.
ExprPtr Quantised(const Chain& chain, const ExprPtr& part) {
  ExprPtr value = part;
  for (auto step = chain.steps.rbegin(); step != chain.steps.rend(); ++step) {
    std::vector<ExprPtr> args = (*step)->args;
    args[0] = value;
    value = TypedCall(relay::AsOp((*step)->op)->def->name, std::move(args), (*step)->attrs, (*step)->name);
  }
  return value;
}

ExprPtr SinkChain(const ExprPtr& node, const Uses& uses) {
  const auto chain = ChainReader(node, uses).Read();
  const relay::Tuple* tuple = chain ? relay::AsTuple(chain->concat->args[0]) : nullptr;
  if (tuple == nullptr || !IsImage(node) || node->type->dtype != DType::kFloat32) return nullptr;
  std::vector<ExprPtr> parts;
  for (const ExprPtr& field : tuple->fields) parts.push_back(Quantised(*chain, field));
  return TypedCall("concatenate", {TypedTuple(std::move(parts))}, chain->concat->attrs, chain->concat->name);
}

bool ArePositive(const ExprPtr& scales) {
  const relay::Constant* constant = relay::AsConstant(scales);
  for (int64_t i = 0; constant != nullptr && i < constant->value.elements(); ++i) {
    if (!(constant->value.At(i) > 0)) return false;
  }
  return constant != nullptr;
}

// Bounds that begin at 0 make a relu redundant. Without it the rounding follows the scale, as an epilogue requires.
ExprPtr DropRelu(const ExprPtr& node, const Uses& uses) {
  const Call* clip = relay::AsCallTo(node, "clip");
  const Call* round = clip != nullptr ? relay::AsCallTo(clip->args[0], "round") : nullptr;
  const Call* multiply = round != nullptr ? relay::AsCallTo(round->args[0], "multiply") : nullptr;
  const Call* relu = multiply != nullptr ? relay::AsCallTo(multiply->args[0], "nn.relu") : nullptr;
  if (relu == nullptr || !ArePositive(multiply->args[1]) || ShapeOf(multiply->args[0]) != ShapeOf(node)) return nullptr;
  for (const Call* reader : {clip, round, multiply}) {
    if (uses.Of(reader->args[0]) != 1) return nullptr;
  }
  const WholeRange none;
  const double least = clip->attrs.GetFloat("a_min", none.low), most = clip->attrs.GetFloat("a_max", none.high);
  if (least > 0 || most < 0 || !std::isfinite(most)) return nullptr;
  const ExprPtr scaled = TypedCall("multiply", {relu->args[0], multiply->args[1]}, {}, multiply->name);
  return TypedCall("clip", {TypedCall("round", {scaled}, {}, round->name)}, {{"a_min", 0.0}, {"a_max", most}},
                   clip->name);
}

// Whether the product with `factor` rounds as the quotient does, for each integer of the range.
bool RoundsAlike(const WholeRange& range, float scale, float step, float factor) {
  for (double whole = range.low; whole <= range.high; ++whole) {
    const auto number = static_cast<float>(whole);
    const float product = number * scale;
    if (std::nearbyint(product / step) != std::nearbyint(number * factor)) return false;
  }
  return true;
}

// A factor that rounds alike: the quotient or one of its neighbours; nullopt if none does.
std::optional<float> OneFactor(const WholeRange& range, float scale, float step) {
  const float quotient = scale / step;
  for (const float factor : {quotient, std::nextafter(quotient, 0.0F), std::nextafter(quotient, 2 * quotient)}) {
    if (RoundsAlike(range, scale, step, factor)) return factor;
  }
  return std::nullopt;
}

// Replaces the multiplication by one scale and the division by another by one multiplication, if no integer of the
// range tells them apart.
ExprPtr JoinSteps(const ExprPtr& node, const Uses&) {
  const Call* round = relay::AsCallTo(node, "round");
  const Call* divide = round != nullptr ? WithNumber(round->args[0], "divide") : nullptr;
  const Call* multiply = divide != nullptr ? WithNumber(divide->args[0], "multiply") : nullptr;
  const auto range = multiply != nullptr ? WholeRangeOf(multiply->args[0]) : std::nullopt;
  if (!range || range->high - range->low > kLargestByte) return nullptr;
  const auto scale = static_cast<float>(*ScalarOf(multiply->args[1]));
  const auto step = static_cast<float>(*ScalarOf(divide->args[1]));
  const auto factor = OneFactor(*range, scale, step);
  if (!factor) return nullptr;
  return TypedCall("round", {TypedCall("multiply", {multiply->args[0], ScalarConstant(*factor)}, {}, divide->name)}, {},
                   round->name);
}

}  // namespace

relay::IRModule SinkRequantise(const relay::IRModule& module) {
  const relay::IRModule sunk = RewriteByRules(module, {SinkChain, DropRelu});
  if (sunk.main == module.main) return module;
  // A part may have had the scale of the whole already.
  std::vector<Rule> rules = WholeNumberRules();
  rules.push_back(JoinSteps);
  return RewriteByRules(sunk, rules);
}

}  // namespace hone
