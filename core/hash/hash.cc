#include "core/hash/hash.h"

#include "core/hash/sha256.h"

namespace hone {

std::string Sha256Hex(const void* data, size_t size) { return ToHex(Sha256(data, size)); }

std::string Sha256Hex(std::string_view bytes) { return Sha256Hex(bytes.data(), bytes.size()); }

}  // namespace hone
