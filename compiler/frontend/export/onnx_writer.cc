#include "compiler/frontend/export/onnx_writer.h"

#include <fmt/format.h>
#include <onnx/onnx-ml.pb.h>

#include <limits>

#include "compiler/relay/visitor.h"
#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kOpset = 13;
constexpr int64_t kIrVersion = 7;

int32_t OnnxType(DType dtype) {
  using T = onnx::TensorProto;
  constexpr int32_t kTypes[] = {T::FLOAT, T::DOUBLE, T::INT32, T::INT64, T::INT8, T::UINT8, T::BOOL};
  return kTypes[static_cast<int>(dtype)];
}

void Describe(onnx::ValueInfoProto& info, const std::string& name, const relay::Type& type) {
  info.set_name(name);
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(OnnxType(type.dtype));
  auto& shape = *tensor.mutable_shape();
  for (const int64_t dim : type.shape) {
    auto& added = *shape.add_dim();
    if (dim != relay::kAnyDim) added.set_dim_value(dim);
  }
}

void Set(onnx::AttributeProto& proto, const OnnxExportAttribute& value) {
  using A = onnx::AttributeProto;
  if (const auto* i = std::get_if<int64_t>(&value)) {
    proto.set_type(A::INT);
    proto.set_i(*i);
  } else if (const auto* f = std::get_if<double>(&value)) {
    proto.set_type(A::FLOAT);
    proto.set_f(static_cast<float>(*f));
  } else if (const auto* s = std::get_if<std::string>(&value)) {
    proto.set_type(A::STRING);
    proto.set_s(*s);
  } else {
    proto.set_type(A::INTS);
    for (const int64_t each : std::get<std::vector<int64_t>>(value)) proto.add_ints(each);
  }
}

}  // namespace

struct OnnxWriter::Model {
  onnx::ModelProto proto;
  int64_t bytes = 0;
};

OnnxWriter::OnnxWriter(const relay::IRModule& module) : module_(module), model_(std::make_unique<Model>()) {
  onnx::ModelProto& proto = model_->proto;
  proto.set_ir_version(kIrVersion);
  proto.set_producer_name("hone");
  proto.mutable_graph()->set_name(module.name.empty() ? "main" : module.name);
  auto& opset = *proto.add_opset_import();
  opset.set_domain("");
  opset.set_version(kOpset);
  uses_ = relay::CountUses(module.main->body);
  relay::PostOrderVisit(module.main->body, [this](const relay::ExprPtr& expr) {
    if (const relay::Call* bias = relay::AsCallTo(expr, "nn.bias_add")) biased_.insert(bias->args[0].get());
  });
}

OnnxWriter::~OnnxWriter() = default;

std::string OnnxWriter::NewName(const std::string& hint) {
  const int count = taken_[hint]++;
  return count == 0 ? hint : NewName(fmt::format("{}_{}", hint, count));
}

void OnnxWriter::AddParam(const relay::Var& param) {
  const std::string name = NewName(param.name);
  SetName(&param, name);
  for (const auto& [bound, value] : module_.params) {
    if (bound == param.name) return AddInitializer(name, value);
  }
  Describe(*model_->proto.mutable_graph()->add_input(), name, *param.type);
}

void OnnxWriter::AddInitializer(const std::string& name, const Tensor& value) {
  model_->bytes += value.size_bytes();
  // A protobuf message holds less than 2 GiB.
  if (model_->bytes > std::numeric_limits<int32_t>::max() - (1 << 24)) {
    throw Error(ExitCode::kBadData, "the weights do not fit in one ONNX file (2 GiB)");
  }
  auto& tensor = *model_->proto.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(OnnxType(value.dtype()));
  for (const int64_t dim : value.shape()) tensor.add_dims(dim);
  tensor.set_raw_data(value.raw(), static_cast<size_t>(value.size_bytes()));
}

void OnnxWriter::AddNode(const std::string& op_type, const std::vector<std::string>& inputs, const std::string& output,
                         const OnnxExportAttributes& attributes) {
  AddNode(op_type, inputs, std::vector<std::string>{output}, attributes);
}

void OnnxWriter::AddNode(const std::string& op_type, const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs, const OnnxExportAttributes& attributes) {
  auto& node = *model_->proto.mutable_graph()->add_node();
  node.set_op_type(op_type);
  node.set_name(outputs.at(0));
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  for (const auto& [name, value] : attributes) {
    auto& attribute = *node.add_attribute();
    attribute.set_name(name);
    Set(attribute, value);
  }
}

void OnnxWriter::AddOutput(const std::string& name, const relay::Type& type) {
  if (type.kind != relay::TypeKind::kTensor) throw Error(ExitCode::kBadData, "an output that is no tensor");
  Describe(*model_->proto.mutable_graph()->add_output(), name, type);
}

const std::string& OnnxWriter::NameOf(const relay::ExprPtr& expr) const {
  const auto name = names_.find(expr.get());
  if (name == names_.end()) throw Error(ExitCode::kBug, "an expression was used before it was exported");
  return name->second;
}

std::string OnnxWriter::ResultName(const relay::Expr* expr, const std::string& hint) {
  const auto reserved = reserved_.find(expr);
  return reserved == reserved_.end() ? NewName(hint) : reserved->second;
}

bool OnnxWriter::TakenByBias(const relay::Expr* expr) const {
  const auto uses = uses_.find(expr);
  return uses != uses_.end() && uses->second == 1 && biased_.count(expr) == 1;
}

std::string OnnxWriter::Finish() {
  std::string bytes;
  if (!model_->proto.SerializeToString(&bytes)) {
    throw Error(ExitCode::kBadData, "the model does not fit in one ONNX file (2 GiB)");
  }
  return bytes;
}

}  // namespace hone
