#include "rpc_runner/executor/sandbox/close_descriptors.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace hone {

namespace {

// A new process has no descriptors above this.
constexpr int kDescriptorEnd = 4096;

// Returns false before Linux 5.9.
bool CloseRange([[maybe_unused]] unsigned first, [[maybe_unused]] unsigned last) {
#ifdef SYS_close_range
  return syscall(SYS_close_range, first, last, 0u) == 0;
#else
  return false;
#endif
}

}  // namespace

void CloseAllBut(int fd, int first) {
  const auto kept = static_cast<unsigned>(fd);
  const bool below = fd <= first || CloseRange(static_cast<unsigned>(first), kept - 1);
  if (below && CloseRange(kept + 1, ~0u)) return;
  for (int i = first; i < kDescriptorEnd; ++i) {
    if (i != fd) close(i);
  }
}

}  // namespace hone
