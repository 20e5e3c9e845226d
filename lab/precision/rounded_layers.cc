#include "lab/precision/rounded_layers.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "compiler/build.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/passes/graph/typed_graph.h"
#include "compiler/passes/mark_calls.h"
#include "compiler/relay/infer_type.h"
#include "compiler/relay/op.h"
#include "compiler/relay/visitor.h"
#include "core/nth.h"
#include "core/workload.h"
#include "runtime/session.h"

namespace hone {

using relay::ExprPtr;

namespace {

// A model with its values by their names in the ONNX graph.
struct NamedValues {
  relay::IRModule module;
  std::map<std::string, ExprPtr> values;
};

NamedValues FindValues(const FloatModel& model, const std::vector<std::string>& names, const RunSettings& settings) {
  std::vector<std::string> results = model.outputs();
  const size_t own = results.size();
  for (const std::string& name : names) {
    if (std::find(results.begin(), results.end(), name) == results.end()) results.push_back(name);
  }
  const relay::IRModule all =
      relay::InferType(ImportOnnxBytes(model.WithOutputs(results), settings.name, settings.import).module);
  std::vector<ExprPtr> fields{all.main->body};
  if (const relay::Tuple* tuple = relay::AsTuple(all.main->body)) fields = tuple->fields;
  NamedValues found;
  for (size_t i = 0; i < results.size(); ++i) found.values[results[i]] = fields.at(i);
  fields.resize(own);
  found.module = WithBody(all, own == 1 ? fields[0] : TypedTuple(fields));
  return found;
}

// Runs the float model with a quantised copy beside each layer, for the values of one group.
class CopyRunner {
 public:
  CopyRunner(const Quantiser& quantiser, std::shared_ptr<const LonelyLayers> copies, std::vector<size_t> layers)
      : quantiser_(quantiser), copies_(std::move(copies)), layers_(std::move(layers)) {}

  std::vector<RoundedValue> Run(const std::map<std::string, Tensor>& inputs) {
    if (runner_ == nullptr) Open();
    const std::vector<Tensor> made = runner_->Run(inputs);
    std::vector<RoundedValue> values;
    for (size_t i = 0; i < layers_.size(); ++i) values.push_back({made.at(i), made.at(layers_.size() + i)});
    return values;
  }

 private:
  void Open() {
    std::vector<std::string> names;
    for (const size_t layer : layers_) names.push_back(quantiser_.layers()[layer].output);
    for (const size_t layer : layers_) names.push_back(copies_->outputs[layer]);
    runner_ = std::make_unique<ValueRunner>(copies_->model, names, quantiser_.settings());
  }

  const Quantiser& quantiser_;
  const std::shared_ptr<const LonelyLayers> copies_;
  const std::vector<size_t> layers_;
  std::unique_ptr<ValueRunner> runner_;
};

}  // namespace

std::vector<RoundedLayers> Int8Layers(const Quantiser& quantiser) {
  std::vector<std::string> names;
  for (const QuantisableLayer& layer : quantiser.layers()) names.push_back(layer.output);
  const NamedValues found = FindValues(quantiser.model(), names, quantiser.settings());
  const auto copies = std::make_shared<const LonelyLayers>(quantiser.WriteLonely());
  std::vector<RoundedLayers> groups;
  std::vector<size_t> layers;
  int64_t used = 0;
  const auto close = [&] {
    if (layers.empty()) return;
    RoundedLayers group{found.module, {}, {}, {}};
    for (const size_t layer : layers) {
      group.values.push_back(found.values.at(names[layer]));
      group.layers.push_back(quantiser.layers()[layer].node);
    }
    const auto runner = std::make_shared<CopyRunner>(quantiser, copies, std::exchange(layers, {}));
    group.run = [runner](const std::map<std::string, Tensor>& inputs) { return runner->Run(inputs); };
    groups.push_back(std::move(group));
    used = 0;
  };
  for (size_t i = 0; i < names.size(); ++i) {
    const int64_t bytes = 2 * ElementCount(ShapeOf(found.values.at(names[i]))) * DTypeBytes(DType::kFloat32);
    if (used + bytes > kRoundedBytes) close();
    layers.push_back(i);
    used += bytes;
  }
  close();
  return groups;
}

using relay::Call;
using relay::ExprPtr;

namespace {

bool IsNamedProduct(const ExprPtr& expr) {
  if (!IsProduct(expr)) return false;
  const Call& call = *relay::AsCall(expr);
  return !call.name.empty() && call.type->dtype == DType::kFloat32 && !call.attrs.GetBool("integral");
}

std::vector<ExprPtr> ProductsOf(const relay::IRModule& typed) {
  std::vector<ExprPtr> products;
  relay::PostOrderVisit(typed.main->body, [&](const ExprPtr& expr) {
    if (IsNamedProduct(expr)) products.push_back(expr);
  });
  return products;
}

ExprPtr Rounded(const ExprPtr& value) {
  const relay::Constant* constant = relay::AsConstant(value);
  if (constant != nullptr) {
    return relay::MakeConstant(constant->value.As(DType::kBFloat16).As(DType::kFloat32), constant->name);
  }
  const ExprPtr narrow = relay::MakeCall("cast", {value}, {{"dtype", std::string("bfloat16")}});
  return relay::MakeCall("cast", {narrow}, {{"dtype", std::string("float32")}});
}

using Operands = std::map<std::string, BFloat16Operands>;

ExprPtr RoundedProduct(const Call& call, const BFloat16Operands& operands) {
  return relay::MakeCall(
      relay::AsOp(call.op)->def->name,
      {operands.data ? Rounded(call.args[0]) : call.args[0], operands.weight ? Rounded(call.args[1]) : call.args[1]},
      call.attrs, call.name);
}

// A model whose results are the products, followed by the same products with rounded operands, in the same order.
relay::IRModule WithRounded(const relay::IRModule& typed, const std::vector<ExprPtr>& products,
                            const Operands& operands) {
  std::vector<ExprPtr> results = products;
  for (const ExprPtr& product : products) {
    const Call& call = *relay::AsCall(product);
    results.push_back(RoundedProduct(call, operands.at(call.name)));
  }
  relay::IRModule module = typed;
  module.output_names.clear();
  module.main = relay::WithFields(*typed.main, typed.main->params, relay::MakeTuple(std::move(results)));
  return relay::InferType(module);
}

// Groups of products that make at most kRoundedBytes at once, or of one product.
std::vector<std::vector<ExprPtr>> GroupsOf(const std::vector<ExprPtr>& products) {
  std::vector<std::vector<ExprPtr>> groups;
  int64_t used = kRoundedBytes;
  for (const ExprPtr& product : products) {
    const int64_t bytes = 2 * ElementCount(product->type->shape) * DTypeBytes(product->type->dtype);
    if (used + bytes > kRoundedBytes) {
      groups.emplace_back();
      used = 0;
    }
    groups.back().push_back(product);
    used += bytes;
  }
  return groups;
}

class ProductRunner {
 public:
  ProductRunner(const relay::IRModule& typed, const std::vector<ExprPtr>& products, const Operands& operands,
                const BuildContext& here)
      : typed_(typed), products_(products), operands_(operands), here_(here) {}

