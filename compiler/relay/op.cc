#include "compiler/relay/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "compiler/relay/ops/ops.h"
#include "core/error.h"
#include "core/spelling.h"

namespace hone::relay {
namespace {

struct Registry {
  OpTable table;  // sorted by name; never changed once built, so that addresses of its rows hold
  std::vector<const OpDef*> defs;
  std::map<std::string, ExprPtr, std::less<>> nodes;
};

OpTable JoinedTables() {
  OpTable all;
  for (const auto& family :
       {ConvOps,      MatmulOps,    NormalizeOps, UnaryOps,        BinaryOps,    BitOps,
        CompareOps,   SoftmaxOps,   PoolOps,      ReduceOps,       ArgReduceOps, ReshapeOps,
        RearrangeOps, SpaceOps,     GatherOps,    ScatterOps,      RoiAlignOps,  PadOps,
        JoinOps,      RecurrentOps, TopKOps,      TreeEnsembleOps, ArgwhereOps,  NonMaxSuppressionOps}) {
    OpTable table = family();
    std::move(table.begin(), table.end(), std::back_inserter(all));
  }
  std::sort(all.begin(), all.end(), [](const OpDef& a, const OpDef& b) { return a.name < b.name; });
  return all;
}

Registry* NewRegistry() {
  auto* registry = new Registry{JoinedTables(), {}, {}};
  for (const OpDef& def : registry->table) {
    registry->defs.push_back(&def);
    registry->nodes.emplace(def.name, std::make_shared<Op>(&def));
  }
  return registry;
}

// Never freed: graphs in static storage may still point to its rows while the process ends.
const Registry& TheRegistry() {
  static const Registry* const registry = NewRegistry();
  return *registry;
}

}  // namespace

const std::vector<const OpDef*>& AllOps() { return TheRegistry().defs; }

const OpDef* FindOp(std::string_view name) {
  const auto it = TheRegistry().nodes.find(name);
  return it == TheRegistry().nodes.end() ? nullptr : AsOp(it->second)->def;
}

ExprPtr GetOp(std::string_view name) {
  const auto it = TheRegistry().nodes.find(name);
  if (it != TheRegistry().nodes.end()) return it->second;
  std::vector<std::string> names;
  for (const OpDef* def : AllOps()) names.push_back(def->name);
  throw Error(ExitCode::kBug, fmt::format("there is no operator {}{}", name, DidYouMean(name, names)));
}

}  // namespace hone::relay
