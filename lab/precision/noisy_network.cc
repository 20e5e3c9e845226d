#include "lab/precision/noisy_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "compiler/build.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/relay/visitor.h"
#include "core/nth.h"

namespace hone {

using relay::ExprPtr;

namespace {

std::string NoiseName(size_t value) { return fmt::format("hone::noise {}", value); }

relay::IRModule WithSummands(const relay::IRModule& typed, const std::vector<ExprPtr>& values) {
  std::unordered_map<const relay::Expr*, size_t> moved;
  for (size_t i = 0; i < values.size(); ++i) moved.emplace(values[i].get(), i);
  auto params = typed.main->params;
  const auto move = [&](const ExprPtr& old, const ExprPtr& now) -> ExprPtr {
    const auto found = moved.find(old.get());
    if (found == moved.end()) return now;
    const auto noise = std::make_shared<relay::Var>(NoiseName(found->second), old->type);
    params.push_back(noise);
    return TypedCall("add", {now, noise});
  };
  const ExprPtr body = relay::RewritePostOrder(typed.main->body, move);
  relay::IRModule module = typed;
  module.main = TypedLike(*typed.main, params, body);
  return module;
}

}  // namespace

NoisyNetwork::NoisyNetwork(const relay::IRModule& typed, const std::vector<ExprPtr>& values, const BuildContext& here) {
  BuildOptions options;
  options.context = here;
  const auto package = Package::FromBytes(Build(WithSummands(typed, values), options).package, typed.name);
  const Plan& plan = package->plan();
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    inputs_[Nth(plan.buffers, Nth(plan.inputs, i)).name] = static_cast<int>(i);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const auto found = inputs_.find(NoiseName(i));
    at_.push_back(found == inputs_.end() ? -1 : found->second);
    bytes_.push_back(static_cast<size_t>(ElementCount(values[i]->type->shape) * DTypeBytes(values[i]->type->dtype)));
    if (found != inputs_.end()) inputs_.erase(found);
  }
  if (!bytes_.empty()) zeros_.resize(*std::max_element(bytes_.begin(), bytes_.end()), 0);
  session_ = std::make_unique<Session>(package, SessionOptions{.threads = here.threads});
  for (size_t i = 0; i < values.size(); ++i) Bind(i, zeros_.data());
}

void NoisyNetwork::Bind(size_t value, const void* data) {
  if (at_.at(value) >= 0) session_->BindInput(at_[value], data, bytes_[value]);
}

void NoisyNetwork::SetInputs(const std::map<std::string, Tensor>& inputs) {
  for (const auto& [name, at] : inputs_) session_->SetInput(name, inputs.at(name));
}

std::vector<Tensor> NoisyNetwork::Run(const Noise& noise) {
  for (const auto& [value, tensor] : noise) Bind(value, tensor.raw());
  session_->Run();
  for (const auto& [value, tensor] : noise) Bind(value, zeros_.data());
  std::vector<Tensor> outputs;
  for (int i = 0; i < session_->outputs(); ++i) outputs.push_back(session_->Output(i));
  return outputs;
}

}  // namespace hone
