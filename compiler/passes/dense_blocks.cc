// nn.dense with weights that unpack_blocks makes of constants becomes nn.dense_blocks, whose kernels unpack them in
// registers. Transposes of the weights that cancel each other go, too.
#include <algorithm>

#include "compiler/ops/matmul/op_blocks.h"
#include "compiler/passes/general_passes.h"
#include "compiler/passes/graph/transposes.h"
#include "compiler/passes/graph/typed_graph.h"

namespace hone {

using relay::Call;
using relay::ExprPtr;

namespace {

// The call that unpacks the weights, units x columns, of constants; else null.
const Call* UnpackedConstants(ExprPtr weights) {
  for (bool turned = false;;) {
    if (const Call* unpack = relay::AsCallTo(weights, "unpack_blocks")) {
      const auto constant = [](const ExprPtr& arg) { return relay::AsConstant(arg) != nullptr; };
      return !turned && std::all_of(unpack->args.begin(), unpack->args.end(), constant) ? unpack : nullptr;
    }
    const Call* transpose = relay::AsCallTo(weights, "transpose");
    if (transpose == nullptr || TransposeAxes(*transpose) != Axes{1, 0}) return nullptr;
    weights = transpose->args[0];
    turned = !turned;
  }
}

ExprPtr OfBlocks(const ExprPtr& node, const Uses&) {
  const Call* dense = relay::AsCallTo(node, "nn.dense");
  if (dense == nullptr || dense->args[0]->type->dtype != DType::kFloat32 || !IsStatic(ShapeOf(node))) return nullptr;
  const Call* unpack = UnpackedConstants(dense->args[1]);
  if (unpack == nullptr) return nullptr;
  std::vector<ExprPtr> args{dense->args[0]};
  args.insert(args.end(), unpack->args.begin(), unpack->args.end());
  const BlockFormat format = relay::BlockFormatOf(unpack->attrs, unpack->args.size() > 2);
  return TypedCall("nn.dense_blocks", std::move(args), relay::BlockAttrs(format), dense->name);
}

}  // namespace

relay::IRModule DenseOfBlocks(const relay::IRModule& module) { return RewriteByRules(module, {OfBlocks}); }

}  // namespace hone
