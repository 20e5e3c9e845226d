#include "compiler/frontend/quantise/float_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx-ml.pb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <set>

#include "compiler/frontend/onnx/file/external_data.h"
#include "compiler/frontend/onnx/file/onnx_parse.h"
#include "compiler/frontend/onnx/file/tensor_proto.h"
#include "compiler/frontend/quantise/onnx_wiring.h"
#include "core/error.h"

namespace hone {
namespace {

// Folds batch normalisation into the convolution before it.

// y = factor * x + offset, per channel.
struct Affine {
  std::vector<double> factor, offset;
};

std::optional<Affine> AffineOf(const onnx::NodeProto& node, const OnnxWiring& wiring) {
  std::vector<Tensor> params;
  for (int i = 1; i <= 4; ++i) {
    const onnx::TensorProto* weight = wiring.WeightOf(OnnxInputName(node, i));
    params.push_back(weight == nullptr ? Tensor() : FloatValues(*weight));
    if (!params.back().defined() || params.back().elements() != params[0].elements()) return {};
  }
  const double epsilon = NodeFloat(node, "epsilon", 1e-5);
  Affine affine;
  for (int64_t c = 0; c < params[0].elements(); ++c) {
    const double factor = params[0].At(c) / std::sqrt(params[3].At(c) + epsilon);
    if (!std::isfinite(factor)) return {};
    affine.factor.push_back(factor);
    affine.offset.push_back(params[1].At(c) - params[2].At(c) * factor);
  }
  return affine;
}

struct Folded {
  Tensor weight, bias;
};

std::optional<Folded> FoldedInto(const onnx::NodeProto& conv, const Affine& affine, const OnnxWiring& wiring) {
  const onnx::TensorProto* weight = wiring.WeightOf(OnnxInputName(conv, 1));
  const onnx::TensorProto* bias = wiring.WeightOf(OnnxInputName(conv, 2));
  const auto channels = static_cast<int64_t>(affine.factor.size());
  if (weight == nullptr || (bias == nullptr && !OnnxInputName(conv, 2).empty())) return {};
  Folded folded{FloatValues(*weight), bias == nullptr ? Tensor(DType::kFloat32, {channels}) : FloatValues(*bias)};
  if (!folded.weight.defined() || folded.weight.shape().empty() || folded.weight.shape()[0] != channels) return {};
  if (!folded.bias.defined() || folded.bias.elements() != channels) return {};
  const int64_t inner = folded.weight.elements() / channels;
  for (int64_t i = 0; i < folded.weight.elements(); ++i) {
    folded.weight.Set(i, folded.weight.At(i) * affine.factor[static_cast<size_t>(i / inner)]);
  }
  for (int64_t c = 0; c < channels; ++c) {
    const auto at = static_cast<size_t>(c);
    folded.bias.Set(c, folded.bias.At(c) * affine.factor[at] + affine.offset[at]);
  }
  return folded;
}

bool IsInference(const onnx::NodeProto& node) {
  return NodeInt(node, "training_mode", 0) == 0 && (node.output_size() == 1 || node.output(1).empty());
}

struct Found {
  std::string conv, made;  // names of the node and of its new output
  Folded folded;
};

std::vector<Found> FindAll(const onnx::GraphProto& graph, std::set<std::string>& gone) {
  const OnnxWiring wiring(graph);
  std::vector<Found> all;
  for (const auto& node : graph.node()) {
    if (node.op_type() != "BatchNormalization" || !node.domain().empty() || !IsInference(node)) continue;
    const std::string x = OnnxInputName(node, 0);
    const onnx::NodeProto* conv = wiring.MakerOf(x);
    if (conv == nullptr || conv->op_type() != "Conv" || wiring.ReadersOf(x).size() != 1 || wiring.IsKept(x)) continue;
    const auto affine = AffineOf(node, wiring);
    auto folded = affine ? FoldedInto(*conv, *affine, wiring) : std::nullopt;
    if (!folded) continue;
    all.push_back({conv->name(), node.output(0), std::move(*folded)});
    gone.insert(node.name());
  }
  return all;
}

// Folds a BatchNormalization with constant parameters that is the only reader of a Conv with constant weights. The
// weights take the factors, the bias the rest, and the convolution makes the normalisation's value. A normalisation in
// training mode, or of other types than float32, stays.
void FoldNormalisation(onnx::GraphProto& graph) {
  std::set<std::string> gone;
  std::map<std::string, Found> by_conv;
  for (Found& found : FindAll(graph, gone)) by_conv.emplace(found.conv, std::move(found));
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (gone.count(node.name()) > 0) continue;
    onnx::NodeProto& conv = *kept.Add();
    conv.Swap(&node);
    const auto found = by_conv.find(conv.name());
    if (found == by_conv.end()) continue;
    const std::string made = found->second.made;
    AddWeight(graph, made + "_folded_weight", found->second.folded.weight);
    AddWeight(graph, made + "_folded_bias", found->second.folded.bias);
    const std::string x = conv.input(0);
    conv.clear_input();
    for (const std::string& input : {x, made + "_folded_weight", made + "_folded_bias"}) conv.add_input(input);
    conv.set_output(0, made);
  }
  graph.mutable_node()->Swap(&kept);
}

constexpr int64_t kScalesPerChannel = 13;  // opset that introduced them

[[noreturn]] void RefuseFloatModel(const std::string& name, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("{}: {}", name, why));
}

