// Bytes made smaller: the one file that knows zlib is deflate.cc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hone {

// In zlib's format, as small as it gets. Fewer than 4 GiB.
std::string Deflate(std::string_view bytes);
// Exactly `size` bytes. Throws Error(kBadData) when it is damaged, or becomes another number of them: no more than
// `size` are ever in memory.
std::string Inflate(std::string_view deflated, size_t size);

}  // namespace hone
