// An ONNX model as plain values, which onnx_parse makes and the converters read. This header does not show protobuf.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace hone {

// The range of supported operator sets.
inline constexpr int64_t kOldestOpset = 1;
inline constexpr int64_t kNewestOpset = 28;
inline constexpr int64_t kOldestIrVersion = 3;
// Limit for one graph after inlining; a chain of that many nodes takes about ten seconds to build.
inline constexpr int kMaxNodes = 100'000;

struct OnnxGraph;

struct OnnxAttribute {
  enum class Kind : uint8_t { kFloat, kInt, kString, kTensor, kFloats, kInts, kStrings, kGraph, kOther };
  Kind kind = Kind::kOther;
  double f = 0;
  int64_t i = 0;
  std::string s;
  Tensor tensor;
  std::vector<double> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  int64_t element_type = 0;                // ONNX's number for the tensor's type
  std::shared_ptr<const OnnxGraph> graph;  // null for other kinds; has no opset of its own
  std::string reference;                   // within a function: the call's attribute that gives the value; else ""
};

struct OnnxNode {
  std::string name;  // the model's name for it, or the first output's if it has none
  std::string op_type;
  std::string domain;
  std::string overload;              // for a function's name; mostly ""
  int64_t opset = 0;                 // 0: the graph's; the function's for a node of a function
  std::vector<std::string> inputs;   // "" for an omitted optional input
  std::vector<std::string> outputs;  // "" for an omitted optional output
  std::vector<std::pair<std::string, OnnxAttribute>> attributes;
};

struct OnnxDim {
  int64_t value = -1;  // -1: free
  std::string symbol;  // of a free dimension; may be empty
};

struct OnnxInput {
  std::string name;
  DType dtype = DType::kFloat32;
  bool has_shape = false;
  bool is_sequence = false;  // of tensors of this type
  bool is_optional = false;  // it may hold nothing
  std::vector<OnnxDim> dims;
};

struct OnnxGraph {
  int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::vector<std::pair<std::string, Tensor>> initializers;
  std::vector<OnnxInput> inputs;                 // inputs that are not initializers
  std::map<std::string, int64_t> element_types;  // ONNX's numbers of all declared types, by value
  std::vector<std::string> outputs;
  std::map<std::string, std::vector<OnnxDim>> declared_shapes;  // of outputs and values between, as far as declared
};

}  // namespace hone
