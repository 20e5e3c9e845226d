#include "rpc_runner/executor/close_descriptors.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace hone {

void CloseAllBut(int fd, int first) {
#ifdef SYS_close_range
  if (fd > first) syscall(SYS_close_range, static_cast<unsigned>(first), static_cast<unsigned>(fd) - 1, 0u);
  syscall(SYS_close_range, static_cast<unsigned>(fd) + 1, ~0u, 0u);
#endif
}

}  // namespace hone
