// ONNX's integers that no tensor of hone has. They are stored in a wider type and wrapped after arithmetic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/frontend/onnx/onnx_graph.h"
#include "compiler/relay/expr.h"
#include "core/tensor.h"

namespace hone {

class OnnxNodeView;

// One row per type. uint64 is stored as int64 and holds only numbers below 2^63.
struct NarrowInteger {
  int64_t onnx_type;      // its number in TensorProto.DataType
  std::string_view name;  // as numpy and ONNX spell it
  int bits;
  bool is_signed;
  DType stored;

  double low() const;
  double high() const;
};

// Null for every other type.
const NarrowInteger* FindNarrowInteger(int64_t onnx_type);

// The numbers modulo 2^bits, in the type's range. `stored` has the type's stored dtype, or int32 for one of fewer bits.
relay::ExprPtr Wrapped(const OnnxNodeView& view, const relay::ExprPtr& stored, const NarrowInteger& type);

// The expression as numbers of the type: truncated towards zero and wrapped.
relay::ExprPtr AsNarrow(const OnnxNodeView& view, const relay::ExprPtr& expr, const NarrowInteger& type);

// The types of a node's inputs; null for one whose dtype says it.
using NarrowTypes = std::vector<const NarrowInteger*>;

// The type of an input or initializer of the graph; null if it is not narrow.
const NarrowInteger* DeclaredNarrow(const OnnxGraph& graph, const std::string& name);
// The type that a node's result has in ONNX if it is narrow: the type that is asked for, or else its first input's. It
// holds only for a result of the type's stored dtype.
const NarrowInteger* ResultNarrow(const OnnxNode& node, const NarrowTypes& inputs, size_t index);
// Whether an operator's result has to be wrapped, because arithmetic may leave its type's range.
bool LeavesRange(std::string_view op_type);

}  // namespace hone
