#include "rpc_runner/executor/sandbox/empty_root.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone {
namespace {

// A folder that exists on every system, where the new root is mounted first.
constexpr const char* kPlace = "/proc";

bool MountEmptyFolder() {
  return mount("none", kPlace, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
               "size=4096,nr_inodes=2,mode=0555") == 0;
}

// After pivot_root the old root lies on top of the new one, so it is unmounted.
bool TurnRoot() {
  return chdir(kPlace) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0 &&
         chdir("/") == 0;
}

}  // namespace

bool EnterEmptyRoot() {
  // MS_PRIVATE keeps these mounts from appearing outside.
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (!MountEmptyFolder()) return false;
  if (TurnRoot()) return true;
  // pivot_root fails on an initramfs, the root that the kernel started with.
  umount2(kPlace, MNT_DETACH);
  return false;
}

}  // namespace hone
