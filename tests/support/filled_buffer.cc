#include "tests/support/filled_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace hone::testing {
namespace {

uintptr_t PageBytes() {
  static const auto bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

FilledBuffer::FilledBuffer(int64_t size_bytes, unsigned char byte)
    : memory_(GuardedBuffer::Private(size_bytes)), byte_(byte) {
  std::memset(reinterpret_cast<void*>(begin()), byte, end() - begin());
}

void FilledBuffer::Protect() const { mprotect(reinterpret_cast<void*>(begin()), end() - begin(), PROT_READ); }

bool FilledBuffer::Whole() const {
  const auto holds = [this](uintptr_t from, uintptr_t to) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(from);
    return std::all_of(bytes, bytes + (to - from), [this](unsigned char each) { return each == byte_; });
  };
  return holds(begin(), memory_.data_begin()) && holds(memory_.data_end(), end());
}

uintptr_t FilledBuffer::begin() const { return memory_.data_begin() / PageBytes() * PageBytes(); }

uintptr_t FilledBuffer::end() const { return (memory_.data_end() + PageBytes() - 1) / PageBytes() * PageBytes(); }

}  // namespace hone::testing
