#include "runtime/threads/tile_registers.h"

#if defined(__x86_64__)

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone {
namespace {

// Given by number because headers older than the kernel lack the names. kTileData is the register component with
// tiles.
constexpr long kAskForComponent = 0x1023, kTileData = 18;

}  // namespace

bool MayUseTileRegisters() {
  static const bool lent = syscall(SYS_arch_prctl, kAskForComponent, kTileData) == 0;
  return lent;
}

}  // namespace hone

#else

namespace hone {

bool MayUseTileRegisters() { return false; }

}  // namespace hone

#endif
