// An ONNX model as plain values: what onnx_parse makes and the converters read. No protobuf here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor.h"

namespace hone {

// The operator sets whose meaning is known.
inline constexpr int64_t kOldestOpset = 1;
inline constexpr int64_t kNewestOpset = 28;
inline constexpr int64_t kOldestIrVersion = 3;
// Of one graph, functions written out; a chain of as many takes about ten seconds to build.
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
  std::shared_ptr<const OnnxGraph> graph;  // null unless it is one; without an opset of its own
  std::string reference;                   // within a function: the call's attribute whose value it has; else ""
};

struct OnnxNode {
  std::string name;  // the model's own, or the first output's when it gave none
  std::string op_type;
  std::string domain;
  std::string overload;              // of a function's name; mostly ""
  int64_t opset = 0;                 // 0: the graph's; of a function's node the function's
  std::vector<std::string> inputs;   // "" for an optional one that is absent
  std::vector<std::string> outputs;  // likewise
  std::vector<std::pair<std::string, OnnxAttribute>> attributes;
};

struct OnnxDim {
  int64_t value = -1;  // -1: free
  std::string symbol;  // of a free dim; may be empty
};

struct OnnxInput {
  std::string name;
  DType dtype = DType::kFloat32;
  bool has_shape = false;
  std::vector<OnnxDim> dims;
};

struct OnnxGraph {
  int64_t opset = 0;
  std::vector<OnnxNode> nodes;
  std::vector<std::pair<std::string, Tensor>> initializers;
  std::vector<OnnxInput> inputs;  // those that are no initializers
  std::vector<std::string> outputs;
};

}  // namespace hone
