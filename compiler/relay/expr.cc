#include "compiler/relay/expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/relay/op.h"
#include "core/error.h"
#include "core/text/printable.h"
#include "core/text/spelling.h"

namespace hone::relay {
namespace {

// The nodes to be dropped while an outer destructor of this thread runs; null if none runs. A plain pointer, so that
// graphs in static storage may outlive the thread's other locals.
thread_local std::vector<ExprPtr>* dropping = nullptr;

// Releases `child` without recursion: the outermost caller drains the nodes that the destructors below it add to the
// list.
void Drop(ExprPtr&& child) {
  if (child == nullptr || child.use_count() > 1) {
    child.reset();
    return;
  }
  if (dropping != nullptr) {
    dropping->push_back(std::move(child));
    return;
  }
  std::vector<ExprPtr> pending;
  dropping = &pending;
  pending.push_back(std::move(child));
  while (!pending.empty()) {
    const ExprPtr last = std::move(pending.back());
    pending.pop_back();
  }
  dropping = nullptr;
}

template <typename T>
const T* Cast(const ExprPtr& expr, ExprKind kind) {
  return expr != nullptr && expr->kind == kind ? static_cast<const T*>(expr.get()) : nullptr;
}

AttrKind KindOf(const AttrValue& value) {
  constexpr AttrKind kKinds[] = {AttrKind::kBool, AttrKind::kInt, AttrKind::kFloat, AttrKind::kString, AttrKind::kInts};
  return kKinds[value.index()];
}

// The full list for a list attribute. nullopt if the given value is neither a number nor a list.
std::optional<std::vector<int64_t>> InFull(const AttrSpec& spec, const AttrValue& value) {
  const size_t full = std::get<std::vector<int64_t>>(spec.otherwise).size();
  if (KindOf(value) == AttrKind::kInt) {
    return std::vector<int64_t>(std::max<size_t>(full, 1), std::get<int64_t>(value));
  }
  if (KindOf(value) != AttrKind::kInts) return std::nullopt;
  std::vector<int64_t> list = std::get<std::vector<int64_t>>(value);
  if (list.size() == 1 && full > 1) list.assign(full, list[0]);
  // The paddings at the end are those at the beginning.
  if (full > 2 && 2 * list.size() == full) {
    const std::vector<int64_t> ends = list;
    list.insert(list.end(), ends.begin(), ends.end());
  }
  return list;
}

AttrValue Checked(const OpDef& def, const AttrSpec& spec, const AttrValue& value) {
  if (spec.kind == AttrKind::kFloat && KindOf(value) == AttrKind::kInt) {
    return static_cast<double>(std::get<int64_t>(value));
  }
  if (spec.kind == AttrKind::kInts) {
    if (auto list = InFull(spec, value)) return *std::move(list);
  }
  if (KindOf(value) == spec.kind) return value;
  throw Error(ExitCode::kBug, fmt::format("{}: attribute {} = {} has another kind than its default {}", def.name,
                                          spec.name, ToText(value), ToText(spec.otherwise)));
}

// The attributes in the schema's order; those not given have their defaults.
Attrs Completed(const OpDef& def, const Attrs& given) {
  Attrs complete;
  for (const AttrSpec& spec : def.attrs) {
    const AttrValue* value = given.Find(spec.name);
    complete.Set(spec.name, value ? Checked(def, spec, *value) : spec.otherwise);
  }
  for (const auto& [name, value] : given.values()) {
    if (complete.Find(name) == nullptr) {
      std::vector<std::string> names;
      for (const AttrSpec& spec : def.attrs) names.push_back(spec.name);
      throw Error(ExitCode::kBug, fmt::format("{} has no attribute {}{}; its attributes are {}", def.name, name,
                                              DidYouMean(name, names), fmt::join(names, ", ")));
    }
  }
  return complete;
}

}  // namespace

std::string_view ExprKindName(ExprKind kind) {
  constexpr std::string_view kNames[] = {"Var", "Constant", "Op", "Call", "Tuple", "TupleGetItem", "Function"};
  return kNames[static_cast<int>(kind)];
}

Expr::~Expr() = default;

Constant::Constant(Tensor v, std::string n)
    : Expr(ExprKind::kConstant, TensorType(v.shape(), v.dtype())), value(std::move(v)), name(std::move(n)) {}

Call::~Call() {
  Drop(std::move(op));
  for (ExprPtr& arg : args) Drop(std::move(arg));
}

Tuple::~Tuple() {
  for (ExprPtr& field : fields) Drop(std::move(field));
}

TupleGetItem::~TupleGetItem() { Drop(std::move(tuple)); }

Function::~Function() { Drop(std::move(body)); }

const Var* AsVar(const ExprPtr& expr) { return Cast<Var>(expr, ExprKind::kVar); }
const Constant* AsConstant(const ExprPtr& expr) { return Cast<Constant>(expr, ExprKind::kConstant); }
const Op* AsOp(const ExprPtr& expr) { return Cast<Op>(expr, ExprKind::kOp); }
const Call* AsCall(const ExprPtr& expr) { return Cast<Call>(expr, ExprKind::kCall); }
const Tuple* AsTuple(const ExprPtr& expr) { return Cast<Tuple>(expr, ExprKind::kTuple); }
const TupleGetItem* AsTupleGetItem(const ExprPtr& expr) { return Cast<TupleGetItem>(expr, ExprKind::kTupleGetItem); }
const Function* AsFunction(const ExprPtr& expr) { return Cast<Function>(expr, ExprKind::kFunction); }

const Call* AsCallTo(const ExprPtr& expr, std::string_view op_name) {
  const Call* call = AsCall(expr);
  const Op* op = call ? AsOp(call->op) : nullptr;
  return op != nullptr && op->def->name == op_name ? call : nullptr;
}

ExprPtr MakeVar(std::string name, TypePtr type) { return std::make_shared<Var>(std::move(name), std::move(type)); }

ExprPtr MakeConstant(Tensor value, std::string name) {
  return std::make_shared<Constant>(std::move(value), std::move(name));
}

ExprPtr MakeCall(std::string_view op_name, std::vector<ExprPtr> args, const Attrs& attrs, std::string name) {
  ExprPtr op = GetOp(op_name);
  const OpDef& def = *AsOp(op)->def;
  const size_t least = def.inputs.size() - static_cast<size_t>(def.optional_inputs);
  if (args.size() < least || args.size() > def.inputs.size()) {
    throw Error(ExitCode::kBug, fmt::format("{} takes {}{}, not {}", op_name,
                                            least == def.inputs.size() ? "" : fmt::format("{} to ", least),
                                            Counted(def.inputs.size(), "input"), args.size()));
  }
  Attrs complete = Completed(def, attrs);
  return std::make_shared<Call>(std::move(op), std::move(args), std::move(complete), std::move(name));
}

ExprPtr MakeTuple(std::vector<ExprPtr> fields) { return std::make_shared<Tuple>(std::move(fields)); }

ExprPtr MakeTupleGetItem(ExprPtr tuple, int index) { return std::make_shared<TupleGetItem>(std::move(tuple), index); }

std::shared_ptr<Function> WithFields(const Function& function, std::vector<std::shared_ptr<const Var>> params,
                                     ExprPtr body) {
  return std::make_shared<Function>(std::move(params), std::move(body), function.attrs, function.note);
}

std::string OutputName(const IRModule& module, size_t i) {
  const bool named = i < module.output_names.size() && !module.output_names[i].empty();
  return named ? module.output_names[i] : fmt::format("output{}", i);
}

}  // namespace hone::relay
