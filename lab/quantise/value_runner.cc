#include "lab/quantise/value_runner.h"

#include <algorithm>

#include "compiler/build.h"
#include "compiler/frontend/quantise/float_model.h"
#include "compiler/relay/infer_type.h"

namespace hone {
namespace {

relay::IRModule Typed(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings) {
  return relay::InferType(ImportOnnxBytes(OnnxWithOutputs(model, values), settings.name, settings.import).module);
}

std::vector<InputSpec> ParamSpecs(const relay::IRModule& typed) {
  std::vector<InputSpec> specs;
  for (const auto& param : typed.main->params) specs.push_back({param->name, param->type->dtype, param->type->shape});
  return specs;
}

}  // namespace

ValueRunner::ValueRunner(const std::string& model, const std::vector<std::string>& values, const RunSettings& settings)
    : values_(values) {
  const relay::IRModule all = Typed(model, values, settings);
  specs_ = ParamSpecs(all);
  std::vector<std::string> computed;
  for (const std::string& value : values) {
    const bool given = std::any_of(specs_.begin(), specs_.end(), [&](const InputSpec& s) { return s.name == value; });
    at_.push_back(given ? -1 : static_cast<int>(computed.size()));
    if (!given) computed.push_back(value);
  }
  if (computed.empty()) return;
  BuildOptions options;
  options.context = settings.context;
  const relay::IRModule module = computed == values ? all : Typed(model, computed, settings);
  auto package = Package::FromBytes(Build(module, options).package, settings.name);
  specs_ = InputSpecs(*package);
  session_ = std::make_unique<Session>(std::move(package), SessionOptions{.threads = settings.context.threads});
}

std::vector<Tensor> ValueRunner::Run(const std::map<std::string, Tensor>& inputs) {
  if (session_ != nullptr) {
    for (const InputSpec& spec : specs_) session_->SetInput(spec.name, inputs.at(spec.name));
    session_->Run();
  }
  std::vector<Tensor> made;
  for (size_t i = 0; i < values_.size(); ++i) {
    made.push_back(at_[i] < 0 ? inputs.at(values_[i]) : session_->Output(at_[i]));
  }
  return made;
}

std::vector<std::vector<std::string>> GroupValues(const std::string& model, const std::vector<std::string>& values,
                                                  const RunSettings& settings, int64_t most_bytes) {
  const relay::IRModule typed = Typed(model, values, settings);
  const relay::TypePtr& type = typed.main->body->type;
  std::vector<std::vector<std::string>> groups;
  int64_t used = most_bytes;
  for (size_t i = 0; i < values.size(); ++i) {
    const relay::Type& own = values.size() == 1 ? *type : *type->fields.at(i);
    const int64_t bytes = ElementCount(own.shape) * DTypeBytes(own.dtype);
    if (used + bytes > most_bytes) {
      groups.emplace_back();
      used = 0;
    }
    groups.back().push_back(values[i]);
    used += bytes;
  }
  return groups;
}

}  // namespace hone
