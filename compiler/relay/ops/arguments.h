// Checks that the type relations of the operators share. All throw Error(kBadData) saying what does not fit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/relay/attrs.h"
#include "compiler/relay/type.h"

namespace hone::relay {

[[noreturn]] void Misfit(const std::string& message);

// Argument `i` as a tensor of that rank; any rank when `rank` is negative. `what` is its name in messages.
const Type& TensorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int rank = -1);
// The same for one that must lie row-major in memory.
const Type& RowMajorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int rank = -1);

// Argument `i` as a vector of `dim` elements, row-major.
const Type& VectorArg(const std::vector<TypePtr>& args, size_t i, std::string_view what, int64_t dim);

// Equal, or one of them is kAnyDim.
bool DimsFit(int64_t a, int64_t b);

// An axis in [-rank, rank) as one in [0, rank).
int64_t NormalizedAxis(int64_t axis, size_t rank);
// The same for several, sorted; a repeated axis does not fit.
std::vector<int64_t> NormalizedAxes(const std::vector<int64_t>& axes, size_t rank);

// An attribute that must hold exactly `count` numbers, none below `least` and none so large that sums overflow.
std::vector<int64_t> CheckedInts(const Attrs& attrs, std::string_view name, size_t count, int64_t least,
                                 const std::vector<int64_t>& otherwise = {});

// Whether a layout's text names plain row-major order: empty, "NCHW", "OIHW", ...; not "NHWC", not "NCHW16c".
bool IsRowMajor(std::string_view layout);
// The same layout as a type carries it: empty when it is row-major.
std::string TypeLayout(std::string_view layout);

}  // namespace hone::relay
