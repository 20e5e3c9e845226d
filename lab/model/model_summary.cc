#include "lab/model/model_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/ops/conv/op_layout.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/relay/counted_outputs.h"
#include "compiler/relay/op.h"
#include "compiler/relay/ranged_inputs.h"
#include "compiler/relay/type.h"
#include "compiler/relay/visitor.h"
#include "core/nth.h"

namespace hone {
namespace {

using relay::ExprPtr;

double Product(const Shape& shape, size_t first) {
  double product = 1;
  for (size_t i = first; i < shape.size(); ++i) product *= static_cast<double>(std::max<int64_t>(shape[i], 1));
  return product;
}

// Counts the products that each output element of a convolution, a dense layer or a matrix product sums.
double FlopsOf(const relay::Call& call) {
  const relay::Op* op = relay::AsOp(call.op);
  if (op == nullptr || call.args.size() < 2 || call.type == nullptr || call.args[1]->type == nullptr) return 0;
  const std::string& name = op->def->name;
  if (name == "nn.batch_matmul") {
    const Shape& data = call.args[0]->type->shape;
    return 2 * Product(call.type->shape, 0) * static_cast<double>(data[MatmulAxes(call, 0).find('K')]);
  }
  if (name.rfind("nn.conv", 0) != 0 && name != "nn.dense") return 0;
  // In a transposed convolution each input element is multiplied instead.
  const bool transposed = name.find("transpose") != std::string::npos;
  const Shape& elements = transposed ? call.args[0]->type->shape : call.type->shape;
  const Shape& weight = call.args[1]->type->shape;
  const size_t outputs = relay::ConvLayoutsOf(call.attrs).kernel.find('O');
  return 2 * Product(elements, 0) * Product(weight, 0) / Product({weight[outputs]}, 0);
}

void AddParameter(ModelSummary& summary, const std::string& name, const Tensor& value) {
  summary.parameters.push_back({name, relay::ToText(relay::TensorType(value.shape(), value.dtype()))});
  summary.parameter_elements += value.elements();
  summary.parameter_bytes += value.size_bytes();
}

// "Tensor[(1, (seq: 1..512)), int64]" if each run chooses an extent; else Relay's text of the type.
std::string InputTypeText(const relay::Function& main, const std::vector<relay::RangedInput>& ranged, int64_t input) {
  const relay::Type& type = *Nth(main.params, input)->type;
  std::vector<std::string> dims;
  for (const int64_t dim : type.shape) dims.push_back(std::to_string(dim));
  bool is_ranged = false;
  for (const relay::RangedInput& each : ranged) {
    if (each.input != input) continue;
    is_ranged = true;
    std::string& dim = Nth(dims, each.axis);
    dim = fmt::format("({}: {}..{})", relay::DimensionName(*Nth(main.params, each.extent)), each.least, dim);
  }
  if (!is_ranged) return relay::ToText(Nth(main.params, input)->type);
  return fmt::format("Tensor[({}), {}]", fmt::join(dims, ", "), DTypeName(type.dtype));
}

std::vector<ExprPtr> OutputsOf(const relay::IRModule& module) {
  if (const relay::Tuple* tuple = relay::AsTuple(module.main->body)) return tuple->fields;
  return {module.main->body};
}

}  // namespace

ModelSummary Summarize(const relay::IRModule& typed) {
  ModelSummary summary;
  std::set<std::string> bound;
  for (const auto& [name, value] : typed.params) {
    bound.insert(name);
    AddParameter(summary, name, value);
  }
  const std::vector<relay::RangedInput> ranged = relay::RangedInputs(*typed.main);
  for (size_t i = 0; i < typed.main->params.size(); ++i) {
    const auto number = static_cast<int64_t>(i);
    const std::string& name = typed.main->params[i]->name;
    if (bound.count(name) > 0 || relay::IsExtent(ranged, number)) continue;
    summary.inputs.push_back({name, InputTypeText(*typed.main, ranged, number)});
  }
  const std::vector<ExprPtr> outputs = OutputsOf(typed);
  const auto counted = relay::CountedOutputs(*typed.main, outputs.size());
  const size_t own = relay::OwnOutputs(counted, outputs.size());
  for (size_t i = 0; i < own; ++i) {
    summary.outputs.push_back({relay::OutputName(typed, i), relay::ToText(outputs[i]->type)});
  }
  relay::PostOrderVisit(typed.main, [&summary](const ExprPtr& expr) {
    if (const relay::Constant* constant = relay::AsConstant(expr))
      AddParameter(summary, constant->name, constant->value);
    const relay::Call* call = relay::AsCall(expr);
    if (call == nullptr) return;
    if (const relay::Op* op = relay::AsOp(call->op)) ++summary.ops[op->def->name];
    summary.flops += FlopsOf(*call);
  });
  return summary;
}

}  // namespace hone
