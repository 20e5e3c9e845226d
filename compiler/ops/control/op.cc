// The result of a branch: how values leave what a run may not compute.
#include <fmt/format.h>

#include "compiler/ops/op_families.h"
#include "compiler/relay/arguments.h"

namespace hone::relay {
namespace {

TypePtr ChooseType(const std::vector<TypePtr>& args, const Attrs&) {
  for (const int i : {0, 2}) {
    const Shape& shape = RowMajorArg(args, i, "a condition").shape;
    if (ElementCount(shape) != 1) Misfit(fmt::format("a condition is {}, it must be one number", ShapeText(shape)));
  }
  const Type &then = RowMajorArg(args, 1, "then"), &otherwise = RowMajorArg(args, 3, "otherwise");
  if (then.shape != otherwise.shape) {
    Misfit(fmt::format("then is {}, otherwise is {}", ShapeText(then.shape), ShapeText(otherwise.shape)));
  }
  return TensorType(then.shape, then.dtype);
}

std::vector<Tensor> Choose(const std::vector<Tensor>& args, const Attrs&) {
  return {args[0].At(0) != 0 ? args[1] : args[3]};
}

}  // namespace

OpTable ControlOps() {
  OpDef def;
  def.name = "choose";
  def.description =
      "then if the first condition is 1, else otherwise. A run need not compute the one whose condition is 0";
  def.inputs = {{"runs_then", "whether a run computes then: 0 or 1", DType::kInt64},
                {"then", "any shape", kAnyElement},
                {"runs_otherwise", "whether a run computes otherwise: 0 or 1", DType::kInt64},
                {"otherwise", "then's shape", ElementRule::Like(1)}};
  def.results = {{"result", ElementRule::Like(1)}};
  def.support_level = 10;
  def.pattern = OpPattern::kReduction;
  def.layout = LayoutRule::kNative;
  def.type_relation = ChooseType;
  def.reference = Choose;
  return {def};
}

}  // namespace hone::relay
