// A whole file into memory.
#pragma once

#include <string>

namespace hone {

// Throws Error: kNoInput when there is no such file or it is a folder, kIo when it cannot be read.
std::string ReadFile(const std::string& path);

}  // namespace hone
