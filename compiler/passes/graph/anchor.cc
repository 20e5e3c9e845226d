#include "compiler/passes/graph/anchor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/ops/matmul/op_blocks.h"
#include "compiler/ops/op_calls.h"
#include "compiler/passes/graph/op_def.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/graph/whole_epilogue.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/error.h"
#include "core/nth.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

bool IsKnown(const relay::TypePtr& type, size_t rank) {
  return type->kind == relay::TypeKind::kTensor && type->shape.size() == rank &&
         std::all_of(type->shape.begin(), type->shape.end(), [](int64_t dim) { return dim > 0; });
}

// Whether kernels exist for the types: floats, floats with float16 or packed weights, or bytes with int32 sums.
bool HasKernelTypes(const Call& call) {
  if (relay::AsOp(call.op)->def->name == "nn.dense_blocks") return true;
  const DType data = call.args[0]->type->dtype, weight = call.args[1]->type->dtype, result = call.type->dtype;
  const bool computed = relay::AsOp(call.op)->def->name == "nn.batch_matmul";
  if (data == DType::kUInt8 || (computed && data == DType::kInt8)) {
    return weight == DType::kInt8 || weight == DType::kUInt8;
  }
  const ElementTypes types = FloatTypes(data, weight, result);
  if (types == kHalfWeights) return relay::AsOp(call.op)->def->name == "nn.dense";
  return relay::IsKernelFloat(result) && AreFloats(types);
}

// Compares an attribute that may be empty for its default.
bool Is(const relay::Attrs& attrs, std::string_view name, std::string_view value) {
  const std::string given = attrs.GetString(name, value);
  return given.empty() || given == value;
}

// Whether it is a convolution from one plane to one. Schedules would leave all lanes but one idle, while generic
// kernels run along the columns.
bool IsOfOnePlane(const Call& conv) {
  const relay::Type& weight = *conv.args[1]->type;
  return weight.shape[0] == 1 && weight.shape[1] == 1 && weight.dtype == DType::kFloat32 &&
         conv.args[0]->type->dtype == DType::kFloat32;
}

bool FitsConv(const Call& conv) {
  return !IsOfOnePlane(conv) && Is(conv.attrs, "data_layout", "NCHW") && Is(conv.attrs, "kernel_layout", "OIHW") &&
         Is(conv.attrs, "out_layout", "NCHW");
}

void ReadWindow(const Call& conv, Workload& workload) {
  workload.strides = Pair(conv.attrs, "strides");
  workload.dilation = Pair(conv.attrs, "dilation");
  workload.padding = Padding4(conv.attrs);
  workload.groups = conv.attrs.GetInt("groups", 1);
}

// Whether schedules support its broadcasting (one weight for all). Bytes also need rows whose elements are neighbours.
bool IsPlainMatmul(const Call& call) {
  const int64_t data = ShapeOf(call.args[0])[0], weight = ShapeOf(call.args[1])[0];
  const bool rows = call.type->dtype != DType::kInt32 || !call.attrs.GetBool("transpose_a");
  return rows && (weight == 1 || data == weight);
}

// Kernels multiply bytes four at a time.
bool IsPlainDense(const Call& dense) {
  constexpr int64_t kFour = 4;
  return dense.args[0]->type->dtype != DType::kUInt8 || ShapeOf(dense.args[1])[1] % kFour == 0;
}

void ReadBlocks(const Call& dense, Workload& workload) {
  workload.layouts = relay::BlockFormatOf(dense.attrs, dense.args.size() > 3).ToText();
  if (relay::QuantisesRows(dense.attrs)) workload.types.accumulator = DType::kInt32;
}

// The anchor with everything that the call itself tells, but not the layouts of its operands.
Anchor NamedAfter(const Call& call) {
  Anchor anchor;
  anchor.node = call.name;
  anchor.exact_sums = call.attrs.GetBool("integral") || call.attrs.GetBool("exact_math");
  anchor.workload.op = relay::AsOp(call.op)->def->name;
  anchor.workload.types.data = call.args[0]->type->dtype;
  anchor.workload.types.weight = call.args[1]->type->dtype;
  anchor.workload.types.accumulator = anchor.workload.types.output = call.type->dtype;
  return anchor;
}

// Whether it is a parameter, perhaps one of bfloat16 that is cast to float32.
bool IsOperand(const ExprPtr& expr) {
  const Call* cast = relay::AsCallTo(expr, "cast");
  return relay::AsCall(cast != nullptr ? cast->args[0] : expr) == nullptr;
}

