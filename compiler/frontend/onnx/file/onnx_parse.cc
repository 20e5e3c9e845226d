#include "compiler/frontend/onnx/file/onnx_parse.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <unordered_set>

#include "compiler/frontend/onnx/file/tensor_proto.h"
#include "compiler/frontend/onnx/model/inline_functions.h"
#include "core/error.h"

namespace hone {
namespace {

using Kind = OnnxAttribute::Kind;

[[noreturn]] void RefuseModel(const std::string& why) { throw Error(ExitCode::kBadData, why); }

OnnxAttribute::Kind KindOf(const onnx::AttributeProto& proto) {
  using A = onnx::AttributeProto;
  switch (proto.type()) {
    case A::FLOAT:
      return Kind::kFloat;
    case A::INT:
      return Kind::kInt;
    case A::STRING:
      return Kind::kString;
    case A::TENSOR:
      return Kind::kTensor;
    case A::FLOATS:
      return Kind::kFloats;
    case A::INTS:
      return Kind::kInts;
    case A::STRINGS:
      return Kind::kStrings;
    case A::GRAPH:
      return Kind::kGraph;
    default:
      return Kind::kOther;
  }
}

OnnxGraph ParseGraph(onnx::GraphProto& proto, const ExternalData* external, std::vector<std::string>& notices,
                     bool is_body);

OnnxAttribute ParseAttribute(onnx::AttributeProto& proto, const std::string& node, const ExternalData* external,
                             std::vector<std::string>& notices) {
  OnnxAttribute attribute;
  attribute.kind = KindOf(proto);
  attribute.f = proto.f();
  attribute.i = proto.i();
  attribute.s = proto.s();
  attribute.reference = proto.ref_attr_name();
  attribute.floats.assign(proto.floats().begin(), proto.floats().end());
  attribute.ints.assign(proto.ints().begin(), proto.ints().end());
  attribute.strings.assign(proto.strings().begin(), proto.strings().end());
  if (attribute.kind == OnnxAttribute::Kind::kTensor) {
    const std::string what = fmt::format("node \"{}\", attribute {}", node, proto.name());
    attribute.element_type = proto.t().data_type();
    attribute.tensor = TakeTensor(*proto.mutable_t(), what, external, notices);
  }
  if (attribute.kind == OnnxAttribute::Kind::kGraph) {
    attribute.graph = std::make_shared<const OnnxGraph>(ParseGraph(*proto.mutable_g(), external, notices, true));
  }
  return attribute;
}

// Fields that are newer than the library's version of the format; empty if absent.
template <typename Proto>
std::vector<std::string> LaterField(const Proto& proto, int number) {
  std::vector<std::string> values;
  const auto& fields = proto.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const auto& field = fields.field(i);
    const bool is_text = field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED;
    if (is_text && field.number() == number) values.push_back(field.length_delimited());
  }
  return values;
}

template <typename Proto>
std::string Overload(const Proto& proto, int number) {
  const std::vector<std::string> given = LaterField(proto, number);
  return given.empty() ? "" : given.back();
}

constexpr int kNodeOverload = 8, kFunctionOverload = 13, kFunctionDefaults = 11;

OnnxNode ParseNode(onnx::NodeProto& proto, int index, const ExternalData* external, std::vector<std::string>& notices) {
  OnnxNode node;
  node.op_type = proto.op_type();
  node.domain = proto.domain();
  node.overload = Overload(proto, kNodeOverload);
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  node.name = proto.name();
  if (node.name.empty() && !node.outputs.empty()) node.name = node.outputs[0];
  if (node.name.empty()) node.name = fmt::format("#{}", index);
  std::unordered_set<std::string> seen;
  for (auto& attribute : *proto.mutable_attribute()) {
    if (!seen.insert(attribute.name()).second) {
      RefuseModel(
          fmt::format("node \"{}\" ({}): the attribute {} is there twice", node.name, node.op_type, attribute.name()));
    }
    node.attributes.emplace_back(attribute.name(), ParseAttribute(attribute, node.name, external, notices));
  }
  return node;
}

// Some exporters write "?", "-1" or "None" for every unknown dimension. Such text does not name a shared dimension.
bool NamesADimension(const std::string& symbol) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0 || c >= 0x80; };
  return symbol != "None" && std::any_of(symbol.begin(), symbol.end(), letter);
}

