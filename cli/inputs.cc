#include "cli/inputs.h"

#include <fmt/format.h>

#include "cli/npy.h"
#include "compiler/frontend/onnx_tensor.h"
#include "core/error.h"
#include "core/spelling.h"

namespace hone {
namespace {

std::pair<std::string, std::string> SplitNameFile(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
    throw Error(ExitCode::kUsage, fmt::format("--input is given \"{}\"; right is NAME=FILE.npy or NAME=FILE.pb", text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

const InputSpec& FindSpec(const std::vector<InputSpec>& specs, const std::string& name) {
  std::vector<std::string> names;
  for (const InputSpec& spec : specs) {
    if (spec.name == name) return spec;
    names.push_back(spec.name);
  }
  throw Error(ExitCode::kUsage, fmt::format("there is no input \"{}\", the model has {}{}", name,
                                            fmt::join(names, ", "), DidYouMean(name, names)));
}

Tensor ReadInput(const InputSpec& spec, const std::string& path) {
  Tensor tensor = ReadTensorFile(path);
  if (tensor.shape() != spec.shape || tensor.dtype() != spec.dtype) {
    throw Error(ExitCode::kUsage,
                fmt::format("{} holds {} {}; input \"{}\" is {} {}", path, ShapeText(tensor.shape()),
                            DTypeName(tensor.dtype()), spec.name, ShapeText(spec.shape), DTypeName(spec.dtype)));
  }
  return tensor;
}

}  // namespace

void AddInputOptions(CommandLine& line, InputOptions& options) {
  line.Add("--input", options.files, "NAME=FILE: an input from a .npy file or an ONNX tensor (.pb)")
      .About(Topic::kInputs);
  line.Add("--fill", options.fill, "the other inputs: zeros, ones, ramp (i/n), random (normal) or uniform")
      .ShowDefault()
      .About(Topic::kInputs);
}

std::vector<InputSpec> InputSpecs(const Plan& plan) {
  std::vector<InputSpec> specs;
  for (const int index : plan.inputs) {
    const PlanBuffer& buffer = plan.buffers.at(static_cast<size_t>(index));
    specs.push_back({buffer.name, buffer.dtype, buffer.shape});
  }
  return specs;
}

std::map<std::string, Tensor> MakeInputs(const std::vector<InputSpec>& specs, const InputOptions& options) {
  std::map<std::string, Tensor> inputs;
  for (const std::string& text : options.files) {
    const auto [name, path] = SplitNameFile(text);
    inputs[name] = ReadInput(FindSpec(specs, name), path);
  }
  const Fill fill = ParseFill(options.fill);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (inputs.count(specs[i].name) > 0) continue;
    Tensor tensor(specs[i].dtype, specs[i].shape);
    FillTensor(tensor, fill, options.seed + i);
    inputs[specs[i].name] = std::move(tensor);
  }
  return inputs;
}

Tensor ReadTensorFile(const std::string& path) {
  if (path.ends_with(".npy")) return ReadNpy(path);
  if (path.ends_with(".pb")) return ReadTensorProto(path);
  throw Error(ExitCode::kUsage, fmt::format("{} is neither a .npy nor a .pb file", path));
}

}  // namespace hone
