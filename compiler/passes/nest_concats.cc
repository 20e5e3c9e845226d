#include "compiler/passes/nest_concats.h"

#include <map>
#include <set>

#include "compiler/passes/graph/typed_graph.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

class Nesting {
 public:
  // The node's replacement, or null.
  ExprPtr Nested(const ExprPtr& node) {
    const Call* concat = relay::AsCallTo(node, "concatenate");
    const relay::Tuple* tuple = concat ? relay::AsTuple(concat->args[0]) : nullptr;
    if (tuple == nullptr || made_.contains(node)) return nullptr;
    const int64_t axis = concat->attrs.GetInt("axis");
    ExprPtr result = node;
    // Tries only lengths that occur, the longest first: a list may have 100,000 parts.
    for (auto length = lengths_.lower_bound(tuple->fields.size()); length != lengths_.begin() && result == node;) {
      const size_t count = *--length;
      const auto known = by_inputs_.find(KeyOf(tuple->fields, count, axis));
      if (known != by_inputs_.end()) result = Grown(*concat, known->second, tuple->fields, count);
    }
    made_.insert(result);
    if (tuple->fields.size() >= 2) lengths_.insert(tuple->fields.size());
    by_inputs_.try_emplace(KeyOf(tuple->fields, tuple->fields.size(), axis), result);
    return result == node ? nullptr : result;
  }

 private:
  using Key = std::pair<int64_t, std::vector<ExprPtr>>;

  static Key KeyOf(const std::vector<ExprPtr>& fields, size_t count, int64_t axis) {
    return {axis, {fields.begin(), fields.begin() + static_cast<int64_t>(count)}};
  }

  static ExprPtr Grown(const Call& concat, const ExprPtr& first, const std::vector<ExprPtr>& fields, size_t count) {
    std::vector<ExprPtr> rest{first};
    rest.insert(rest.end(), fields.begin() + static_cast<int64_t>(count), fields.end());
    return TypedCall("concatenate", {TypedTuple(std::move(rest))}, concat.attrs, concat.name);
  }

  std::map<Key, ExprPtr> by_inputs_;
  std::set<size_t> lengths_;  // lengths of the keys, from two on
  std::set<ExprPtr> made_;
};

}  // namespace

relay::IRModule NestConcats(const relay::IRModule& module) {
  Nesting nesting;
  return RewriteByRules(module, {[&](const ExprPtr& node, const Uses&) { return nesting.Nested(node); }});
}

}  // namespace hone
