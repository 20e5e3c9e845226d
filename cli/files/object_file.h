// Bytes as an object file that a linker takes.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// A relocatable ELF object of 64 bits whose read-only data is `bytes`, at a multiple of 4096, under the global name
// `symbol`. `triple` says for which machine. Throws Error(kBadConfig) for one that it does not know.
std::string ObjectFile(const std::string& triple, const std::string& symbol, std::string_view bytes);

}  // namespace hone
