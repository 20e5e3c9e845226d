// SHA-256 (FIPS 180-4): records, artifacts, packages and kernels are named by it. It is for integrity, not for secrets,
// and uses the CPU's own instructions if it has them: a package is checked at each load, and loading takes as long.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// SHA-256 as 64 lower-case hex digits.
std::string Sha256Hex(std::string_view bytes);
std::string Sha256Hex(const void* data, size_t size);

using Sha256Digest = std::array<uint8_t, 32>;

// `data` may be null when size is 0. Thread-safe.
Sha256Digest Sha256(const void* data, size_t size);

// Sha256 without the CPU's instructions, for tests and for CPUs without them.
Sha256Digest Sha256InPlainCode(const void* data, size_t size);

// SHA-256 of bytes that come in pieces. Used by one thread at a time.
class Sha256Stream {
 public:
  Sha256Stream();
  void Add(const void* data, size_t size);
  // The digest of all bytes so far.
  Sha256Digest Digest() const;

 private:
  static constexpr size_t kBlockBytes = 64;
  std::array<uint32_t, 8> state_;
  std::array<uint8_t, kBlockBytes> rest_ = {};  // the last size_ % kBlockBytes
  uint64_t size_ = 0;
};

// 64 lower-case hex digits.
std::string ToHex(const Sha256Digest& digest);

}  // namespace hone
