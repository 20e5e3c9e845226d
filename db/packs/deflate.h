// Bytes made smaller: the one file that knows zlib is deflate.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

// In zlib's format, as small as it gets. Fewer than 4 GiB.
std::string Deflate(std::string_view bytes);
// Deflate for bytes that come in pieces. The result does not depend on how they are cut.
class Deflater {
 public:
  // kFast: larger, in a sixth of the time.
  enum class Effort : uint8_t { kFast, kSmallest };
  explicit Deflater(Effort effort);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  void Add(std::string_view piece);
  // Once; nothing can be added then.
  std::string Finish();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string deflated_;
};
// Gives the inflated bytes piece by piece, and holds no more than one piece. Throws Error(kBadData) when it is damaged.
void InflateInPieces(std::string_view deflated, const std::function<void(std::string_view piece)>& take);
// Exactly `size` bytes. Throws Error(kBadData) when it is damaged, or becomes another number of them: no more than
// `size` are ever in memory.
std::string Inflate(std::string_view deflated, size_t size);

}  // namespace hone
