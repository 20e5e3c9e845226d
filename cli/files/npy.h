// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// C order and little endian only. Throws Error: kNoInput when there is no such file, kBadData saying what is wrong with
// it.
Tensor ReadNpy(const std::string& path);
// The same from bytes; `name` is for messages.
Tensor ParseNpy(std::string_view bytes, const std::string& name);

// The header: it stands before the data.
struct NpyHead {
  DType dtype = DType::kFloat32;
  Shape shape;
  size_t data_offset = 0;
};
inline constexpr size_t kMostNpyHeadBytes = 12 + (size_t{1} << 16);

// Reads the head of a file of `file_bytes` bytes from its first kMostNpyHeadBytes, or all that it has. Throws as
// ParseNpy, also when its data are not as many bytes as it says: a tensor of that shape takes no more than the file.
NpyHead ParseNpyHead(std::string_view begin, uint64_t file_bytes, const std::string& name);

// Version 1.0.
std::string NpyBytes(const Tensor& tensor);
// Throws Error(kCannotCreate). Nothing is left half-written.
void WriteNpy(const Tensor& tensor, const std::string& path);

}  // namespace hone
