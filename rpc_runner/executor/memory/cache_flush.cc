#include "rpc_runner/executor/memory/cache_flush.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#else
#include <vector>
#endif

namespace hone {
namespace {

#if defined(__x86_64__)

constexpr size_t kLine = 64;

bool HasClflushopt() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1u << 23)) != 0;
}

// clflush waits for each line but clflushopt does not, which is several times faster on a layer's weights.
__attribute__((target("clflushopt"))) void FlushUnordered(char* begin, const char* end) {
  for (char* line = begin; line < end; line += kLine) _mm_clflushopt(line);
}

void FlushLines(uintptr_t begin, uintptr_t end) {
  static const bool kUnordered = HasClflushopt();
  char* first = reinterpret_cast<char*>(begin / kLine * kLine);
  const char* last = reinterpret_cast<const char*>(end);
  if (kUnordered) {
    FlushUnordered(first, last);
  } else {
    for (char* line = first; line < last; line += kLine) _mm_clflush(line);
  }
  _mm_mfence();
}

#elif defined(__aarch64__)

void FlushLines(uintptr_t begin, uintptr_t end) {
  uint64_t type = 0;
  asm volatile("mrs %0, ctr_el0" : "=r"(type));
  const uintptr_t line_bytes = uintptr_t{4} << ((type >> 16) & 15);
  for (uintptr_t line = begin / line_bytes * line_bytes; line < end; line += line_bytes) {
    asm volatile("dc civac, %0" : : "r"(line) : "memory");
  }
  asm volatile("dsb sy" : : : "memory");
}

#else

void FlushLines(uintptr_t, uintptr_t) {
  static std::vector<char> through(size_t{64} << 20, 1);
  volatile char sum = 0;
  for (size_t i = 0; i < through.size(); i += 64) sum = static_cast<char>(sum + through[i]);
}

#endif

}  // namespace

void FlushFromCaches(const void* data, size_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
  FlushLines(begin, begin + bytes);
}

}  // namespace hone