// The argument of an epilogue's step that is computed within the function.
ExprPtr InnerOf(const Call& step) {
  for (const ExprPtr& arg : step.args) {
    if (!IsOperand(arg)) return arg;
  }
  throw Error(ExitCode::kBug, "a fused function has an epilogue without an anchor");
}

// Reads the steps of the epilogue, from the last to the first; returns the value that they are applied to.
ExprPtr ReadEpilogue(ExprPtr at, Epilogue& epilogue) {
  if (const Call* stored = relay::AsCallTo(at, "cast")) at = stored->args[0];
  if (SetActivation(at, epilogue)) at = InnerOf(*relay::AsCall(at));
  if (const Call* add = relay::AsCallTo(at, "add")) {
    epilogue.residual = true;
    at = InnerOf(*add);
  }
  if (const Call* bias = relay::AsCallTo(at, "nn.bias_add")) {
    epilogue.bias = true;
    at = InnerOf(*bias);
  }
  return at;
}

// The product of bytes in a function; null if its anchor is another product.
ExprPtr FindByteProduct(const ExprPtr& body) {
  for (const ExprPtr& expr : PostOrder(body)) {
    const Call* call = relay::AsCall(expr);
    if (call != nullptr && FindAnchorOperator(*call) != nullptr)
      return call->type->dtype == DType::kInt32 ? expr : nullptr;
  }
  return nullptr;
}

// Reads the whole epilogue: the function holds only what Fuse took behind the product.
WholeEpilogue WholeEpilogueOf(const ExprPtr& product, const ExprPtr& body) {
  const auto reader = [&](const ExprPtr& of) {
    for (const ExprPtr& expr : PostOrder(body)) {
      const Call* call = relay::AsCall(expr);
      if (call != nullptr && std::find(call->args.begin(), call->args.end(), of) != call->args.end()) return expr;
    }
    return ExprPtr();
  };
  return ReadWholeEpilogue(product, reader, [](const ExprPtr&) { return true; });
}

// The anchor of a product. Adjacent transposes give the order of its operands' axes; the last call gives the result's.
Anchor MatmulAnchor(const ExprPtr& body) {
  const Call* after = relay::AsCallTo(body, "transpose");
  const ExprPtr& result = after ? after->args[0] : body;
  const Call* stored = relay::AsCallTo(result, "cast");
  const ExprPtr bytes = FindByteProduct(body);
  const Call& matmul = *relay::AsCall(bytes != nullptr ? bytes : stored ? stored->args[0] : result);
  Anchor anchor = NamedAfter(matmul);
  if (bytes != nullptr) anchor.epilogue = WholeEpilogueOf(bytes, result).epilogue;
  anchor.workload.types.output = result->type->dtype;
  std::string axes[3];
  for (size_t i = 0; i < 2; ++i) {
    const Call* before = relay::AsCallTo(matmul.args[i], "transpose");
    axes[i] = MatmulAxes(matmul, i);
    if (before != nullptr) axes[i] = TransposedFrom(*before, axes[i]);
    (i == 0 ? anchor.workload.data : anchor.workload.weight) = ShapeOf(before ? before->args[0] : matmul.args[i]);
  }
  axes[2] = MatmulAxes(matmul, 2);
  if (after != nullptr) {
    for (size_t d = 0; d < 3; ++d) axes[2][d] = Nth(MatmulAxes(matmul, 2), TransposeAxes(*after)[d]);
  }
  anchor.workload.layouts = fmt::format("{},{},{}", axes[0], axes[1], axes[2]);
  return anchor;
}

Anchor EpilogueAnchor(const ExprPtr& body) {
  Epilogue epilogue;
  DType output = body->type->dtype;
  ExprPtr product = FindByteProduct(body);
  if (product != nullptr) {
    const WholeEpilogue whole = WholeEpilogueOf(product, body);
    epilogue = whole.epilogue;
    output = whole.output;
  } else {
    product = ReadEpilogue(body, epilogue);
  }
  const Call& call = *relay::AsCall(product);
  Anchor anchor = NamedAfter(call);
  anchor.workload.types.output = output;
  anchor.epilogue = epilogue;
  anchor.workload.epilogue = epilogue.Class();
  anchor.workload.data = ShapeOf(call.args[0]);
  anchor.workload.weight = ShapeOf(call.args[1]);
  const AnchorOperator& row = *FindAnchorOperator(call);
  if (row.read_attrs != nullptr) row.read_attrs(call, anchor.workload);
  if (const Call* read = relay::AsCall(call.args[0])) {
    const bool relu = relay::AsOp(read->op)->def->name == "nn.relu";
    anchor.workload.prologue = relu ? Prologue::kScaleShiftRelu : Prologue::kScaleShift;
  }
  return anchor;
}

}  // namespace

