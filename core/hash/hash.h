// Content hashes: records, artifacts, packages and kernels are named by them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// SHA-256 as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view bytes);
std::string Sha256Hex(const void* data, size_t size);

}  // namespace hone
