// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// Reads C order and little endian only. Types that only ml_dtypes has are records in such a file: those of two bytes
// are read as bfloat16, those of one byte as uint8. Throws Error: kNoInput if there is no such file; kBadData, saying
// what is wrong with it.
Tensor ReadNpy(const std::string& path);
// Parses the bytes of such a file; `name` is for messages.
Tensor ParseNpy(std::string_view bytes, const std::string& name);

// The header, which stands before the data.
struct NpyHead {
  DType dtype = DType::kFloat32;
  Shape shape;
  size_t data_offset = 0;
};
inline constexpr size_t kMostNpyHeadBytes = 12 + (size_t{1} << 16);

// Reads the head of a file of `file_bytes` bytes from its first kMostNpyHeadBytes, or from all of a shorter one. Throws
// as ParseNpy does, also if the size of the data differs from the header's. So a tensor of that shape is no larger than
// the file.
NpyHead ParseNpyHead(std::string_view begin, uint64_t file_bytes, const std::string& name);

// The tensor as a file of version 1.0.
std::string NpyBytes(const Tensor& tensor);
// Throws Error(kCannotCreate). Leaves no partly written file.
void WriteNpy(const Tensor& tensor, const std::string& path);

}  // namespace hone
