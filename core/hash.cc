#include "core/hash.h"

#include "core/sha256.h"

namespace hone {

std::string Sha256Hex(const void* data, size_t size) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const uint8_t byte : Sha256(data, size)) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string Sha256Hex(std::string_view bytes) { return Sha256Hex(bytes.data(), bytes.size()); }

}  // namespace hone
