#include "tests/onnx_cases/run_case.h"

#include <fmt/format.h>
#include <onnx/onnx-ml.pb.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/file/onnx_tensor.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "runtime/session.h"

namespace hone {
namespace {

using Verdict = CaseResult::Verdict;
using Inputs = std::map<std::string, Tensor>;

struct Tolerance {
  double relative = 1e-3, absolute = 1e-4;
};

Tolerance ToleranceOf(int onnx_type) {
  if (onnx_type == onnx::TensorProto::FLOAT16) return {2e-2, 2e-3};
  if (onnx_type == onnx::TensorProto::BFLOAT16) return {3e-2, 2e-2};
  return {};
}

// Inputs that are floats in some cases and constants in real models, by operator and position.
bool IsAlwaysStored(const std::string& op, int place) {
  static const std::map<std::string, std::set<int>> kStored = {{"Resize", {1, 2}}, {"Upsample", {1}},
                                                               {"OneHot", {1}},    {"Range", {0, 1, 2}},
                                                               {"Dropout", {1}},   {"MelWeightMatrix", {3, 4}}};
  const auto found = kStored.find(op);
  return found != kStored.end() && found->second.count(place) > 0;
}

bool AsksToKnow(const std::string& why) {
  const auto says = [&](const char* text) { return why.find(text) != std::string::npos; };
  return says("must be known") || says("computed by the model") || says("is not known");
}

onnx::TensorProto Proto(std::string_view bytes) {
  onnx::TensorProto proto;
  proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  return proto;
}

int64_t Elements(const onnx::TensorProto& proto) {
  int64_t count = 1;
  for (const int64_t dim : proto.dims()) count *= dim;
  return count;
}

bool IsCounting(int type) {
  using T = onnx::TensorProto;
  static const std::set<int> kIntegers = {T::INT8,   T::INT16,  T::INT32,  T::INT64, T::UINT8,
                                          T::UINT16, T::UINT32, T::UINT64, T::BOOL};
  return kIntegers.count(type) > 0;
}

std::set<std::string> AlwaysStored(const onnx::GraphProto& graph) {
  std::set<std::string> names;
  for (const auto& node : graph.node()) {
    for (int i = 0; i < node.input_size(); ++i) {
      if (IsAlwaysStored(node.op_type(), i)) names.insert(node.input(i));
    }
  }
  return names;
}

// Old models list stored tensors among their inputs.
std::vector<std::string> InputNames(const onnx::GraphProto& graph) {
  std::set<std::string> stored;
  for (const auto& tensor : graph.initializer()) stored.insert(tensor.name());
  std::vector<std::string> names;
  for (const auto& input : graph.input()) {
    if (stored.count(input.name()) == 0) names.push_back(input.name());
  }
  return names;
}

onnx::ModelProto Model(std::string_view bytes) {
  onnx::ModelProto model;
  model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  return model;
}

std::string WithConstants(std::string_view bytes, const OnnxCase::DataSet& data) {
  onnx::ModelProto model = Model(bytes);
  const std::set<std::string> stored = AlwaysStored(model.graph());
  const std::vector<std::string> names = InputNames(model.graph());
  for (size_t i = 0; i < data.inputs.size(); ++i) {
    onnx::TensorProto value = Proto(data.inputs[i]);
    if (data.inputs[i].empty() || data.places[i].element >= 0 || Elements(value) > 16) continue;
    const std::string& name = names.at(data.places[i].input);
    if (!IsCounting(value.data_type()) && stored.count(name) == 0) continue;
    value.set_name(name);
    *model.mutable_graph()->add_initializer() = value;
  }
  return model.SerializeAsString();
}

Inputs InputsOf(const OnnxCase& one, const OnnxCase::DataSet& data) {
  const std::vector<std::string> names = InputNames(Model(one.model).graph());
  Inputs inputs;
  for (size_t i = 0; i < data.inputs.size(); ++i) {
    const auto [input, element] = data.places[i];
    if (data.inputs[i].empty()) continue;
    const std::string name = element < 0 ? names.at(input) : fmt::format("{}.{}", names.at(input), element);
    inputs.emplace(name, ParseTensorProto(data.inputs[i], name));
  }
  return inputs;
}

// The shapes of inputs that the model leaves open: free dimensions, the elements of sequences, optional values.
std::map<std::string, Shape> ShapesOf(std::string_view bytes, const Inputs& inputs) {
  const onnx::ModelProto model = Model(bytes);
  const std::vector<std::string> names = InputNames(model.graph());
  std::map<std::string, Shape> shapes;
  for (const auto& input : model.graph().input()) {
    if (std::find(names.begin(), names.end(), input.name()) == names.end()) continue;
    const auto& dims = input.type().tensor_type().shape().dim();
    const auto is_known = [](const auto& dim) { return dim.has_dim_value(); };
    if (input.type().has_tensor_type() && std::all_of(dims.begin(), dims.end(), is_known)) continue;
    for (const auto& [name, value] : inputs) {
      if (name == input.name() || name.starts_with(input.name() + ".")) shapes.emplace(name, value.shape());
    }
  }
  return shapes;
}

std::shared_ptr<const Package> Built(std::string_view model, const std::string& name, const Inputs& inputs) {
  const OnnxImportOptions import{.shapes = ShapesOf(model, inputs)};
  const relay::IRModule module = relay::InferType(ImportOnnxBytes(model, name, import).module);
  BuildOptions options;
  options.context.target = HostTarget();
  options.context.threads = 1;
  return Package::FromBytes(Build(module, options).package, name);
}

std::vector<Tensor> Run(const std::shared_ptr<const Package>& package, const Inputs& inputs) {
  Session session(package, {.threads = 1});
  for (const auto& [name, value] : inputs) {
    const auto takes = [&](const auto& input) {
      return package->plan().buffers[static_cast<size_t>(input)].name == name;
    };
    const auto& names = package->plan().inputs;
    if (std::any_of(names.begin(), names.end(), takes)) session.SetInput(name, value);
  }
  session.Run();
  std::vector<Tensor> outputs;
  for (int i = 0; i < session.outputs(); ++i) outputs.push_back(session.Output(i));
  return outputs;
}

bool Near(double got, double wanted, const Tolerance& tolerance) {
  if (std::isnan(wanted) || std::isinf(wanted)) return std::isnan(wanted) ? std::isnan(got) : got == wanted;
  return std::fabs(got - wanted) <= tolerance.absolute + tolerance.relative * std::fabs(wanted);
}

// Whether a case draws random numbers, of which only shapes can be compared.
bool IsDrawn(const std::string& name) {
  static const std::set<std::string> kDrawn = {"test_bernoulli",
                                               "test_bernoulli_double",
                                               "test_bernoulli_seed",
                                               "test_training_dropout",
                                               "test_training_dropout_default",
                                               "test_training_dropout_default_mask",
                                               "test_training_dropout_mask"};
  return kDrawn.count(name) > 0;
}

// Empty when the output is as expected.
std::string Difference(const Tensor& got, std::string_view expected, bool is_drawn) {
  const Tensor wanted = ParseTensorProto(expected, "expected");
  if (got.shape() != wanted.shape()) {
    return fmt::format("shape {}, expected {}", ShapeText(got.shape()), ShapeText(wanted.shape()));
  }
  if (is_drawn) return "";
  const Tolerance tolerance = ToleranceOf(Proto(expected).data_type());
  for (int64_t i = 0; i < got.elements(); ++i) {
    if (Near(got.At(i), wanted.At(i), tolerance)) continue;
    return fmt::format("element {} is {}, expected {}", i, got.At(i), wanted.At(i));
  }
  return "";
}

CaseResult Judged(const OnnxCase& one, const std::vector<Tensor>& outputs, const OnnxCase::DataSet& data,
                  Verdict right) {
  for (size_t i = 0; i < data.outputs.size(); ++i) {
    if (data.outputs[i].empty()) continue;
    const std::string why =
        i < outputs.size() ? Difference(outputs[i], data.outputs[i], IsDrawn(one.name)) : "it is not there";
    if (!why.empty()) return {Verdict::kWrong, fmt::format("output {}: {}", i, why)};
  }
  return {right, ""};
}

CaseResult RunOne(const OnnxCase& one, const OnnxCase::DataSet& data, std::string_view model, Verdict right) {
  try {
    const Inputs inputs = InputsOf(one, data);
    return Judged(one, Run(Built(model, one.name, inputs), inputs), data, right);
  } catch (const Error& error) {
    const bool refused = error.code() == ExitCode::kBadData || error.code() == ExitCode::kUsage;
    return {refused ? Verdict::kRefused : Verdict::kWrong, error.what()};
  } catch (const std::exception& error) {
    return {Verdict::kWrong, error.what()};
  }
}

CaseResult RunData(const OnnxCase& one, const OnnxCase::DataSet& data) {
  CaseResult result = RunOne(one, data, one.model, Verdict::kRight);
  if (result.verdict != Verdict::kRefused || !AsksToKnow(result.why)) return result;
  return RunOne(one, data, WithConstants(one.model, data), Verdict::kRightWithConstants);
}

}  // namespace

CaseResult RunCase(const OnnxCase& one) {
  if (one.data.empty()) {
    const CaseResult result = RunOne(one, {}, one.model, Verdict::kUnjudged);
    return result.verdict == Verdict::kUnjudged ? CaseResult{Verdict::kUnjudged, "no tensors"} : result;
  }
  CaseResult last;
  for (const OnnxCase::DataSet& data : one.data) {
    last = RunData(one, data);
    if (last.verdict >= Verdict::kRefused) return last;
  }
  return last;
}

}  // namespace hone
