// Bytes as text: base64 with padding, RFC 4648.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

std::string Base64(std::string_view bytes);
// Decodes into `bytes` at `to`. Returns whether the text is base64 of exactly that many; else what lies at `to` is
// unspecified.
bool FromBase64(std::string_view text, void* to, size_t bytes);

}  // namespace hone
