#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/ops/op_calls.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/quantised/quantised_passes.h"
#include "compiler/relay/op.h"
#include "core/tensor.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

constexpr int64_t kByteValues = 256;
constexpr size_t kMostTableSteps = 64;  // from the tensor to the value

// Operators that an epilogue takes.
constexpr std::string_view kEpilogueOperators[] = {"cast", "add",     "subtract", "multiply", "divide",
                                                   "clip", "nn.relu", "maximum",  "minimum",  "round"};

bool IsBytes(const ExprPtr& expr) {
  return expr->type->kind == relay::TypeKind::kTensor && DTypeBytes(expr->type->dtype) == 1 &&
         expr->type->dtype != DType::kBool;
}

bool IsWholeNumber(const ExprPtr& expr) {
  const relay::Constant* constant = relay::AsConstant(expr);
  return constant != nullptr && constant->value.elements() == 1 &&
         constant->value.At(0) == std::nearbyint(constant->value.At(0));
}

// The numbering of a tensor's values by bytes.
struct ByteNumbering {
  DType dtype = DType::kUInt8;
  int64_t offset = 0;  // value = byte + offset

  int64_t ValueOf(int64_t byte) const { return offset + (dtype == DType::kInt8 ? static_cast<int8_t>(byte) : byte); }
};

// The numbering of a rounded and bounded float, perhaps with a zero point in between; nullopt if it may have more
// values than a byte.
std::optional<ByteNumbering> BytesOfRounded(const ExprPtr& expr) {
  const Call* clip = relay::AsCallTo(expr, "clip");
  if (clip == nullptr || clip->type->kind != relay::TypeKind::kTensor || clip->type->dtype != DType::kFloat32) {
    return std::nullopt;
  }
  const Call* sum = relay::AsCallTo(clip->args[0], "add");
  const bool shifted = sum != nullptr && IsWholeNumber(sum->args[1]);
  if (relay::AsCallTo(shifted ? sum->args[0] : clip->args[0], "round") == nullptr) return std::nullopt;
  const relay::ActivationCall bounds = *relay::AsActivation(*clip);
  constexpr double kMostOffset = 1 << 20;
  const bool whole = bounds.lo == std::nearbyint(bounds.lo) && bounds.hi == std::nearbyint(bounds.hi);
  if (!whole || bounds.hi - bounds.lo >= kByteValues || std::abs(bounds.lo) > kMostOffset) return std::nullopt;
  for (const DType dtype : {DType::kUInt8, DType::kInt8}) {
    const IntegerRange range = RangeOf(dtype);
    if (bounds.lo >= static_cast<double>(range.least) && bounds.hi <= static_cast<double>(range.most)) {
      return ByteNumbering{dtype};
    }
  }
  return ByteNumbering{DType::kUInt8, static_cast<int64_t>(bounds.lo)};
}

const Call* ElementwiseCall(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  const relay::Op* op = call != nullptr ? relay::AsOp(call->op) : nullptr;
  if (op == nullptr || call->type->kind != relay::TypeKind::kTensor) return nullptr;
  const relay::OpPattern pattern = op->def->pattern;
  const bool each = pattern == relay::OpPattern::kElementwise || pattern == relay::OpPattern::kBroadcast;
  return each && op->def->reference != nullptr ? call : nullptr;
}

// The only tensor that a value is computed from; none if it is computed only from scalars.
struct Source {
  ExprPtr tensor;
  ByteNumbering bytes;
  bool of_table = false;  // some step is more than kernels of products take
};

class SourceFinder {
 public:
  explicit SourceFinder(const ExprPtr& root) : root_(root) {}

  // nullopt if there are several tensors, or one with another shape than the root or with more values than a table.
  std::optional<Source> Find(const ExprPtr& expr) {
    const auto known = found_.find(expr.get());
    if (known != found_.end()) return known->second;
    if (found_.size() >= kMostTableSteps) return std::nullopt;
    std::optional<Source> source = Computed(expr);
    if (!source && expr != root_) source = AsSource(expr);
    found_.emplace(expr.get(), source);
    return source;
  }

  // The calls from the source to the root, each after its arguments.
  const std::vector<const Call*>& steps() const { return steps_; }

 private:
  std::optional<Source> AsSource(const ExprPtr& expr) const {
    const std::optional<ByteNumbering> bytes = IsBytes(expr) ? ByteNumbering{expr->type->dtype} : BytesOfRounded(expr);
    return bytes && ShapeOf(expr) == ShapeOf(root_) ? std::optional(Source{expr, *bytes}) : std::nullopt;
  }

