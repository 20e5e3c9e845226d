// ONNX's element types that kernels do not compute with. Their numbers are stored in a wider type. Integers are wrapped
// after arithmetic, and a cast rounds floats.
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

// One row per type. uint64 is stored as int64 of the same bits.
struct NarrowType {
  enum class Kind : uint8_t { kUnsigned, kSigned, kReal };

  int64_t onnx_type;      // its number in TensorProto.DataType
  std::string_view name;  // as numpy and ONNX spell it
  int bits;
  Kind kind;
  DType declared;  // of the arrays at a model's inputs and outputs
  DType stored;    // of the values inside

  bool is_real() const { return kind == Kind::kReal; }
  // Whether it has fewer bits than float16, so that casts to it round as their attributes say.
  bool is_byte_float() const { return is_real() && bits <= 8; }
  bool is_uint64() const { return kind == Kind::kUnsigned && bits == 64; }
  // The ends of an integer type's range.
  double low() const;
  double high() const;
};

// Null for every other type.
const NarrowType* FindNarrowType(int64_t onnx_type);

// The numbers modulo 2^bits, in the integer type's range. `stored` has the type's stored dtype, or int32 for one of
// fewer bits.
relay::ExprPtr Wrapped(const OnnxNodeView& view, const relay::ExprPtr& stored, const NarrowType& type);

// The rounding of a cast to a float of 8 bits.
struct NarrowCast {
  bool saturates = true;
  std::string rounding = "nearest";
};
// The expression as numbers of the type. Integers are truncated towards zero and wrapped, and floats are the nearest.
relay::ExprPtr AsNarrow(const OnnxNodeView& view, const relay::ExprPtr& expr, const NarrowType& type,
                        const NarrowCast& by = {});

// A declared array's elements as values of its stored dtype, and back. Any bits are an element of the type.
relay::ExprPtr FromDeclared(const OnnxNodeView& view, const relay::ExprPtr& array, const NarrowType& type);
relay::ExprPtr ToDeclared(const OnnxNodeView& view, const relay::ExprPtr& stored, const NarrowType& type);

// Whether an operator compares its inputs' elements. For uint64 they are given in int64's order.
bool ComparesElements(std::string_view op_type);
// Numbers of uint64, stored as int64, as int64s of the same order; and back.
relay::ExprPtr InOtherOrder(const OnnxNodeView& view, const relay::ExprPtr& stored);

// The types of a node's inputs; null for one whose dtype says it.
using NarrowTypes = std::vector<const NarrowType*>;

// The type of an input, initializer or output of the graph; null if it is not narrow.
const NarrowType* DeclaredNarrow(const OnnxGraph& graph, const std::string& name);
// The type that a node's result has in ONNX if it is narrow: the type that is asked for, or else its first input's. It
// holds only for a result of the type's stored dtype.
const NarrowType* ResultNarrow(const OnnxNode& node, const NarrowTypes& inputs, size_t index);
// Whether an operator's result has to be wrapped, because arithmetic may leave its type's range.
bool LeavesRange(std::string_view op_type);

}  // namespace hone
