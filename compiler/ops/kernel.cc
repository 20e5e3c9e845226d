#include "compiler/ops/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "compiler/generic/evaluator.h"
#include "compiler/generic/memory_shape.h"
#include "compiler/generic/piece_loops.h"
#include "compiler/ops/attention/kernel.h"
#include "compiler/ops/kernel_whole.h"
#include "compiler/ops/movement/kernel_channel_selection.h"
#include "compiler/ops/movement/kernel_permutation_loops.h"
#include "compiler/ops/movement/kernel_repeated_rows.h"
#include "compiler/ops/normalise/kernel_lines.h"
#include "compiler/ops/softmax/kernel.h"
#include "compiler/ops/space/kernel.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/hash/hash.h"

namespace hone {
namespace {

using relay::ExprPtr;
using relay::TypeKind;

// The body's tensors: its fields if it is a tuple or a call that gives one.
std::vector<ExprPtr> Outputs(const relay::Function& function) {
  if (const auto* tuple = relay::AsTuple(function.body)) return tuple->fields;
  if (!function.body->type || function.body->type->kind != TypeKind::kTuple) return {function.body};
  std::vector<ExprPtr> outputs;
  for (size_t i = 0; i < function.body->type->fields.size(); ++i) {
    auto item = std::make_shared<relay::TupleGetItem>(function.body, static_cast<int>(i));
    item->type = function.body->type->fields[i];
    outputs.push_back(item);
  }
  return outputs;
}

bool IsStatic(const relay::TypePtr& type) {
  if (!type) return false;
  if (type->kind == TypeKind::kTuple) return std::all_of(type->fields.begin(), type->fields.end(), IsStatic);
  return type->kind == TypeKind::kTensor &&
         std::all_of(type->shape.begin(), type->shape.end(), [](int64_t dim) { return dim >= 0; });
}

bool IsKnown(const ExprPtr& expr) {
  if (expr->kind == relay::ExprKind::kOp) return true;
  if (expr->kind == relay::ExprKind::kFunction || !IsStatic(expr->type)) return false;
  const auto* call = relay::AsCall(expr);
  if (!call) return true;
  const auto* op = relay::AsOp(call->op);
  return op && (FindEmitter(op->def->name) != nullptr || FindItemEmitter(op->def->name) != nullptr);
}

KernelOperand OperandOf(const relay::Type& type, OperandRole role) {
  return {role, type.dtype, type.shape, type.layout.empty() ? Layout() : Layout::Parse(type.layout)};
}

// One output and the pieces in which it is emitted.
struct Work {
  PieceOutput output;
  std::vector<Piece> pieces;
  bool softmax = false;
  std::optional<LineStatistics> lines = std::nullopt;
};

std::vector<Work> WorkOf(Evaluator& e, const relay::Function& function, const std::vector<KernelOperand>& operands) {
  const auto outputs = Outputs(function);
  std::vector<Work> all;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const size_t operand = function.params.size() + i;
    const KernelOperand& described = operands[operand];
    Work work{{outputs[i], static_cast<int>(operand), MemoryShapeOf(described.shape, described.layout)}, {}, false};
    work.softmax = SoftmaxOf(work.output) != nullptr;
    work.lines = LineStatisticsOf(work.output);
    if (ElementCount(described.shape) == 0) continue;
    MarkEnds(function, i, work.output.shape);
    work.pieces = PiecesOf(e, outputs[i], work.output.operand, work.output.shape);
    all.push_back(std::move(work));
  }
  return all;
}

std::vector<StageAxis> ItemAxesOf(const Work& work, const Piece& piece) {
  if (work.lines) return LineItems(piece, work.output, *work.lines);
  return work.softmax ? SoftmaxItems(piece, work.output) : ItemAxesOf(piece, work.output);
}

// Each piece takes the part of [begin, end) that falls on its own items, which become a box. Returns the number of
// items with those of this work.
int64_t EmitWork(Evaluator& e, const Work& work, int output, const StageArgs& args, int64_t before,
                 std::vector<StageBox>& boxes) {
  KernelBuilder& b = e.b();
  for (const Piece& piece : work.pieces) {
    boxes.push_back({0, before, ItemAxesOf(work, piece), output});
    int64_t items = 1;
    for (const StageAxis& axis : boxes.back().axes) items *= axis.items;
    Value* begin = b.Max(b.Add(args.begin, -before), b.Index(0));
    Value* end = b.Min(b.Add(args.end, -before), b.Index(items));
    if (work.lines) {
      EmitLines(e, piece, work.output, *work.lines, begin, end);
    } else if (work.softmax) {
      EmitSoftmax(e, piece, work.output, begin, end);
    } else {
      EmitPiece(e, piece, work.output, begin, end);
    }
    before += items;
  }
  return before;
}

// Emits the stage of a kernel that only reorders elements; gives its number of items, which become boxes.
int64_t EmitBoxes(KernelBuilder& b, const std::vector<PermutedBox>& boxes, const relay::Type& result,
                  const StageArgs& args, std::vector<StageBox>& stage_boxes) {
  const DType dtype = result.dtype;
  int64_t before = 0;
  for (const PermutedBox& box : boxes) {
    const int64_t items = ItemsOf(box);
    stage_boxes.push_back({0, before, PermutedItems(box, result)});
    Value* begin = b.Max(b.Add(args.begin, -before), b.Index(0));
    EmitPermutation(b, args, dtype, box, begin, b.Min(b.Add(args.end, -before), b.Index(items)));
    before += items;
  }
  return before;
}

// Text that reads back to exactly the same number.
std::string KeyText(const relay::AttrValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{:a}", *real);
  return relay::ToText(value);
}

std::string CallKey(const relay::Call& call, const std::vector<std::string>& args) {
  auto attrs = call.attrs.values();
  std::sort(attrs.begin(), attrs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = fmt::format("{}({})", relay::AsOp(call.op)->def->name, fmt::join(args, ","));
  for (const auto& [name, value] : attrs) text += fmt::format(" {}={}", name, KeyText(value));
  return text;
}

// Whether a value is rounded to an integer, here or in a later kernel. It must not depend on which products were fused
// with a sum.
bool Rounds(const relay::Function& function) {
  bool rounds = function.attrs.GetInt("rounds") != 0;
  relay::PostOrderVisit(function.body,
                        [&](const ExprPtr& expr) { rounds = rounds || relay::AsCallTo(expr, "round") != nullptr; });
  return rounds;
}

// Threads share the items, unless waking another one takes longer than all items.
EmittedKernel OneStage(const std::string& symbol, int64_t items, const std::vector<KernelOperand>& operands,
                       std::vector<StageBox> boxes = {}) {
  constexpr int64_t kSmallBytes = 4 << 10;
  int64_t bytes = 0;
  for (const KernelOperand& operand : operands) bytes += ElementCount(operand.shape) * DTypeBytes(operand.dtype);
  items = std::max<int64_t>(1, items);
  return {{{symbol, items, bytes <= kSmallBytes ? items : 1, 0}}, 0, std::move(boxes)};
}

std::string ConstantKey(const Tensor& value) {
  return "const " + Sha256Hex(value.raw(), static_cast<size_t>(value.size_bytes()));
}

}  // namespace

bool IsGeneric(const relay::Function& function) {
  if (!function.body) return false;
  if (WholeCallOf(function) != nullptr || InterleaveOf(function) != nullptr) return IsStatic(function.body->type);
  bool known = true;
  relay::PostOrderVisit(function.body, [&](const ExprPtr& expr) { known = known && IsKnown(expr); });
  return known;
}

std::vector<KernelOperand> GenericOperands(const relay::Function& function) {
  std::vector<KernelOperand> operands;
  for (const auto& param : function.params) operands.push_back(OperandOf(*param->type, OperandRole::kData));
  for (const auto& output : Outputs(function)) {
    operands.push_back(OperandOf(TensorTypeOf(output), OperandRole::kOutput));
  }
  return operands;
}

// Names follow the order of visit, not the nodes, so that equal functions of two models share a kernel. The text must
// contain everything that emission reads; otherwise two different kernels would share a symbol.
std::string GenericKey(const relay::Function& function) {
  std::string text = Rounds(function) ? "rounds\n" : "";
  if (const Attention* attention = AttentionOf(function)) {
    text += attention->counts_keys ? "attention of counted keys\n" : "attention\n";
    if (attention->zeroes_nan) text += "zeroes NaN\n";
  }
  const size_t count = GenericOperands(function).size();
  for (size_t i = 0; i < count; ++i) {
    if (LiesApart(function, i)) text += fmt::format("{} apart\n", i);
  }
  const std::vector<int64_t> ends = function.attrs.GetInts("ends");
  if (!ends.empty()) text += fmt::format("ends {}\n", fmt::join(ends, " "));
  std::unordered_map<const relay::Expr*, std::string> names;
  for (const auto& param : function.params) {
    names[param.get()] = fmt::format("p{}", names.size());
    text += fmt::format("{}: {}\n", names[param.get()], relay::ToText(param->type));
  }
  relay::PostOrderVisit(function.body, [&](const ExprPtr& expr) {
    if (expr->kind == relay::ExprKind::kOp || names.count(expr.get()) > 0) return;
    std::vector<std::string> args;
    std::string line;
    if (const auto* call = relay::AsCall(expr)) {
      for (const auto& arg : call->args) args.push_back(names.at(arg.get()));
      line = CallKey(*call, args);
    } else if (const auto* tuple = relay::AsTuple(expr)) {
      for (const auto& field : tuple->fields) args.push_back(names.at(field.get()));
      line = fmt::format("({})", fmt::join(args, ","));
    } else if (const auto* item = relay::AsTupleGetItem(expr)) {
      line = fmt::format("{}.{}", names.at(item->tuple.get()), item->index);
    } else if (const auto* constant = relay::AsConstant(expr)) {
      line = ConstantKey(constant->value);
    }
    names[expr.get()] = fmt::format("v{}", names.size());
    text += fmt::format("{} = {}: {}\n", names[expr.get()], line, relay::ToText(expr->type));
  });
  return text + names.at(function.body.get());
}

EmittedKernel EmitGeneric(KernelBuilder& builder, const relay::Function& function, const std::string& symbol) {
  if (!IsGeneric(function)) {
    throw Error(ExitCode::kBug,
                "a function was given to the generic generator that it cannot compile: ask IsGeneric first");
  }
  if (WholeCallOf(function) != nullptr) return EmitWholeCall(builder, function, symbol);
  const llvm::IRBuilderBase::FastMathFlagGuard restores(builder.ir());
  if (Rounds(function)) builder.ir().clearFastMathFlags();
  if (AttentionOf(function) != nullptr) return EmitAttention(builder, function, symbol);
  const auto operands = GenericOperands(function);
  int64_t extent = 0;
  // A function that only moves elements has its own loops, because the evaluator would read or write with a stride.
  if (const auto boxes = PermutationOf(function)) {
    std::vector<StageBox> stage_boxes;
    builder.Stage(symbol, [&](const StageArgs& args) {
      extent = EmitBoxes(builder, *boxes, *function.body->type, args, stage_boxes);
    });
    return OneStage(symbol, extent, operands, std::move(stage_boxes));
  }
  const auto selection = ChannelSelectionOf(function);
  if (selection && SharesVectors(*selection, builder.machine())) {
    builder.Stage(symbol, [&](const StageArgs& args) { extent = EmitChannelSelection(builder, args, *selection); });
    return OneStage(symbol, extent, operands);
  }
  if (InterleaveOf(function) != nullptr) {
    builder.Stage(symbol, [&](const StageArgs& args) { extent = EmitInterleave(builder, args, function); });
    return OneStage(symbol, extent, operands);
  }
  if (const auto repeated = RepeatedRowsOf(function)) {
    builder.Stage(symbol, [&](const StageArgs& args) {
      Evaluator e(builder, function, operands, args);
      EmitRepeatedRows(e, *repeated, args.begin, args.end);
    });
    return OneStage(symbol, ItemsOf(*repeated), operands);
  }
  std::vector<StageBox> boxes;
  builder.Stage(symbol, [&](const StageArgs& args) {
    Evaluator e(builder, function, operands, args);
    for (const Work& work : WorkOf(e, function, operands)) {
      const int output = work.output.operand - static_cast<int>(function.params.size());
      extent = EmitWork(e, work, output, args, extent, boxes);
    }
  });
  return OneStage(symbol, extent, operands, std::move(boxes));
}

}  // namespace hone
