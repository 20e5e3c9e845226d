#include "core/text/base64.h"

#include <sodium.h>

namespace hone {

std::string Base64(std::string_view bytes) {
  std::string text(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();  // the terminating zero
  return text;
}

bool FromBase64(std::string_view text, void* to, size_t bytes) {
  size_t got = 0;
  const int code = sodium_base642bin(static_cast<unsigned char*>(to), bytes, text.data(), text.size(), nullptr, &got,
                                     nullptr, sodium_base64_VARIANT_ORIGINAL);
  return code == 0 && got == bytes;
}

}  // namespace hone