  std::optional<Source> Computed(const ExprPtr& expr) {
    if (const relay::Constant* constant = relay::AsConstant(expr)) {
      return constant->value.elements() == 1 ? std::optional(Source{}) : std::nullopt;
    }
    const Call* call = ElementwiseCall(expr);
    if (call == nullptr) return std::nullopt;
    const std::string_view name = relay::AsOp(call->op)->def->name;
    Source all;
    int sources = 0;
    all.of_table =
        std::find(std::begin(kEpilogueOperators), std::end(kEpilogueOperators), name) == std::end(kEpilogueOperators);
    for (const ExprPtr& arg : call->args) {
      const std::optional<Source> one = Find(arg);
      if (!one || (all.tensor != nullptr && one->tensor != nullptr && one->tensor != all.tensor)) return std::nullopt;
      if (one->tensor != nullptr) std::tie(all.tensor, all.bytes) = std::tie(one->tensor, one->bytes);
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

// The root's value, as a byte, for each byte of the source.
std::vector<int64_t> ResultsOf(const std::vector<const Call*>& steps, const Source& source) {
  Shape shape(ShapeOf(source.tensor).size(), 1);
  shape.back() = kByteValues;
  Tensor bytes(source.tensor->type->dtype, shape);
  for (int64_t i = 0; i < kByteValues; ++i) {
    bytes.Set(i, static_cast<double>(source.bytes.ValueOf(i)));
  }
  std::unordered_map<const relay::Expr*, Tensor> values{{source.tensor.get(), bytes}};
  for (const Call* step : steps) {
    std::vector<Tensor> args;
    for (const ExprPtr& arg : step->args) {
      const auto computed = values.find(arg.get());
      const relay::Constant* constant = relay::AsConstant(arg);
      if (computed != values.end()) args.push_back(computed->second);
      if (computed == values.end() && constant != nullptr) args.push_back(constant->value);
    }
    // The other steps lead to a value that turned out to depend on several tensors.
    if (args.size() != step->args.size()) continue;
    values.emplace(step, relay::AsOp(step->op)->def->reference(args, step->attrs)[0]);
  }
  const Tensor& results = values.at(steps.back());
  std::vector<int64_t> table;
  table.reserve(static_cast<size_t>(results.elements()));
  for (int64_t i = 0; i < results.elements(); ++i) {
    table.push_back(static_cast<uint8_t>(static_cast<int64_t>(results.At(i))));
  }
  return table;
}

// Whether the node is such a table already, apart from the cast to bytes.
bool IsTableOf(const ExprPtr& node, const ExprPtr& tensor) {
  const auto below = [&](ExprPtr expr, std::initializer_list<const char*> names) {
    const auto next = [&]() -> const Call* {
      for (const char* name : names) {
        if (const Call* call = relay::AsCallTo(expr, name)) return call;
      }
      return nullptr;
    };
    for (const Call* call = next(); expr != tensor && call != nullptr; call = next()) expr = call->args[0];
    return expr;
  };
  const Call* table = relay::AsCallTo(below(node, {"cast"}), "byte_table");
  return table != nullptr && below(table->args[0], {"cast", "clip", "add"}) == tensor;
}

ExprPtr CastTo(const ExprPtr& expr, DType dtype, const std::string& name) {
  if (expr->type->dtype == dtype) return expr;
  return TypedCast(expr, dtype, name);
}

// Bounds each value, so that the cast knows that it fits into 32 bits.
ExprPtr BytesOf(const Source& source, const std::string& name) {
  ExprPtr whole = source.tensor;
  if (source.bytes.offset != 0) {
    const ExprPtr offset = relay::MakeConstant(Tensor::Scalar(-static_cast<float>(source.bytes.offset)));
    whole = TypedCall("clip", {TypedCall("add", {whole, offset}, {}, name)},
                      {{"a_min", 0.0}, {"a_max", static_cast<double>(kByteValues - 1)}}, name);
  }
  return CastTo(CastTo(whole, source.bytes.dtype, name), DType::kUInt8, name);
}

ExprPtr Tabulated(const ExprPtr& node, const Uses& /*uses*/) {
  if (!IsBytes(node) || ElementwiseCall(node) == nullptr || !IsStatic(ShapeOf(node)) || ShapeOf(node).empty()) {
    return nullptr;
  }
  SourceFinder finder(node);
  const std::optional<Source> source = finder.Find(node);
  if (!source || source->tensor == nullptr || !source->of_table) return nullptr;
  if (IsTableOf(node, source->tensor)) return nullptr;
  const std::vector<int64_t> table = ResultsOf(finder.steps(), *source);
  if (table.size() != static_cast<size_t>(kByteValues)) return nullptr;
  const std::string& name = relay::AsCall(node)->name;
  const ExprPtr looked_up = TypedCall("byte_table", {BytesOf(*source, name)}, {{"table", table}}, name);
  return CastTo(looked_up, node->type->dtype, name);
}

}  // namespace

relay::IRModule TabulateBytes(const relay::IRModule& module) { return RewriteByRules(module, {Tabulated}); }

}  // namespace hone
