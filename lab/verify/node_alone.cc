#include "lab/verify/node_alone.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "compiler/passes/graph/cut_node.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/index_inputs.h"
#include "compiler/relay/reference.h"
#include "core/error.h"
#include "lab/model/build_model.h"
#include "runtime/session.h"

namespace hone {
namespace {

using relay::ExprPtr;

// The inputs on which the module's result depends.
std::vector<InputSpec> NeededInputs(const relay::IRModule& module) {
  std::set<const relay::Expr*> needed;
  for (const ExprPtr& expr : PostOrder(module.main->body)) needed.insert(expr.get());
  const auto extents = IndexExtents(module);
  std::vector<InputSpec> specs;
  for (const auto& param : module.main->params) {
    if (!needed.contains(param.get())) continue;
    const auto of = extents.find(param->name);
    specs.push_back(
        {param->name, param->type->dtype, param->type->shape, of == extents.end() ? IndexBounds() : of->second});
  }
  return specs;
}

relay::IRModule WithParams(const relay::IRModule& module, const std::vector<InputSpec>& specs) {
  std::vector<std::shared_ptr<const relay::Var>> params;
  for (const auto& param : module.main->params) {
    const auto is = [&](const InputSpec& spec) { return spec.name == param->name; };
    if (std::any_of(specs.begin(), specs.end(), is)) params.push_back(param);
  }
  relay::IRModule with = module;
  with.main = TypedLike(*module.main, std::move(params), module.main->body);
  return with;
}

std::vector<Tensor> ReferenceOperands(const relay::IRModule& bound, const CutNode& cut, const InputOptions& inputs) {
  const relay::IRModule operands = OperandsModule(bound, cut);
  const std::vector<InputSpec> specs = NeededInputs(operands);
  const std::map<std::string, Tensor> values = MakeInputs(specs, inputs);
  RequireIndicesInRange(specs, values);
  return RunReference(WithParams(operands, specs), values);
}

void RequireFits(size_t number, const Tensor& given, const relay::Var& param) {
  if (given.dtype() == param.type->dtype && given.shape() == param.type->shape) return;
  throw Error(ExitCode::kUsage,
              fmt::format("operand {} is given {} {}; the node takes {} {}", number, DTypeName(given.dtype()),
                          ShapeText(given.shape()), DTypeName(param.type->dtype), ShapeText(param.type->shape)));
}

std::vector<Tensor> OperandsOf(const relay::IRModule& bound, const CutNode& cut, const InputOptions& inputs,
                               const std::map<size_t, Tensor>& given, const std::string& node) {
  const size_t count = cut.operands.size();
  for (const auto& [number, tensor] : given) {
    if (number >= count) {
      throw Error(ExitCode::kUsage, fmt::format("{} takes {} operands that are no constants; there is no operand {}",
                                                node, count, number));
    }
    RequireFits(number, tensor, *cut.module.main->params[number]);
  }
  std::vector<Tensor> operands(count);
  if (given.size() < count) operands = ReferenceOperands(bound, cut, inputs);
  for (const auto& [number, tensor] : given) operands[number] = tensor;
  return operands;
}

std::vector<std::string> KernelsOf(const Plan& plan) {
  std::vector<std::string> kernels;
  for (const PlanCall& call : plan.calls) {
    const Dispatch& dispatch = plan.kernels.at(static_cast<size_t>(call.kernel)).dispatch;
    kernels.push_back(
        fmt::format("{} {}{}{}", call.op, dispatch.schedule, dispatch.config.empty() ? "" : " ", dispatch.config));
  }
  return kernels;
}

}  // namespace

NodeAlone RunNodeAlone(const relay::IRModule& typed, const std::string& node, const InputOptions& inputs,
                       const std::map<size_t, Tensor>& given, const Machine& machine, const RecordOptions& records,
                       double tolerance) {
  const relay::IRModule bound = RunPassesUntil("inline_functions", typed, {machine.context});
  const CutNode cut = CutOut(bound, node);
  const std::vector<Tensor> operands = OperandsOf(bound, cut, inputs, given, node);
  const BuildResult built = BuildModel(cut.module, machine, records).result;
  NodeAlone alone;
  alone.kernels = KernelsOf(built.plan);
  Session session(Package::FromBytes(built.package, node), {.threads = machine.context.threads});
  std::map<std::string, Tensor> by_name;
  for (size_t i = 0; i < operands.size(); ++i) {
    const std::string& name = cut.module.main->params[i]->name;
    alone.operands.emplace_back(name, operands[i]);
    by_name.emplace(name, operands[i]);
    session.SetInput(name, operands[i]);
  }
  const auto start = std::chrono::steady_clock::now();
  session.Run();
  const auto spent = std::chrono::steady_clock::now() - start;
  alone.run_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(spent).count();
  const std::vector<Tensor> expected = RunReference(cut.module, by_name);
  for (int i = 0; i < session.outputs(); ++i) {
    const std::string name = i == 0 ? node : fmt::format("{}_{}", node, i);
    alone.outputs.emplace_back(name, session.Output(i));
    alone.errors.push_back(
        CompareOutput(name, alone.outputs.back().second, expected.at(static_cast<size_t>(i)), tolerance));
  }
  return alone;
}

}  // namespace hone
