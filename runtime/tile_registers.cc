#include "runtime/tile_registers.h"

#if defined(__x86_64__)

#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone {
namespace {

// By their numbers: headers older than the kernel lack the names. The component of the register file that holds tiles.
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
