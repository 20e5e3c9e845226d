// Relay's types.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/tensor.h"

namespace hone::relay {

// A dimension that is unknown until run time, in a TensorType's shape. Printed "?".
inline constexpr int64_t kAnyDim = -1;

enum class TypeKind : uint8_t { kTensor, kTuple, kFunc };

struct Type;
using TypePtr = std::shared_ptr<const Type>;

// Immutable. One struct for all kinds; the kind decides which members are valid.
struct Type {
  TypeKind kind = TypeKind::kTensor;
  // kTensor. `layout` is empty until ChooseLayouts. Then it names the memory layout of the logical shape, such as
  // "NCHW16c", if that is not row-major. The shape stays the logical one.
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
// The type that hone's kernels compute with as real numbers: float32. Passes and type relations ask here.
bool IsKernelFloat(DType dtype);
// Whether it is a tensor of such elements; and whether it is one of rank 4, with dims known or not.
bool IsFloatTensor(const TypePtr& type);
bool IsFloatImage(const TypePtr& type);
// Whether it is an image of float32, of bfloat16 (a type of stored values), or of a quantised network's bytes and sums
// of bytes.
bool IsImageOfNumbers(const TypePtr& type);
bool Equal(const TypePtr& a, const TypePtr& b);
// Relay's text: "Tensor[(1, 64, 56, 56), float32]", "(Tensor[...], Tensor[...])", "fn (Tensor[...]) -> Tensor[...]". A
// scalar is "float32". A layout is a third item: "Tensor[(1, 64, 56, 56), float32, NCHW16c]".
std::string ToText(const TypePtr& type);

}  // namespace hone::relay
