// Flushes memory from all caches.
#pragma once

#include <cstddef>

namespace hone {

// On return, no cache line of [data, data + bytes) is in a cache. On x86-64 and AArch64 this flushes line by line. On
// other CPUs it reads through more memory than the last-level cache holds.
void FlushFromCaches(const void* data, size_t bytes);

}  // namespace hone
