// NumPy's .npy files, versions 1 to 3.
#pragma once

#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// C order and little endian only. Throws Error: kNoInput when there is no such file, kBadData saying what is wrong with
// it.
Tensor ReadNpy(const std::string& path);
// The same from bytes; `name` is for messages.
Tensor ParseNpy(std::string_view bytes, const std::string& name);

// Version 1.0.
std::string NpyBytes(const Tensor& tensor);
// Throws Error(kCannotCreate). Nothing is left half-written.
void WriteNpy(const Tensor& tensor, const std::string& path);

}  // namespace hone
