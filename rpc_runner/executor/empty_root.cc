#include "rpc_runner/executor/empty_root.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hone {
namespace {

// A folder that every system has, as a place for the new root until it is one.
constexpr const char* kPlace = "/proc";

bool MountEmptyFolder() {
  return mount("none", kPlace, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
               "size=4096,nr_inodes=2,mode=0555") == 0;
}

// The old root then lies upon the new one, and is taken off.
bool TurnRoot() {
  return chdir(kPlace) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0 &&
         chdir("/") == 0;
}

}  // namespace

bool EnterEmptyRoot() {
  // Private: what is mounted here must not appear outside.
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  if (!MountEmptyFolder()) return false;
  if (TurnRoot()) return true;
  // As on a root that came with the kernel (an initramfs), which cannot be turned.
  umount2(kPlace, MNT_DETACH);
  return false;
}

}  // namespace hone
