#include "compiler/relay/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/nth.h"
#include "core/text/spelling.h"

namespace hone::relay {
namespace {

struct Registry {
  OpTable table;  // sorted by name; never changed once built, so that row addresses stay valid
  std::vector<const OpDef*> defs;
  std::map<std::string, ExprPtr, std::less<>> nodes;
};

OpTable SortedRows() {
  OpTable rows = AllRows();
  std::sort(rows.begin(), rows.end(), [](const OpDef& a, const OpDef& b) { return a.name < b.name; });
  return rows;
}

Registry* NewRegistry() {
  auto* registry = new Registry{SortedRows(), {}, {}};
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

// The element type of a tensor, or of a tuple's first field: type relations ensure that the others have the same.
DType ElementTypeOf(const TypePtr& type) {
  const bool has_fields = type->kind == TypeKind::kTuple && !type->fields.empty();
  return has_fields ? type->fields.front()->dtype : type->dtype;
}

[[noreturn]] void RefuseElements(const OpDef& def, const InputSpec& input, DType given, DType other) {
  const ElementRule& rule = input.types;
  std::string beside;
  if (rule.input() >= 0) {
    const std::string& name = Nth(def.inputs, rule.input()).name;
    beside = rule.cases().empty() ? " like " + name : fmt::format(" with {} of {}", name, DTypeName(other));
  }
  throw Error(ExitCode::kBadData, fmt::format("{} is {}, it must be {}{}", input.name, DTypeName(given),
                                              ToText(rule.Beside(other)), beside));
}

// Arguments that are no tensors are left for the type relation to refuse.
void CheckElements(const OpDef& def, const InputSpec& input, const Type& argument, DType other) {
  if (argument.kind == TypeKind::kTuple) {
    for (const TypePtr& field : argument.fields) {
      if (field->kind == TypeKind::kTensor) CheckElements(def, input, *field, other);
    }
  } else if (argument.kind == TypeKind::kTensor && !input.types.Beside(other).Has(argument.dtype)) {
    RefuseElements(def, input, argument.dtype, other);
  }
}

void CheckElements(const OpDef& def, const std::vector<TypePtr>& args, const Attrs& attrs) {
  const std::vector<int> given = def.given_inputs ? def.given_inputs(attrs) : std::vector<int>();
  for (size_t i = 0; i < args.size(); ++i) {
    if (def.given_inputs && i >= given.size()) return;
    const InputSpec& input = Nth(def.inputs, def.given_inputs ? given[i] : static_cast<int>(i));
    // Inputs to which Like refers are never left out.
    const int beside = input.types.input();
    CheckElements(def, input, *args[i], beside < 0 ? DType::kFloat32 : ElementTypeOf(Nth(args, beside)));
  }
}

}  // namespace

TypePtr CallType(const OpDef& def, const std::vector<TypePtr>& args, const Attrs& attrs) {
  CheckElements(def, args, attrs);
  return def.type_relation(args, attrs);
}

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
