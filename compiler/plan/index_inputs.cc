#include "compiler/plan/index_inputs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"

namespace hone {
namespace {

using relay::Call;
using relay::ExprPtr;

// Whether the second argument indexes the first.
bool Indexes(std::string_view op) {
  constexpr std::array kIndexing{"take", "gather", "gather_nd", "scatter_elements", "scatter_nd"};
  return std::find(kIndexing.begin(), kIndexing.end(), op) != kIndexing.end();
}

// The extents of the axes that the call's second argument indexes. For gather_nd and scatter_nd there is one for each
// part of a position; the parts lie along the argument's first axis.
Shape IndexedExtents(const Call& call, const std::string& op) {
  const Shape& data = call.args[0]->type->shape;
  if (op != "gather_nd" && op != "scatter_nd") {
    const int64_t axis = call.attrs.GetInt("axis");
    return {data.at(static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(data.size()) : axis))};
  }
  const auto first = data.begin() + call.attrs.GetInt("batch_dims", 0);
  return {first, first + call.args[1]->type->shape.at(0)};
}

// Traces each element of a value back to an element of an input. Elements of inputs have numbers of their own, from 1
// on; a computed element has 0.
class Origins {
 public:
  // Null if no element is an input's.
  const Tensor* Of(const ExprPtr& expr) {
    if (!numbers_.contains(expr.get())) numbers_.emplace(expr.get(), Trace(expr));
    const auto& numbers = numbers_.at(expr.get());
    return numbers ? &*numbers : nullptr;
  }

  struct Input {
    const relay::Var* var = nullptr;
    int64_t first = 0;             // number
    std::vector<int64_t> extents;  // per element; 0: indexes nothing
  };
  std::vector<Input>& inputs() { return inputs_; }

 private:
  std::optional<Tensor> Trace(const ExprPtr& expr) {
    if (const relay::Var* var = relay::AsVar(expr)) return Number(*var);
    const Call* call = relay::AsCall(expr);
    const relay::Op* op = call ? relay::AsOp(call->op) : nullptr;
    if (op == nullptr) return std::nullopt;
    if (op->def->name == "cast") return Copy(Of(call->args[0]));
    if (op->def->name == "concatenate") return Joined(*call, *op->def);
    return op->def->traits.moves ? Moved(*call, *op->def) : std::nullopt;
  }

  static std::optional<Tensor> Copy(const Tensor* numbers) {
    return numbers == nullptr ? std::nullopt : std::optional<Tensor>(*numbers);
  }

  std::optional<Tensor> Number(const relay::Var& var) {
    Tensor numbers(DType::kInt64, var.type->shape);
    for (int64_t i = 0; i < numbers.elements(); ++i) numbers.Set(i, static_cast<double>(next_ + i));
    inputs_.push_back({&var, next_, std::vector<int64_t>(static_cast<size_t>(numbers.elements()), 0)});
    next_ += numbers.elements();
    return numbers;
  }

  std::optional<Tensor> Moved(const Call& call, const relay::OpDef& op) {
    const Tensor* first = Of(call.args[0]);
    if (first == nullptr) return std::nullopt;
    std::vector<Tensor> args = {*first};
    for (size_t i = 1; i < call.args.size(); ++i) {
      const auto* constant = relay::AsConstant(call.args[i]);
      if (constant == nullptr) return std::nullopt;
      args.push_back(constant->value);
    }
    return op.reference(args, call.attrs).at(0);
  }

  std::optional<Tensor> Joined(const Call& call, const relay::OpDef& op) {
    const auto* tuple = relay::AsTuple(call.args[0]);
    if (tuple == nullptr) return std::nullopt;
    std::vector<Tensor> args;
    bool any = false;
    for (const ExprPtr& field : tuple->fields) {
      const Tensor* numbers = Of(field);
      any = any || numbers != nullptr;
      args.push_back(numbers == nullptr ? Tensor(DType::kInt64, field->type->shape) : *numbers);
    }
    return any ? std::optional<Tensor>(op.reference(args, call.attrs).at(0)) : std::nullopt;
  }

  std::unordered_map<const relay::Expr*, std::optional<Tensor>> numbers_;
  std::vector<Input> inputs_;
  int64_t next_ = 1;
};

// Limits the extents of the inputs' elements in `numbers`. Each of `extents` is for an equal part of them.
void Bound(const Tensor& numbers, const Shape& extents, std::vector<Origins::Input>& inputs) {
  const int64_t part = numbers.elements() / static_cast<int64_t>(extents.size());
  for (int64_t i = 0; i < numbers.elements(); ++i) {
    const auto number = static_cast<int64_t>(numbers.At(i));
    const int64_t extent = extents[static_cast<size_t>(i / part)];
    if (number == 0 || extent < 1) continue;
    const auto of = std::find_if(inputs.rbegin(), inputs.rend(), [&](const auto& in) { return in.first <= number; });
    int64_t& bound = of->extents.at(static_cast<size_t>(number - of->first));
    bound = bound == 0 ? extent : std::min(bound, extent);
  }
}

}  // namespace

std::map<std::string, IndexBounds> IndexExtents(const relay::IRModule& typed) {
  Origins origins;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) {
    const Call* call = relay::AsCall(expr);
    const relay::Op* op = call ? relay::AsOp(call->op) : nullptr;
    if (op == nullptr || !Indexes(op->def->name)) return;
    const Tensor* numbers = origins.Of(call->args[1]);
    const Shape extents = IndexedExtents(*call, op->def->name);
    if (numbers != nullptr && !extents.empty()) Bound(*numbers, extents, origins.inputs());
  });
  std::map<std::string, IndexBounds> bounds;
  for (const Origins::Input& input : origins.inputs()) {
    IndexBounds of = IndexBounds::Of(input.extents);
    if (of.Least() > 0) bounds.emplace(input.var->name, std::move(of));
  }
  return bounds;
}

}  // namespace hone
