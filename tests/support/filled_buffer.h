// Memory between guard pages in which every byte is known, so that accesses just outside the data show as well.
#pragma once

#include <cstdint>

#include "rpc_runner/executor/memory/shared_region.h"

namespace hone::testing {

// Alignment leaves a few bytes between the data and the guard, and the rest of a page before it: the margins. Lives
// until the process ends, as GuardedBuffer does.
class FilledBuffer {
 public:
  // Fills the data and the margins with `byte`.
  FilledBuffer(int64_t size_bytes, unsigned char byte);

  char* data() const { return static_cast<char*>(memory_.data()); }
  // From here on a write to the data ends the process.
  void Protect() const;
  // Whether the margins are unchanged.
  bool Whole() const;

 private:
  uintptr_t begin() const;  // start of its first page
  uintptr_t end() const;    // end of its last page

  GuardedBuffer memory_;
  unsigned char byte_;
};

}  // namespace hone::testing
