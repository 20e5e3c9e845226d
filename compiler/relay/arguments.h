// Checks that the operators' type relations share. All throw Error(kBadData) naming the mismatch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "compiler/relay/type.h"

namespace hone::relay {

[[noreturn]] void Misfit(const std::string& message);

// Argument `i` as a tensor of that rank; any rank if `rank` is negative. `what` is its name in messages.
const Type& TensorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int rank = -1);
// TensorArg for an argument that must be row-major in memory.
const Type& RowMajorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int rank = -1);

// Argument `i` as a vector of `dim` elements, row-major.
const Type& VectorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int64_t dim);

// Whether they are equal, or one of them is kAnyDim.
bool DimsFit(int64_t a, int64_t b);

// Maps an axis in [-rank, rank) to [0, rank).
int64_t NormalizedAxis(int64_t axis, size_t rank);
// Maps several axes and sorts them; a repeated axis is an error.
std::vector<int64_t> NormalizedAxes(const std::vector<int64_t>& axes, size_t rank);

// An attribute that must hold exactly `count` integers, none below `least` and none so large that sums overflow.
std::vector<int64_t> CheckedInts(const Attrs& attrs, std::string_view name, size_t count, int64_t least,
                                 const std::vector<int64_t>& otherwise = {});

// Whether a layout's text names plain row-major order: empty, "NCHW", "OIHW", ...; not "NHWC", not "NCHW16c".
bool IsRowMajor(std::string_view layout);
// The layout as a type carries it: empty if it is row-major.
std::string TypeLayout(std::string_view layout);

// The blocked layout that the operands of a result of `shape` share, or empty. An operand of the result's full shape
// must have it; an operand that is broadcast may be row-major. Throws Error(kBadData).
std::string CommonLayout(const std::vector<const Type*>& operands, const Shape& shape);

// The shape and layout of operands that are broadcast with one another, as a tensor of `dtype`. Throws Error(kBadData).
TypePtr BroadcastOf(const std::vector<const Type*>& operands, DType dtype);

}  // namespace hone::relay
