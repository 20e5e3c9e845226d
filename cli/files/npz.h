// NumPy's .npz files: zip archives of .npy files, as savez and savez_compressed write them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// Is told of each array before memory is taken for it, and throws what refuses it.
using AcceptArray = std::function<void(const std::string& array, DType dtype, const Shape& shape)>;

// The arrays by name, without ".npy". Throws Error: kNoInput when there is no such file, kBadData saying what is wrong
// with it: no zip archive, encrypted, of several volumes, another compression than deflate, a checksum that differs, an
// array of more than 64 MiB and 200 times the bytes that it has in the archive; and what `accept` throws. In memory are
// the archive and the arrays that were accepted, each once.
std::map<std::string, Tensor> ReadNpz(const std::string& path, const AcceptArray& accept);
// The same from bytes; `name` is for messages.
std::map<std::string, Tensor> ParseNpz(std::string_view bytes, const std::string& name, const AcceptArray& accept);

}  // namespace hone
