// Memory between guard pages in which every byte is known: what is read or written beside the data shows as well.
#pragma once

#include <cstdint>

#include "rpc_runner/executor/guarded_buffer.h"

namespace hone::testing {

// Alignment leaves a few bytes between the data and the guard, and the rest of a page before it: they belong to nobody.
// Lives until the process ends, as GuardedBuffer does.
class FilledBuffer {
 public:
  // `byte` in the data and in all that belongs to nobody.
  FilledBuffer(int64_t size_bytes, unsigned char byte);

  char* data() const { return static_cast<char*>(memory_.data()); }
  // A write to the data ends the process from here on.
  void Protect() const;
  // Whether nobody wrote what belongs to nobody.
  bool Whole() const;

 private:
  uintptr_t begin() const;  // of its first page
  uintptr_t end() const;    // of its last one

  GuardedBuffer memory_;
  unsigned char byte_;
};

}  // namespace hone::testing