const AnchorOperator* FindAnchorOperator(const Call& call) {
  static constexpr std::array<AnchorOperator, 4> kOperators{
      {{"nn.conv2d", 4, FitsConv, ReadWindow, AnchorNeighbours::kEpilogue},
       {"nn.dense", 2, IsPlainDense, nullptr, AnchorNeighbours::kEpilogue},
       {"nn.dense_blocks", 2, nullptr, ReadBlocks, AnchorNeighbours::kEpilogue},
       {"nn.batch_matmul", 3, IsPlainMatmul, nullptr, AnchorNeighbours::kTransposes}}};
  const relay::Op* op = relay::AsOp(call.op);
  const auto row = std::find_if(kOperators.begin(), kOperators.end(), [&](const AnchorOperator& candidate) {
    return op != nullptr && candidate.name == op->def->name;
  });
  return row == kOperators.end() ? nullptr : &*row;
}

const AnchorOperator* AsAnchor(const ExprPtr& expr) {
  const Call* call = relay::AsCall(expr);
  const AnchorOperator* row = call ? FindAnchorOperator(*call) : nullptr;
  if (row == nullptr) return nullptr;
  const bool known = IsKnown(call->args[0]->type, row->rank) && IsKnown(call->args[1]->type, row->rank) &&
                     IsKnown(call->type, row->rank) && HasKernelTypes(*call);
  return known && (row->fits == nullptr || row->fits(*call)) ? row : nullptr;
}

std::string MatmulAxes(const Call& matmul, size_t operand) {
  if (operand == 2) return "BMN";
  const bool transposed =
      operand == 0 ? matmul.attrs.GetBool("transpose_a") : !matmul.attrs.GetBool("transpose_b", true);
  const std::string row = operand == 0 ? "M" : "N";
  return transposed ? "BK" + row : "B" + row + "K";
}

bool SetActivation(const ExprPtr& expr, Epilogue& epilogue) {
  const Call* call = relay::AsCall(expr);
  const std::optional<relay::ActivationCall> found = call ? relay::AsActivation(*call) : std::nullopt;
  if (!found) return false;
  epilogue.activation = found->row;
  epilogue.lo = static_cast<float>(found->lo);
  epilogue.hi = static_cast<float>(found->hi);
  return true;
}

Anchor ReadAnchor(const ExprPtr& body, AnchorNeighbours neighbours) {
  return neighbours == AnchorNeighbours::kTransposes ? MatmulAnchor(body) : EpilogueAnchor(body);
}

size_t WeightOf(const Anchor& anchor) { return anchor.workload.prologue == Prologue::kNone ? 1 : 3; }

const Anchor* AnchorOf(const relay::Function& function) { return relay::NoteOf<Anchor>(function); }

const ConfigChoice* ChoiceOf(const relay::Function& function) {
  const Anchor* anchor = AnchorOf(function);
  return anchor != nullptr && anchor->choice ? &*anchor->choice : nullptr;
}

relay::FunctionPtr WithChoice(const relay::Function& function, const ConfigChoice& choice) {
  auto anchor = std::make_shared<Anchor>(*AnchorOf(function));
  anchor->choice = choice;
  anchor->variants.clear();
  return TypedFunction(function.params, function.body, function.attrs, std::move(anchor));
}

relay::Attrs Anchor::Printed() const {
  relay::Attrs attrs{{"anchor", workload.op}};
  if (!choice) return attrs;
  attrs.Set("workload", workload.ToText());
  attrs.Set("epilogue", epilogue.ToText());
  attrs.Set("schedule", choice->schedule);
  attrs.Set("config", choice->config.ToText());
  attrs.Set("source", choice->source);
  attrs.Set("record", choice->record);
  attrs.Set("expected_ns", choice->expected_ns);
  for (size_t i = 0; i < variants.size(); ++i) {
    const auto& [other, most, weight] = variants[i];
    attrs.Set(fmt::format("variant{}", i),
              fmt::format("{} {} for {}", other.schedule, other.config.ToText(), ShapeText(most)));
  }
  return attrs;
}

std::vector<std::string> NodeNames(const relay::Function& function) {
  std::vector<std::string> names;
  relay::PostOrderVisit(function.body, [&](const relay::ExprPtr& expr) {
    const relay::Call* call = relay::AsCall(expr);
    if (call == nullptr || call->name.empty()) return;
    if (std::find(names.begin(), names.end(), call->name) == names.end()) names.push_back(call->name);
  });
  return names;
}

}  // namespace hone
