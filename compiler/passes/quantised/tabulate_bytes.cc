#include "compiler/passes/quantised/tabulate_bytes.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/op.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

constexpr int64_t kBytes = 256;
constexpr size_t kMostSteps = 64;  // from the tensor to the value

// What an epilogue takes.
constexpr std::string_view kPlain[] = {"cast", "add",     "subtract", "multiply", "divide",
                                       "clip", "nn.relu", "maximum",  "minimum",  "round"};

bool IsBytes(const ExprPtr& expr) {
  return expr->type->kind == relay::TypeKind::kTensor && expr->type->dtype == DType::kUInt8;
}

const Call* ElementwiseCall(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  if (op == nullptr || call->type->kind != relay::TypeKind::kTensor) return nullptr;
  const relay::OpPattern pattern = op->def->pattern;
  const bool each = pattern == relay::OpPattern::kElementwise || pattern == relay::OpPattern::kBroadcast;
  return each && op->def->reference != nullptr ? call : nullptr;
}

// The one tensor of bytes that a value follows from: none is of numbers alone.
struct Source {
  ExprPtr tensor;
  bool of_table = false;  // something on the way is more than what kernels of products take
};

class SourceFinder {
 public:
  explicit SourceFinder(const ExprPtr& root) : root_(root) {}

  // Nullopt where there are several, or one that is no byte of the root's shape.
  std::optional<Source> Find(const ExprPtr& expr) {
    const auto known = found_.find(expr.get());
    if (known != found_.end()) return known->second;
    if (found_.size() >= kMostSteps) return std::nullopt;
    std::optional<Source> source = Computed(expr);
    if (!source && expr != root_ && IsBytes(expr) && ShapeOf(expr) == ShapeOf(root_)) source = Source{expr, false};
    found_.emplace(expr.get(), source);
    return source;
  }

  // The calls that lead from the source to the root, each behind its arguments.
  const std::vector<const Call*>& steps() const { return steps_; }

 private:
  std::optional<Source> Computed(const ExprPtr& expr) {
    if (const relay::Constant* constant = relay::AsConstant(expr)) {
      return constant->value.elements() == 1 ? std::optional(Source{}) : std::nullopt;
    }
    const Call* call = ElementwiseCall(expr);
    if (call == nullptr) return std::nullopt;
    const std::string_view name = relay::AsOp(call->op)->def->name;
    Source all;
    int sources = 0;
    all.of_table = std::find(std::begin(kPlain), std::end(kPlain), name) == std::end(kPlain);
    for (const ExprPtr& arg : call->args) {
      const std::optional<Source> one = Find(arg);
      if (!one || (all.tensor != nullptr && one->tensor != nullptr && one->tensor != all.tensor)) return std::nullopt;
      if (one->tensor != nullptr) all.tensor = one->tensor;
      sources += one->tensor != nullptr ? 1 : 0;
      all.of_table = all.of_table || one->of_table;
    }
    all.of_table = all.of_table || sources > 1;
    steps_.push_back(call);
    return all;
  }

  const ExprPtr& root_;
  std::unordered_map<const relay::Expr*, std::optional<Source>> found_;
  std::vector<const Call*> steps_;
};

// What the root is for each byte of the source.
std::vector<int64_t> ResultsOf(const std::vector<const Call*>& steps, const ExprPtr& source) {
  Shape shape(ShapeOf(source).size(), 1);
  shape.back() = kBytes;
  Tensor bytes(DType::kUInt8, shape);
  for (int64_t i = 0; i < kBytes; ++i) bytes.Set(i, static_cast<double>(i));
  std::unordered_map<const relay::Expr*, Tensor> values{{source.get(), bytes}};
  for (const Call* step : steps) {
    std::vector<Tensor> args;
    for (const ExprPtr& arg : step->args) {
      const auto computed = values.find(arg.get());
      const relay::Constant* constant = relay::AsConstant(arg);
      if (computed != values.end()) args.push_back(computed->second);
      if (computed == values.end() && constant != nullptr) args.push_back(constant->value);
    }
    // Others lead to a value that turned out to follow from several tensors.
    if (args.size() != step->args.size()) continue;
    values.emplace(step, relay::AsOp(step->op)->def->reference(args, step->attrs)[0]);
  }
  const Tensor& results = values.at(steps.back());
  std::vector<int64_t> table;
  table.reserve(static_cast<size_t>(results.elements()));
  for (int64_t i = 0; i < results.elements(); ++i) table.push_back(static_cast<int64_t>(results.At(i)));
  return table;
}

ExprPtr Tabulated(const ExprPtr& node, const Uses& /*uses*/) {
  if (!IsBytes(node) || ElementwiseCall(node) == nullptr || !IsStatic(ShapeOf(node)) || ShapeOf(node).empty()) {
    return nullptr;
  }
  SourceFinder finder(node);
  const std::optional<Source> source = finder.Find(node);
  if (!source || source->tensor == nullptr || !source->of_table) return nullptr;
  const Call* table_already = relay::AsCallTo(node, "byte_table");
  if (table_already != nullptr && table_already->args[0] == source->tensor) return nullptr;
  const std::vector<int64_t> table = ResultsOf(finder.steps(), source->tensor);
  if (table.size() != static_cast<size_t>(kBytes)) return nullptr;
  return TypedCall("byte_table", {source->tensor}, {{"table", table}}, relay::AsCall(node)->name);
}

}  // namespace

relay::IRModule TabulateBytes(const relay::IRModule& module) { return RewriteByRules(module, {Tabulated}); }

}  // namespace hone
