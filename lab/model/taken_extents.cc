#include "lab/model/taken_extents.h"

#include <memory>
#include <set>

#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/reference.h"
#include "compiler/relay/visitor.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;
using Vars = std::vector<std::shared_ptr<const relay::Var>>;

std::vector<ExprPtr> ResultsOf(const relay::Function& main) {
  const relay::Tuple* tuple = relay::AsTuple(main.body);
  return tuple == nullptr ? std::vector<ExprPtr>{main.body} : tuple->fields;
}

bool UsesOnly(const ExprPtr& expr, const std::set<const relay::Expr*>& vars) {
  bool only = true;
  relay::PostOrderVisit(
      expr, [&](const ExprPtr& each) { only = only && (relay::AsVar(each) == nullptr || vars.contains(each.get())); });
  return only;
}

// The parameters that hold extents, and the extents.
struct Given {
  Vars params;
  std::vector<Tensor> values;
  std::set<const relay::Expr*> known;
};

Given GivenOf(const relay::Function& main, const Extents& extents) {
  Given given;
  for (const relay::RangedInput& each : relay::RangedInputs(main)) {
    const auto& param = Nth(main.params, each.extent);
    if (!given.known.insert(param.get()).second) continue;
    const auto chosen = extents.find(relay::DimensionName(*param));
    const int64_t most = Nth(Nth(main.params, each.input)->type->shape, each.axis);
    given.params.push_back(param);
    given.values.push_back(
        Tensor::FromVector<int64_t>(DType::kInt64, {}, {chosen == extents.end() ? most : chosen->second}));
  }
  return given;
}

}  // namespace

bool TakesExtents(const relay::IRModule& typed, const Extents& extents) {
  const relay::Function& main = *typed.main;
  const std::vector<ExprPtr> results = ResultsOf(main);
  const Given given = GivenOf(main, extents);
  if (given.params.empty() || main.attrs.Find(relay::kCounted) == nullptr) return true;
  std::vector<ExprPtr> counts;
  std::vector<int64_t> most;
  for (const relay::CountedOutput& each : relay::CountedOutputs(main, results.size())) {
    if (!UsesOnly(Nth(results, each.count), given.known)) continue;
    counts.push_back(Nth(results, each.count));
    most.push_back(each.most);
  }
  if (counts.empty()) return true;
  const std::vector<Tensor> values =
      RunReference(relay::Function(given.params, relay::MakeTuple(counts)), given.values);
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t count = IntegerAt(values[i], 0);
    if (count < 0 || count > most[i]) return false;
  }
  return true;
}

}  // namespace hone
