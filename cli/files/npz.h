// NumPy's .npz files: zip archives of .npy files, as savez and savez_compressed write them.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/tensor.h"

namespace hone {

// The arrays by name, without ".npy". Throws Error: kNoInput when there is no such file, kBadData saying what is wrong
// with it: no zip archive, encrypted, of several volumes, another compression than deflate, a checksum that differs.
std::map<std::string, Tensor> ReadNpz(const std::string& path);
// The same from bytes; `name` is for messages.
std::map<std::string, Tensor> ParseNpz(std::string_view bytes, const std::string& name);

}  // namespace hone
