#include "compiler/frontend/quantise/float_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <onnx/onnx-ml.pb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <set>

#include "compiler/frontend/onnx/external_data.h"
#include "compiler/frontend/onnx/onnx_parse.h"
#include "compiler/frontend/onnx/tensor_proto.h"
#include "compiler/frontend/quantise/fold_normalisation.h"
#include "core/error.h"

namespace hone {
namespace {

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