std::vector<OnnxDim> DeclaredDims(const onnx::TensorShapeProto& shape, const std::string& what) {
  std::vector<OnnxDim> dims;
  for (const auto& dim : shape.dim()) {
    OnnxDim parsed;
    if (dim.has_dim_value() && dim.dim_value() < -1) {
      RefuseModel(fmt::format("{}: the dimension {} is negative", what, dim.dim_value()));
    }
    // Some exporters write -1 for an unknown dimension; -1 also stands for one here.
    if (dim.has_dim_value()) parsed.value = dim.dim_value();
    if (NamesADimension(dim.dim_param())) parsed.symbol = dim.dim_param();
    dims.push_back(parsed);
  }
  return dims;
}

// The type of the tensors that an input is made of; notes that it is a sequence or optional.
const onnx::TypeProto& TensorTypeIn(const onnx::TypeProto& type, OnnxInput& input) {
  const onnx::TypeProto* inner = &type;
  if (inner->has_optional_type()) {
    input.is_optional = true;
    inner = &inner->optional_type().elem_type();
  }
  if (inner->has_sequence_type()) {
    input.is_sequence = true;
    inner = &inner->sequence_type().elem_type();
  }
  if (inner->has_tensor_type()) return *inner;
  RefuseModel(fmt::format("input \"{}\": only tensors are supported, and sequences and optional values of tensors",
                          input.name));
}

OnnxInput ParseInput(const onnx::ValueInfoProto& proto) {
  OnnxInput input;
  input.name = proto.name();
  const std::string what = fmt::format("input \"{}\"", input.name);
  const auto& tensor = TensorTypeIn(proto.type(), input).tensor_type();
  const OnnxElementType type = ElementTypeOf(tensor.elem_type(), what);
  input.dtype = type.dtype;
  input.has_shape = tensor.has_shape();
  if (tensor.shape().dim_size() > kMaxOnnxRank) RefuseModel(fmt::format("{}: its rank is over {}", what, kMaxOnnxRank));
  input.dims = DeclaredDims(tensor.shape(), what);
  return input;
}

// The opset of ONNX's own domain among those of a model or a function; 0 if it names none.
template <typename Imports>
int64_t OwnOpset(const Imports& imports, const std::string& what) {
  for (const auto& import : imports) {
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (import.version() >= kOldestOpset && import.version() <= kNewestOpset) return import.version();
    RefuseModel(
        fmt::format("{} uses opset {}; hone reads {} to {}", what, import.version(), kOldestOpset, kNewestOpset));
  }
  return 0;
}

int64_t OpsetOf(const onnx::ModelProto& model) {
  if (const int64_t opset = OwnOpset(model.opset_import(), "the model"); opset > 0) return opset;
  // A model of only another domain's operators.
  if (model.opset_import_size() > 0) return kNewestOpset;
  RefuseModel("not an ONNX model, or a damaged one: it names no opset");
}

// Inputs of a node's own graph take their types from the node.
OnnxInput NamedInput(const std::string& name) {
  OnnxInput input;
  input.name = name;
  return input;
}

void ParseInitializers(onnx::GraphProto& proto, OnnxGraph& graph, const ExternalData* external,
                       std::vector<std::string>& notices, bool is_body) {
  std::unordered_set<std::string> names;
  for (auto& initializer : *proto.mutable_initializer()) {
    const std::string name = initializer.name();
    if (name.empty()) RefuseModel("an initializer has no name");
    if (!names.insert(name).second) RefuseModel(fmt::format("the initializer \"{}\" is there twice", name));
    graph.element_types[name] = initializer.data_type();
    graph.initializers.emplace_back(
        name, TakeTensor(initializer, fmt::format("initializer \"{}\"", name), external, notices));
  }
  if (proto.sparse_initializer_size() > 0) RefuseModel("sparse initializers are not supported");
  std::unordered_set<std::string> inputs;
  for (const auto& input : proto.input()) {
    if (input.name().empty()) RefuseModel("an input has no name");
    if (!inputs.insert(input.name()).second) RefuseModel(fmt::format("the input \"{}\" is there twice", input.name()));
    if (names.count(input.name()) > 0) continue;
    OnnxInput ignored;
    if (!is_body) graph.element_types[input.name()] = TensorTypeIn(input.type(), ignored).tensor_type().elem_type();
    graph.inputs.push_back(is_body ? NamedInput(input.name()) : ParseInput(input));
  }
}

