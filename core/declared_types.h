// Element types of the arrays that a model may declare and no kernel computes with: kernels only cast and move them.
#pragma once

#include <array>

#include "core/tensor.h"

// The numbers continue those of DType and are permanent, too. An element of fewer than 8 bits has a byte of its own, of
// which it takes the low bits. The names are those of numpy and ml_dtypes.
namespace hone::declared {

inline constexpr DType kInt16{9}, kUInt16{10}, kUInt32{11}, kUInt64{12};
inline constexpr DType kFloat8E4M3FN{13}, kFloat8E4M3FNUZ{14}, kFloat8E5M2{15}, kFloat8E5M2FNUZ{16};
inline constexpr DType kFloat8E8M0FNU{17}, kFloat4E2M1FN{18};
inline constexpr DType kInt4{19}, kUInt4{20}, kInt2{21}, kUInt2{22};

inline constexpr std::array kAll{kInt16,          kUInt16,     kUInt32,         kUInt64,        kFloat8E4M3FN,
                                 kFloat8E4M3FNUZ, kFloat8E5M2, kFloat8E5M2FNUZ, kFloat8E8M0FNU, kFloat4E2M1FN,
                                 kInt4,           kUInt4,      kInt2,           kUInt2};

}  // namespace hone::declared