int64_t OpsetOf(const onnx::ModelProto& model, const std::string& name) {
  for (const auto& import : model.opset_import()) {
    if (import.domain().empty() || import.domain() == "ai.onnx") return import.version();
  }
  RefuseFloatModel(name, "not an ONNX model, or a damaged one: it names no opset");
}

void Check(const onnx::ModelProto& model, const std::string& name, QuantisedFor reader) {
  if (!model.has_graph()) RefuseFloatModel(name, "not an ONNX model, or a damaged one: it has no graph");
  const int64_t opset = OpsetOf(model, name);
  if (reader == QuantisedFor::kFile && opset < kScalesPerChannel) {
    RefuseFloatModel(name,
                     fmt::format("the model uses opset {0}, and scales per channel begin with {1}; convert it with "
                                 "onnx.version_converter.convert_version(model, {1})",
                                 opset, kScalesPerChannel));
  }
  for (const auto& node : model.graph().node()) {
    const std::string& op = node.op_type();
    if (op == "QuantizeLinear" || op == "DequantizeLinear" || op.rfind("QLinear", 0) == 0 || op == "ConvInteger" ||
        op == "MatMulInteger") {
      RefuseFloatModel(name, fmt::format("the model is quantised already: node \"{}\" is a {}; right is a float model",
                                         node.name(), op));
    }
  }
}

void ReadExternal(onnx::ModelProto& model, const std::string& name, const ExternalData* external) {
  int64_t bytes = 0;
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL) continue;
    const std::string own = tensor.name(), what = fmt::format("{}: initializer \"{}\"", name, own);
    const int type = tensor.data_type();
    std::vector<std::string> notices;
    const Tensor value = TakeTensor(tensor, what, external, notices);
    if (!notices.empty()) RefuseFloatModel(name, notices[0] + ", and are not quantised; right is a model of float32");
    bytes += value.size_bytes();
    if (bytes > std::numeric_limits<int32_t>::max() - (1 << 24)) {
      RefuseFloatModel(name, "the weights do not fit in one ONNX file (2 GiB)");
    }
    tensor.set_name(own);
    tensor.set_data_type(type);
    for (const int64_t dim : value.shape()) tensor.add_dims(dim);
    tensor.set_raw_data(value.raw(), static_cast<size_t>(value.size_bytes()));
  }
}

void NameNodes(onnx::GraphProto& graph) {
  std::set<std::string> taken;
  for (const auto& node : graph.node()) taken.insert(node.name());
  std::set<std::string> seen;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    if (!node.name().empty() && seen.insert(node.name()).second) continue;
    std::string name = node.output_size() > 0 ? node.output(0) : node.op_type();
    while (!taken.insert(name).second) name += "_";
    node.set_name(name);
    seen.insert(name);
  }
}

