#include "compiler/passes/anchor.h"

#include <algorithm>

#include "compiler/passes/typed_graph.h"
#include "compiler/passes/window_attrs.h"
#include "compiler/relay/op.h"
#include "core/error.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

bool IsKnownFloat(const relay::TypePtr& type, size_t rank) {
  return type->kind == relay::TypeKind::kTensor && type->dtype == DType::kFloat32 && type->shape.size() == rank &&
         std::all_of(type->shape.begin(), type->shape.end(), [](int64_t dim) { return dim > 0; });
}

// Attributes may be empty where the default is meant.
bool Is(const relay::Attrs& attrs, std::string_view name, std::string_view value) {
  const std::string given = attrs.GetString(name, value);
  return given.empty() || given == value;
}

bool IsPlainConv(const Call& conv) {
  return Is(conv.attrs, "data_layout", "NCHW") && Is(conv.attrs, "kernel_layout", "OIHW") &&
         Is(conv.attrs, "out_layout", "NCHW") && Is(conv.attrs, "out_dtype", "float32");
}

Workload WorkloadOf(const Call& call) {
  Workload workload;
  workload.op = relay::AsOp(call.op)->def->name;
  workload.data = ShapeOf(call.args[0]);
  workload.weight = ShapeOf(call.args[1]);
  if (!workload.is_conv()) return workload;
  workload.strides = Pair(call.attrs, "strides");
  workload.dilation = Pair(call.attrs, "dilation");
  workload.padding = Padding4(call.attrs);
  workload.groups = call.attrs.GetInt("groups", 1);
  return workload;
}

// Of the arguments of an epilogue's step, the one that is computed within the function.
ExprPtr InnerOf(const Call& step) {
  for (const ExprPtr& arg : step.args) {
    if (relay::AsCall(arg) != nullptr) return arg;
  }
  throw Error(ExitCode::kBug, "a fused function has an epilogue without an anchor");
}

}  // namespace

const Call* AsAnchor(const ExprPtr& expr) {
  const Call* conv = relay::AsCallTo(expr, "nn.conv2d");
  const Call* call = conv ? conv : relay::AsCallTo(expr, "nn.dense");
  if (call == nullptr || (conv != nullptr && !IsPlainConv(*conv))) return nullptr;
  const size_t rank = conv ? 4 : 2;
  const bool fits = IsKnownFloat(call->args[0]->type, rank) && IsKnownFloat(call->args[1]->type, rank) &&
                    IsKnownFloat(call->type, rank);
  return fits ? call : nullptr;
}

bool SetActivation(const ExprPtr& expr, Epilogue& epilogue) {
  static constexpr std::pair<std::string_view, Activation> kActivations[] = {{"nn.relu", Activation::kRelu},
                                                                             {"clip", Activation::kClip},
                                                                             {"sigmoid", Activation::kSigmoid},
                                                                             {"tanh", Activation::kTanh},
                                                                             {"nn.leaky_relu", Activation::kLeakyRelu},
                                                                             {"nn.hard_swish", Activation::kHardSwish},
                                                                             {"nn.silu", Activation::kSilu},
                                                                             {"nn.gelu", Activation::kGelu}};
  for (const auto& [name, activation] : kActivations) {
    const Call* call = relay::AsCallTo(expr, name);
    if (call == nullptr) continue;
    epilogue.activation = activation;
    if (activation == Activation::kClip) epilogue.lo = static_cast<float>(call->attrs.GetFloat("a_min"));
    if (activation == Activation::kClip) epilogue.hi = static_cast<float>(call->attrs.GetFloat("a_max"));
    if (activation == Activation::kLeakyRelu) epilogue.lo = static_cast<float>(call->attrs.GetFloat("alpha"));
    return true;
  }
  return false;
}

std::optional<Anchor> AnchorOf(const relay::Function& function) {
  if (function.attrs.Find("anchor") == nullptr) return {};
  Anchor anchor;
  ExprPtr at = function.body;
  if (SetActivation(at, anchor.epilogue)) at = InnerOf(*relay::AsCall(at));
  if (const Call* add = relay::AsCallTo(at, "add")) {
    anchor.epilogue.residual = true;
    at = InnerOf(*add);
  }
  if (const Call* bias = relay::AsCallTo(at, "nn.bias_add")) {
    anchor.epilogue.bias = true;
    at = InnerOf(*bias);
  }
  anchor.call = relay::AsCall(at);
  anchor.workload = WorkloadOf(*anchor.call);
  if (const Call* read = relay::AsCall(anchor.call->args[0])) {
    const bool relu = relay::AsOp(read->op)->def->name == "nn.relu";
    anchor.workload.prologue = relu ? Prologue::kScaleShiftRelu : Prologue::kScaleShift;
  }
  anchor.workload.epilogue = anchor.epilogue.Class();
  return anchor;
}

}  // namespace hone
