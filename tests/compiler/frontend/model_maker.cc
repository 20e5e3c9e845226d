#include "tests/compiler/frontend/model_maker.h"

namespace hone {

ModelMaker::ModelMaker(int64_t opset, int64_t ir_version) {
  proto_.set_ir_version(ir_version);
  proto_.add_opset_import()->set_version(opset);
  graph().set_name("test");
}

ModelMaker& ModelMaker::Input(const std::string& name, const std::vector<int64_t>& dims) {
  auto& input = *graph().add_input();
  input.set_name(name);
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(onnx::TensorProto::FLOAT);
  type.mutable_shape();
  for (size_t i = 0; i < dims.size(); ++i) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (dims[i] >= 0) {
      dim.set_dim_value(dims[i]);
    } else {
      dim.set_dim_param("d" + std::to_string(i));
    }
  }
  return *this;
}

ModelMaker& ModelMaker::Weight(const std::string& name, const std::vector<int64_t>& dims,
                               const std::vector<float>& values) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return *this;
}

ModelMaker& ModelMaker::Filled(const std::string& name, const std::vector<int64_t>& dims, float value) {
  size_t count = 1;
  for (const int64_t dim : dims) count *= static_cast<size_t>(dim);
  return Weight(name, dims, std::vector<float>(count, value));
}

ModelMaker& ModelMaker::Ints(const std::string& name, const std::vector<int64_t>& values) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<int64_t>(values.size()));
  for (const int64_t value : values) tensor.add_int64_data(value);
  return *this;
}

ModelMaker& ModelMaker::IntegerInput(const std::string& name, int onnx_type, const std::vector<int64_t>& dims) {
  Input(name, dims);
  graph().mutable_input(graph().input_size() - 1)->mutable_type()->mutable_tensor_type()->set_elem_type(onnx_type);
  return *this;
}

ModelMaker& ModelMaker::Integers(const std::string& name, int onnx_type, const std::vector<int64_t>& dims,
                                 const std::vector<int>& values) {
  auto& tensor = *graph().add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx_type);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  for (const int value : values) tensor.add_int32_data(value);
  return *this;
}

ModelMaker& ModelMaker::Domain(const std::string& domain) {
  graph().mutable_node(graph().node_size() - 1)->set_domain(domain);
  return *this;
}

ModelMaker& ModelMaker::Node(const std::string& op, const std::vector<std::string>& inputs,
                             const std::vector<std::string>& outputs,
                             const std::vector<std::pair<std::string, TestAttribute>>& attributes) {
  using A = onnx::AttributeProto;
  auto& node = *graph().add_node();
  node.set_op_type(op);
  node.set_name(outputs[0]);
  for (const std::string& input : inputs) node.add_input(input);
  for (const std::string& output : outputs) node.add_output(output);
  for (const auto& [name, value] : attributes) {
    A& attribute = *node.add_attribute();
    attribute.set_name(name);
    if (const auto* i = std::get_if<int64_t>(&value)) {
      attribute.set_type(A::INT);
      attribute.set_i(*i);
    } else if (const auto* f = std::get_if<double>(&value)) {
      attribute.set_type(A::FLOAT);
      attribute.set_f(static_cast<float>(*f));
    } else if (const auto* s = std::get_if<std::string>(&value)) {
      attribute.set_type(A::STRING);
      attribute.set_s(*s);
    } else {
      attribute.set_type(A::INTS);
      for (const int64_t each : std::get<std::vector<int64_t>>(value)) attribute.add_ints(each);
    }
  }
  return *this;
}

ModelMaker& ModelMaker::Output(const std::string& name) {
  graph().add_output()->set_name(name);
  return *this;
}

}  // namespace hone
