#include "compiler/passes/layouts/share_tables.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/layout.h"

namespace hone {

using relay::AsConstant;
using relay::Call;
using relay::Constant;
using relay::ExprPtr;
using relay::Function;

namespace {

// A smaller table costs less than reading it in pieces.
constexpr int64_t kLeastTableBytes = int64_t{1} << 20;

bool IsTable(const Constant& constant) {
  return constant.type->shape.size() == 2 && constant.value.size_bytes() >= kLeastTableBytes;
}

// Whether the function reads the parameter only by picking rows of it. A function with a note has a kernel of its own.
bool OnlyPicksRows(const Function& function, const relay::Expr& param) {
  if (function.note != nullptr || function.body.get() == &param) return false;
  for (const ExprPtr& expr : PostOrder(function.body)) {
    const std::vector<ExprPtr> children = ChildrenOf(expr);
    const Call* take = relay::AsCallTo(expr, "take");
    for (size_t i = 0; i < children.size(); ++i) {
      const bool picks = take != nullptr && i == 0 && take->attrs.GetInt("axis") == 0;
      if (children[i].get() == &param && !picks) return false;
    }
  }
  return true;
}

// The distance of each position along an axis from the first one, in elements of the memory.
std::vector<int64_t> OffsetsAlong(const Layout& layout, const Shape& physical, char name, int64_t extent) {
  std::vector<int64_t> offsets(static_cast<size_t>(extent), 0);
  int64_t stride = 1;
  for (size_t d = physical.size(); d-- > 0; stride *= physical[d]) {
    const Layout::Axis& axis = layout.axes()[d];
    if (axis.name != name) continue;
    const int64_t outer = std::max<int64_t>(1, layout.BlockOf(name));
    for (int64_t i = 0; i < extent; ++i) {
      offsets[static_cast<size_t>(i)] += (axis.block > 0 ? i % axis.block : i / outer) * stride;
    }
  }
  return offsets;
}

bool BlocksOnce(const Layout& layout) {
  int64_t blocks = 0;
  for (const Layout::Axis& axis : layout.axes()) blocks += axis.block > 0 ? 1 : 0;
  return blocks == 1 && layout.winograd_tile() == 0 && layout.LogicalAxes().size() == 2;
}

// Whether the packed matrix has the elements of the plain one, bit by bit.
bool HasElementsOf(const Constant& packed, const Constant& plain) {
  const Layout layout = Layout::Parse(packed.type->layout);
  if (packed.type->shape != plain.type->shape || packed.type->dtype != plain.type->dtype || !BlocksOnce(layout))
    return false;
  const std::string names = layout.LogicalAxes();
  const Shape physical = layout.PhysicalShape(plain.type->shape);
  const std::vector<int64_t> row_at = OffsetsAlong(layout, physical, names[0], plain.type->shape[0]),
                             column_at = OffsetsAlong(layout, physical, names[1], plain.type->shape[1]);
  const int64_t size = DTypeBytes(plain.type->dtype);
  const char *at = static_cast<const char*>(plain.value.raw()), *other = static_cast<const char*>(packed.value.raw());
  for (const int64_t row : row_at) {
    for (const int64_t column : column_at) {
      if (std::memcmp(at, other + (row + column) * size, static_cast<size_t>(size)) != 0) return false;
      at += size;
    }
  }
  return true;
}

class TableSharer {
 public:
  explicit TableSharer(const ExprPtr& body) {
    for (const ExprPtr& expr : PostOrder(body)) {
      for (size_t i = 0; i < ChildrenOf(expr).size(); ++i) Note(expr, i);
    }
    for (const auto& [plain, picked] : picked_) {
      if (!picked) continue;
      const auto same = std::ranges::find_if(packed_, [&](const auto& each) { return HasElementsOf(*each, *plain); });
      if (same != packed_.end()) shared_.emplace(plain, *same);
    }
  }

  // The call on shared tables; null if it reads none.
  ExprPtr Shared(const ExprPtr& expr) const {
    const Call* call = relay::AsCall(expr);
    if (call == nullptr || std::ranges::none_of(call->args, [&](const ExprPtr& arg) { return Now(arg) != nullptr; }))
      return nullptr;
    const Function& function = *relay::AsFunction(call->op);
    std::vector<ExprPtr> args = call->args;
    std::vector<std::shared_ptr<const relay::Var>> params = function.params;
    std::unordered_map<const relay::Expr*, ExprPtr> inside;
    for (size_t i = 0; i < args.size(); ++i) {
      if (const std::shared_ptr<const Constant> packed = Now(args[i])) {
        args[i] = packed;
        params[i] = std::make_shared<relay::Var>(params[i]->name, packed->type);
      }
      inside.emplace(function.params[i].get(), params[i]);
    }
    const ExprPtr body = relay::RewritePostOrder(function.body, [&](const ExprPtr& old, const ExprPtr& rebuilt) {
      const auto param = inside.find(old.get());
      return param == inside.end() ? rebuilt : param->second;
    });
    return CallOf(TypedLike(function, std::move(params), body), std::move(args), call->name);
  }

 private:
  using ConstantPtr = std::shared_ptr<const Constant>;

  ConstantPtr Now(const ExprPtr& arg) const {
    const auto shared = shared_.find(AsConstant(arg));
    return shared == shared_.end() ? nullptr : shared->second;
  }

  // Notes what a constant is for the expression that reads it.
  void Note(const ExprPtr& reader, size_t child) {
    const ExprPtr arg = ChildrenOf(reader)[child];
    const Constant* constant = AsConstant(arg);
    if (constant == nullptr || !IsTable(*constant)) return;
    if (!constant->type->layout.empty()) {
      if (std::ranges::find(packed_, constant, &ConstantPtr::get) == packed_.end())
        packed_.push_back(std::static_pointer_cast<const Constant>(arg));
      return;
    }
    const Call* call = relay::AsCall(reader);
    const Function* function = call ? relay::AsFunction(call->op) : nullptr;
    const bool picks = function != nullptr && OnlyPicksRows(*function, *function->params.at(child));
    bool& only = picked_.try_emplace(constant, true).first->second;
    only = only && picks;
  }

  std::vector<ConstantPtr> packed_;
  std::unordered_map<const Constant*, bool> picked_;  // whether all readers of a plain table pick rows
  std::unordered_map<const Constant*, ConstantPtr> shared_;
};

}  // namespace

relay::IRModule ShareTables(const relay::IRModule& module) {
  const TableSharer sharer(module.main->body);
  return RewriteByRules(module, {[&](const ExprPtr& node, const Uses&) { return sharer.Shared(node); }});
}

}  // namespace hone
