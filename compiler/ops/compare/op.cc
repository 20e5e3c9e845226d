// Comparisons, logic on their results, and the choice between two tensors.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"
#include "compiler/relay/indexing.h"
#include "core/tensor.h"

namespace hone::relay {
namespace {

using Types = std::vector<TypePtr>;
using Tensors = std::vector<Tensor>;

OpDef Broadcasting(std::string name, std::string description, DTypeSet types) {
  OpDef def;
  def.name = std::move(name);
  def.description = std::move(description);
  def.inputs = {{"lhs", "left operand", types}, {"rhs", "right operand", ElementRule::Like(0)}};
  def.results = {{"result", DType::kBool}};
  def.support_level = 4;
  def.pattern = OpPattern::kBroadcast;
  def.layout = LayoutRule::kNCHWc;
  def.type_relation = [](const Types& args, const Attrs&) {
    return BroadcastOf({&TensorArg(args, 0, "lhs"), &TensorArg(args, 1, "rhs")}, DType::kBool);
  };
  return def;
}

// Whether the comparison holds for a < b, for a == b, for a > b, and for unordered operands (one is NaN).
struct Outcomes {
  bool less, equal, greater, unordered;
};

template <typename T>
bool Holds(const Outcomes& outcomes, T a, T b) {
  return a < b ? outcomes.less : a == b ? outcomes.equal : a > b ? outcomes.greater : outcomes.unordered;
}

bool HoldsAt(const Outcomes& outcomes, const Tensor& lhs, int64_t l, const Tensor& rhs, int64_t r) {
  if (IsFloat(lhs.dtype())) return Holds(outcomes, lhs.At(l), rhs.At(r));
  return Holds(outcomes, IntegerAt(lhs, l), IntegerAt(rhs, r));
}

OpDef Comparison(std::string name, std::string description, Outcomes outcomes) {
  OpDef def = Broadcasting(std::move(name), std::move(description), kOrdered);
  def.reference = [outcomes](const Tensors& args, const Attrs&) {
    const Shape shape = BroadcastShapes(args[0].shape(), args[1].shape());
    OffsetWalk l = OffsetWalk::Broadcast(args[0].shape(), shape), r = OffsetWalk::Broadcast(args[1].shape(), shape);
    Tensor result(DType::kBool, shape);
    for (int64_t i = 0; i < result.elements(); ++i) {
      result.data<uint8_t>()[i] = HoldsAt(outcomes, args[0], l.Next(), args[1], r.Next()) ? 1 : 0;
    }
    return Tensors{result};
  };
  return def;
}

OpDef Logic(std::string name, std::string description, bool (*combine)(bool, bool)) {
  OpDef def = Broadcasting(std::move(name), std::move(description), DType::kBool);
  def.reference = [combine](const Tensors& args, const Attrs&) {
    const Shape shape = BroadcastShapes(args[0].shape(), args[1].shape());
    OffsetWalk l = OffsetWalk::Broadcast(args[0].shape(), shape), r = OffsetWalk::Broadcast(args[1].shape(), shape);
    Tensor result(DType::kBool, shape);
    for (int64_t i = 0; i < result.elements(); ++i) {
      result.data<uint8_t>()[i] = combine(args[0].At(l.Next()) != 0, args[1].At(r.Next()) != 0) ? 1 : 0;
    }
    return Tensors{result};
  };
  return def;
}

OpDef LogicalNot() {
  OpDef def = Broadcasting("logical_not", "true where data is false", DType::kBool);
  def.inputs = {{"data", "any shape", DType::kBool}};
  def.pattern = OpPattern::kElementwise;
  def.layout = LayoutRule::kAny;
  def.type_relation = [](const Types& args, const Attrs&) {
    TensorArg(args, 0, "data");
    return args[0];
  };
  def.reference = [](const Tensors& args, const Attrs&) {
    Tensor result(DType::kBool, args[0].shape());
    for (int64_t i = 0; i < result.elements(); ++i) result.Set(i, args[0].At(i) == 0 ? 1 : 0);
    return Tensors{result};
  };
  return def;
}

Tensors Where(const Tensors& args, const Attrs&) {
  Shape shape;
  for (const Tensor& arg : args) shape = BroadcastShapes(shape, arg.shape());
  OffsetWalk condition = OffsetWalk::Broadcast(args[0].shape(), shape);
  OffsetWalk yes = OffsetWalk::Broadcast(args[1].shape(), shape);
  Tensor result = Gather(args[2], shape, OffsetWalk::Broadcast(args[2].shape(), shape));
  const int64_t bytes = DTypeBytes(result.dtype());
  for (int64_t i = 0; i < result.elements(); ++i) {
    const int64_t source = yes.Next();
    if (args[0].At(condition.Next()) == 0) continue;
    const auto* from = static_cast<const uint8_t*>(args[1].raw()) + source * bytes;
    std::copy(from, from + bytes, static_cast<uint8_t*>(result.raw()) + i * bytes);
  }
  return {result};
}

OpDef WhereOp() {
  OpDef def = Broadcasting("where", "x where the condition holds, y elsewhere", kAnyElement);
  def.inputs = {{"condition", "where x is taken", DType::kBool},
                {"x", "what is taken there", kAnyElement},
                {"y", "what is taken elsewhere", ElementRule::Like(1)}};
  def.results = {{"result", ElementRule::Like(1)}};
  def.type_relation = [](const Types& args, const Attrs&) {
    const Type& x = TensorArg(args, 1, "x");
    return BroadcastOf({&TensorArg(args, 0, "condition"), &x, &TensorArg(args, 2, "y")}, x.dtype);
  };
  def.reference = Where;
  return def;
}

}  // namespace

OpTable CompareOps() {
  return {
      Comparison("equal", "lhs == rhs", {false, true, false, false}),
      Comparison("not_equal", "lhs != rhs; true where either is NaN", {true, false, true, true}),
      Comparison("less", "lhs < rhs", {true, false, false, false}),
      Comparison("less_equal", "lhs <= rhs", {true, true, false, false}),
      Comparison("greater", "lhs > rhs", {false, false, true, false}),
      Comparison("greater_equal", "lhs >= rhs", {false, true, true, false}),
      Logic("logical_and", "true where both are", [](bool a, bool b) { return a && b; }),
      Logic("logical_or", "true where either is", [](bool a, bool b) { return a || b; }),
      Logic("logical_xor", "true where one of the two is", [](bool a, bool b) { return a != b; }),
      LogicalNot(),
      WhereOp(),
  };
}

}  // namespace hone::relay
