// Puts memory out of every cache.
#pragma once

#include <cstddef>

namespace hone {

// When it returns, no cache line of [data, data + bytes) is in a cache. Line by line on x86-64 and AArch64; elsewhere
// by reading through more than the last-level cache holds.
void FlushFromCaches(const void* data, size_t bytes);

}  // namespace hone