// Turns Constant nodes of one tensor into initializers, so that all weights have the same form.
void MoveConstants(onnx::GraphProto& graph) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    const bool moves = node.op_type() == "Constant" && node.domain().empty() && node.attribute_size() == 1 &&
                       node.attribute(0).name() == "value" && node.attribute(0).has_t() && node.output_size() == 1;
    if (!moves) {
      kept.Add()->Swap(&node);
      continue;
    }
    onnx::TensorProto& moved = *graph.add_initializer();
    moved.Swap(node.mutable_attribute(0)->mutable_t());
    moved.set_name(node.output(0));
  }
  graph.mutable_node()->Swap(&kept);
}

// An initializer that is also an input could be given another value, which a quantised weight may not.
void DropWeightInputs(onnx::GraphProto& graph) {
  std::set<std::string> weights;
  for (const auto& initializer : graph.initializer()) weights.insert(initializer.name());
  google::protobuf::RepeatedPtrField<onnx::ValueInfoProto> kept;
  for (onnx::ValueInfoProto& input : *graph.mutable_input()) {
    if (weights.count(input.name()) == 0) kept.Add()->Swap(&input);
  }
  graph.mutable_input()->Swap(&kept);
}

std::shared_ptr<const onnx::ModelProto> Prepared(onnx::ModelProto model, const std::string& name, QuantisedFor reader,
                                                 const ExternalData* external) {
  Check(model, name, reader);
  ReadExternal(model, name, external);
  onnx::GraphProto& graph = *model.mutable_graph();
  NameNodes(graph);
  MoveConstants(graph);
  DropWeightInputs(graph);
  FoldNormalisation(graph);
  return std::make_shared<const onnx::ModelProto>(std::move(model));
}

void SetOutputs(onnx::ModelProto& model, const std::vector<std::string>& values) {
  model.mutable_graph()->clear_output();
  for (const std::string& value : values) model.mutable_graph()->add_output()->set_name(value);
}

}  // namespace

FloatModel FloatModel::Read(const std::string& path, QuantisedFor reader) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info{};
  if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    const ExitCode code = fd < 0 && errno == EACCES ? ExitCode::kNotAuthorised : ExitCode::kNoInput;
    const std::string why = fd < 0 ? std::strerror(errno) : "not a file";
    if (fd >= 0) close(fd);
    throw Error(code, fmt::format("cannot read \"{}\": {}", path, why));
  }
  onnx::ModelProto model;
  google::protobuf::io::FileInputStream file(fd, 1 << 20);
  file.SetCloseOnDelete(true);
  if (!model.ParseFromZeroCopyStream(&file)) RefuseFloatModel(path, kNotOnnx);
  const ExternalData external(path);
  FloatModel prepared(Prepared(std::move(model), path, reader, &external));
  prepared.external_files_ = external.opened();
  return prepared;
}

FloatModel FloatModel::FromBytes(std::string_view bytes, const std::string& name, QuantisedFor reader) {
  onnx::ModelProto model;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    RefuseFloatModel(name, kNotOnnx);
  }
  return FloatModel(Prepared(std::move(model), name, reader, nullptr));
}

const onnx::GraphProto& FloatModel::graph() const { return proto_->graph(); }

std::vector<std::string> FloatModel::outputs() const {
  std::vector<std::string> names;
  for (const auto& output : graph().output()) names.push_back(output.name());
  return names;
}

std::string FloatModel::WithOutputs(const std::vector<std::string>& values) const {
  onnx::ModelProto model = *proto_;
  SetOutputs(model, values);
  return model.SerializeAsString();
}

std::string OnnxWithOutputs(std::string_view bytes, const std::vector<std::string>& values) {
  onnx::ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw Error(ExitCode::kBadData, kNotOnnx);
  }
  SetOutputs(model, values);
  return model.SerializeAsString();
}

}  // namespace hone
