// Compression of bytes. In db/, only deflate.cc includes zlib.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace hone {

// Compresses to zlib's format at the smallest size. The input must be smaller than 4 GiB.
std::string Deflate(std::string_view bytes);
// Deflate for bytes that come in pieces. The result does not depend on the division into pieces.
class Deflater {
 public:
  // kFast gives a larger result in a sixth of the time.
  enum class Effort : uint8_t { kFast, kSmallest };
  explicit Deflater(Effort effort);
  ~Deflater();
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  void Add(std::string_view piece);
  // Called once; nothing can be added afterwards.
  std::string Finish();

 private:
  struct Stream;
  std::unique_ptr<Stream> stream_;
  std::string deflated_;
};
// Passes on the inflated bytes piece by piece and holds no more than one piece. Throws Error(kBadData) when they are
// damaged.
void InflateInPieces(std::string_view deflated, const std::function<void(std::string_view piece)>& take);
// Inflates exactly `size` bytes. Throws Error(kBadData) for damage or another length. No more than `size` bytes are
// ever in memory.
std::string Inflate(std::string_view deflated, size_t size);

}  // namespace hone