// Keeps what the file says about the type of an output or a value between. Wrong dimensions of it count as unknown.
void Declare(const onnx::ValueInfoProto& proto, OnnxGraph& graph) {
  const auto& tensor = proto.type().tensor_type();
  graph.element_types.try_emplace(proto.name(), tensor.elem_type());
  if (!tensor.has_shape()) return;
  std::vector<OnnxDim>& dims = graph.declared_shapes[proto.name()];
  dims.clear();
  for (const auto& dim : tensor.shape().dim()) {
    dims.push_back({dim.has_dim_value() ? dim.dim_value() : -1, dim.dim_param()});
  }
}

// `is_body`: the graph is a node's, not the model's.
OnnxGraph ParseGraph(onnx::GraphProto& proto, const ExternalData* external, std::vector<std::string>& notices,
                     bool is_body) {
  OnnxGraph graph;
  if (proto.node_size() > kMaxNodes) RefuseModel(fmt::format("{} nodes, at most {}", proto.node_size(), kMaxNodes));
  ParseInitializers(proto, graph, external, notices, is_body);
  for (int i = 0; i < proto.node_size(); ++i) {
    graph.nodes.push_back(ParseNode(*proto.mutable_node(i), i, external, notices));
  }
  for (const auto& output : proto.output()) graph.outputs.push_back(output.name());
  if (is_body) return graph;
  for (const auto& output : proto.output()) Declare(output, graph);
  for (const auto& value : proto.value_info()) Declare(value, graph);
  return graph;
}

OnnxFunction ParseFunction(onnx::FunctionProto& proto, int64_t opset, const ExternalData* external,
                           std::vector<std::string>& notices) {
  OnnxFunction function;
  function.domain = proto.domain();
  function.name = proto.name();
  function.overload = Overload(proto, kFunctionOverload);
  const int64_t own = OwnOpset(proto.opset_import(), fmt::format("the function \"{}\"", proto.name()));
  function.opset = own > 0 ? own : opset;
  function.inputs.assign(proto.input().begin(), proto.input().end());
  function.outputs.assign(proto.output().begin(), proto.output().end());
  for (const std::string& bytes : LaterField(proto, kFunctionDefaults)) {
    onnx::AttributeProto value;
    if (!value.ParseFromString(bytes)) RefuseModel(kNotOnnx);
    function.defaults.emplace_back(value.name(), ParseAttribute(value, proto.name(), external, notices));
  }
  for (int i = 0; i < proto.node_size(); ++i) {
    function.nodes.push_back(ParseNode(*proto.mutable_node(i), i, external, notices));
  }
  return function;
}

void WriteOutFunctions(onnx::ModelProto& model, OnnxGraph& graph, const ExternalData* external,
                       std::vector<std::string>& notices) {
  std::vector<OnnxFunction> functions;
  for (onnx::FunctionProto& proto : *model.mutable_functions()) {
    functions.push_back(ParseFunction(proto, graph.opset, external, notices));
  }
  InlineFunctions(graph, functions);
}

OnnxGraph FromModel(onnx::ModelProto& model, const ExternalData* external, std::vector<std::string>& notices) {
  if (!model.has_graph()) RefuseModel("not an ONNX model, or a damaged one: it has no graph");
  if (model.ir_version() < kOldestIrVersion) {
    RefuseModel(
        fmt::format("the model's IR version is {}; hone reads {} and later", model.ir_version(), kOldestIrVersion));
  }
  const int64_t opset = OpsetOf(model);
  OnnxGraph graph = ParseGraph(*model.mutable_graph(), external, notices, false);
  graph.opset = opset;
  WriteOutFunctions(model, graph, external, notices);
  std::unordered_set<std::string> outputs;
  for (const std::string& output : graph.outputs) {
    if (!outputs.insert(output).second) RefuseModel(fmt::format("the output \"{}\" is there twice", output));
  }
  if (graph.outputs.empty()) RefuseModel("the model has no outputs");
  return graph;
}

}  // namespace

OnnxGraph ParseOnnx(std::string_view bytes, const ExternalData* external, std::vector<std::string>& notices) {
  onnx::ModelProto model;
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()) ||
      !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    RefuseModel(kNotOnnx);
  }
  return FromModel(model, external, notices);
}

OnnxGraph ParseOnnxFile(int fd, const ExternalData* external, std::vector<std::string>& notices) {
  onnx::ModelProto model;
  // Streamed, so that the file's bytes and the message are never in memory together.
  google::protobuf::io::FileInputStream file(fd, 1 << 20);
  if (!model.ParseFromZeroCopyStream(&file)) RefuseModel(kNotOnnx);
  return FromModel(model, external, notices);
}

}  // namespace hone
