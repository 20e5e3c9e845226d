// Wraps bytes in an object file for a linker.
#pragma once

#include <string>
#include <string_view>

namespace hone {

// A 64-bit relocatable ELF object whose read-only data is `bytes`, aligned to 4096, under the global name `symbol`.
// `triple` selects the machine. Throws Error(kBadConfig) for an unknown one.
std::string ObjectFile(const std::string& triple, const std::string& symbol, std::string_view bytes);

}  // namespace hone
