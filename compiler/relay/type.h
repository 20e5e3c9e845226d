// Relay's types.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace hone::relay {

// A dimension that is not known until run time, in a TensorType's shape. Printed "?".
inline constexpr int64_t kAnyDim = -1;

enum class TypeKind : uint8_t { kTensor, kTuple, kFunc };

struct Type;
using TypePtr = std::shared_ptr<const Type>;

// Immutable. One struct with a kind; which members hold depends on it.
struct Type {
  TypeKind kind = TypeKind::kTensor;
  // kTensor. `layout` is empty until ChooseLayouts, and then names how the logical shape lies in memory when that is
  // not row-major: "NCHW16c". The shape stays the logical one.
  Shape shape;
  DType dtype = DType::kFloat32;
  std::string layout;
  // kTuple
  std::vector<TypePtr> fields;
  // kFunc
  std::vector<TypePtr> params;
  TypePtr result;
};

TypePtr TensorType(Shape shape, DType dtype = DType::kFloat32, std::string layout = "");
TypePtr TupleType(std::vector<TypePtr> fields);
TypePtr FuncType(std::vector<TypePtr> params, TypePtr result);
// What our kernels compute with as with real numbers: float32. Passes and type relations ask here.
bool IsKernelFloat(DType dtype);
// A tensor of such elements; and one of rank 4, dims known or not.
bool IsFloatTensor(const TypePtr& type);
bool IsFloatImage(const TypePtr& type);
// Of float32, of bfloat16 that values are stored as, or of the bytes and sums of bytes that quantised networks have
// between their layers.
bool IsImageOfNumbers(const TypePtr& type);
bool Equal(const TypePtr& a, const TypePtr& b);
// Relay's text: "Tensor[(1, 64, 56, 56), float32]", "(Tensor[...], Tensor[...])", "fn (Tensor[...]) -> Tensor[...]"; a
// scalar is "float32". A layout is a third item: "Tensor[(1, 64, 56, 56), float32, NCHW16c]".
std::string ToText(const TypePtr& type);

}  // namespace hone::relay
