// Makes small ONNX models for tests.
#pragma once

#include <onnx/onnx-ml.pb.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hone {

using TestAttribute = std::variant<int64_t, double, std::string, std::vector<int64_t>>;

class ModelMaker {
 public:
  explicit ModelMaker(int64_t opset = 13, int64_t ir_version = 8);

  // A dim of -1 is dynamic; its symbol is dN for axis N.
  ModelMaker& Input(const std::string& name, const std::vector<int64_t>& dims);
  ModelMaker& Weight(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& values);
  // A weight whose elements are all equal.
  ModelMaker& Filled(const std::string& name, const std::vector<int64_t>& dims, float value);
  ModelMaker& Ints(const std::string& name, const std::vector<int64_t>& values);
  // An input of an integer type of 8 or 32 bits, given by ONNX's number for the type.
  ModelMaker& IntegerInput(const std::string& name, int onnx_type, const std::vector<int64_t>& dims);
  ModelMaker& Integers(const std::string& name, int onnx_type, const std::vector<int64_t>& dims,
                       const std::vector<int>& values);
  // The node has the name of its first output.
  ModelMaker& Node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs,
                   const std::vector<std::pair<std::string, TestAttribute>>& attributes = {});
  // Sets the domain of the last node.
  ModelMaker& Domain(const std::string& domain);
  ModelMaker& Output(const std::string& name);

  onnx::ModelProto& proto() { return proto_; }
  onnx::GraphProto& graph() { return *proto_.mutable_graph(); }
  std::string Bytes() const { return proto_.SerializeAsString(); }

 private:
  onnx::ModelProto proto_;
};

}  // namespace hone
