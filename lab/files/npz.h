// NumPy's .npz files: zip archives of .npy files, as savez and savez_compressed write them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// Called for each array before memory is allocated for it; refuses the array by throwing.
using AcceptArray = std::function<void(const std::string& array, DType dtype, const Shape& shape)>;

// The arrays by name, without ".npy". Throws Error(kNoInput) if there is no such file, and what `accept` throws. Throws
// Error(kBadData), saying what is wrong: no zip archive, encrypted, several volumes, a compression other than deflate,
// or a wrong checksum. An array of more than 64 MiB and 200 times its bytes in the archive is kBadData, too. Memory
// holds the archive and the accepted arrays, each once.
std::map<std::string, Tensor> ReadNpz(const std::string& path, const AcceptArray& accept);
// Parses the bytes of such a file; `name` is for messages.
std::map<std::string, Tensor> ParseNpz(std::string_view bytes, const std::string& name, const AcceptArray& accept);

}  // namespace hone
