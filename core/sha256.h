// SHA-256 (FIPS 180-4), with the CPU's own instructions where it has them. For integrity, not for secrets: a package is
// checked with it each time that it is loaded, so it decides how long loading takes, and it needs no other library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hone {

using Sha256Digest = std::array<uint8_t, 32>;

// `data` may be null when size is 0. Thread-safe.
Sha256Digest Sha256(const void* data, size_t size);

// The same without the CPU's instructions; for tests and for CPUs without them.
Sha256Digest Sha256InPlainCode(const void* data, size_t size);

}  // namespace hone