  std::vector<RoundedValue> Run(const std::map<std::string, Tensor>& inputs) {
    if (session_ == nullptr) Open();
    for (const std::string& name : inputs_) session_->SetInput(name, inputs.at(name));
    session_->Run();
    std::vector<RoundedValue> values;
    const int count = static_cast<int>(products_.size());
    for (int i = 0; i < count; ++i) values.push_back({session_->Output(i), session_->Output(count + i)});
    return values;
  }

 private:
  void Open() {
    BuildOptions options;
    options.context = here_;
    const auto package =
        Package::FromBytes(Build(WithRounded(typed_, products_, operands_), options).package, typed_.name);
    for (const InputSpec& spec : InputSpecs(*package)) inputs_.push_back(spec.name);
    session_ = std::make_unique<Session>(package, SessionOptions{.threads = here_.threads});
  }

  const relay::IRModule typed_;
  const std::vector<ExprPtr> products_;
  const Operands operands_;
  const BuildContext here_;
  std::unique_ptr<Session> session_;
  std::vector<std::string> inputs_;
};

}  // namespace

std::vector<NamedProduct> NamedProducts(const relay::IRModule& typed) {
  std::vector<NamedProduct> named;
  std::set<std::string> met;
  for (const ExprPtr& product : ProductsOf(typed)) {
    const Call& call = *relay::AsCall(product);
    if (met.insert(call.name).second) named.push_back({call.name, relay::AsOp(call.op)->def->name});
  }
  return named;
}

std::map<std::string, BFloat16Operands> BFloat16OperandsIn(const Plan& plan) {
  Operands operands;
  for (const PlanCall& call : plan.calls) {
    const std::string& text = Nth(plan.kernels, call.kernel).dispatch.workload;
    if (text.empty()) continue;
    const ElementTypes types = Workload::Parse(text).types;
    const BFloat16Operands own{types.data == DType::kBFloat16, types.weight == DType::kBFloat16};
    if (!own.data && !own.weight) continue;
    for (const std::string& node : call.nodes) operands[node] = own;
  }
  return operands;
}

std::vector<RoundedLayers> BFloat16Layers(const relay::IRModule& typed, const Operands& operands,
                                          const BuildContext& here) {
  std::vector<ExprPtr> taken;
  for (const ExprPtr& product : ProductsOf(typed)) {
    if (operands.count(relay::AsCall(product)->name) > 0) taken.push_back(product);
  }
  std::vector<RoundedLayers> groups;
  for (const std::vector<ExprPtr>& products : GroupsOf(taken)) {
    RoundedLayers group{typed, products, {}, {}};
    for (const ExprPtr& product : products) group.layers.push_back(relay::AsCall(product)->name);
    const auto runner = std::make_shared<ProductRunner>(typed, products, operands, here);
    group.run = [runner](const std::map<std::string, Tensor>& inputs) { return runner->Run(inputs); };
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace hone
