#include "rpc_runner/adapter/sandbox_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/error.h"

namespace hone {
namespace {

// The kernel's numbers, equal on all architectures, because some build systems have older headers.
constexpr long kOpenTree = 428, kMoveMount = 429, kMountSetattr = 442;
constexpr unsigned kTreeClone = 1, kRecursive = 0x8000, kEmptyPath = 0x1000, kFromEmptyPath = 4;
constexpr uint64_t kReadOnly = 1, kNoSetuid = 2, kNoDevices = 4;
struct MountAttributes {
  uint64_t set = 0, clear = 0, propagation = 0, user_namespace = 0;
};

constexpr const char* kSystem[] = {"/usr",
                                   "/bin",
                                   "/sbin",
                                   "/lib",
                                   "/lib32",
                                   "/lib64",
                                   "/libx32",
                                   "/etc/ld.so.cache",
                                   "/etc/ld.so.conf",
                                   "/etc/ld.so.conf.d",
                                   "/etc/alternatives",
                                   "/etc/localtime",
                                   "/sys/devices/system/cpu",
                                   "/sys/devices/system/node"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
// The place where the new root is mounted before it becomes the root.
constexpr const char* kPlace = "/proc";

[[noreturn]] void Refused(std::string_view what) {
  throw Error(ExitCode::kBadConfig,
              fmt::format("this system gives no sandbox for adapters: {}: {}; it takes Linux 5.12 or later, and a user "
                          "that may have namespaces",
                          what, std::strerror(errno)));
}

std::optional<std::string> Resolved(const std::string& path) {
  char* const found = realpath(path.c_str(), nullptr);
  if (found == nullptr) return std::nullopt;
  std::string resolved = found;
  free(found);
  return resolved;
}

bool LiesIn(std::string_view path, std::string_view folder) {
  return path == folder || (path.starts_with(folder) && path[folder.size()] == '/');
}

// Makes the folders above `path` beneath the new root.
void MakeFoldersFor(const std::string& path) {
  for (size_t at = path.find('/', std::strlen(kPlace) + 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0755);
  }
}

// A copy of what is mounted at the path and beneath, not mounted anywhere.
int OpenTree(const std::string& path) {
  return static_cast<int>(syscall(kOpenTree, AT_FDCWD, path.c_str(), kTreeClone | kRecursive | O_CLOEXEC));
}

void Show(const std::string& path, int tree, uint64_t attributes) {
  const MountAttributes wanted{attributes};
  if (syscall(kMountSetattr, tree, "", kEmptyPath | kRecursive, &wanted, sizeof(wanted)) != 0)
    Refused("read-only files");
  const std::string to = kPlace + path;
  MakeFoldersFor(to);
  struct stat is{};
  const bool folder = fstat(tree, &is) == 0 && S_ISDIR(is.st_mode);
  folder ? static_cast<void>(mkdir(to.c_str(), 0755))
         : static_cast<void>(close(open(to.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0444)));
  if (syscall(kMoveMount, tree, "", AT_FDCWD, to.c_str(), kFromEmptyPath) != 0) Refused("showing " + path);
  close(tree);
}

void MountOwn(const std::string& at, const char* type, unsigned long flags, const std::string& options) {
  mkdir(at.c_str(), 0755);
  if (mount("none", at.c_str(), type, flags | MS_NOSUID | MS_NODEV, options.c_str()) != 0) Refused("a mount at " + at);
}

}  // namespace

SandboxFiles::SandboxFiles(const std::vector<std::string>& reads) {
  std::vector<std::string> all(std::begin(kSystem), std::end(kSystem));
  all.insert(all.end(), reads.begin(), reads.end());
  for (size_t i = 0; i < all.size(); ++i) {
    const std::optional<std::string> resolved = Resolved(all[i]);
    if (!resolved && i >= std::size(kSystem)) {
      throw Error(ExitCode::kBadConfig, fmt::format("the adapter is to read {}, which is not there", all[i]));
    }
    if (!resolved) continue;
    if (*resolved != all[i]) aliases_.emplace_back(all[i], *resolved);
    shown_.push_back(*resolved);
  }
  std::sort(shown_.begin(), shown_.end());
  std::vector<std::string> outermost;
  for (const std::string& path : shown_) {
    if (outermost.empty() || !LiesIn(path, outermost.back())) outermost.push_back(path);
  }
  shown_ = std::move(outermost);
}

void SandboxFiles::Enter(int64_t tmp_bytes) {
  if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) Refused("private mounts");
  std::vector<std::pair<std::string, int>> trees;
  for (const std::string& path : shown_) trees.emplace_back(path, OpenTree(path));
  for (const char* const device : kDevices) trees.emplace_back(device, OpenTree(device));
  if (mount("none", kPlace, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=0755") != 0) Refused("a root of its own");
  // Before the files, of which some may lie beneath /tmp.
  MountOwn(std::string(kPlace) + "/proc", "proc", MS_NOEXEC, "");
  MountOwn(std::string(kPlace) + "/tmp", "tmpfs", 0, fmt::format("size={},mode=1777", tmp_bytes));
  for (const auto& [path, tree] : trees) {
    if (tree < 0) Refused("reading " + path);
    Show(path, tree, kReadOnly | kNoSetuid | (path.starts_with("/dev/") ? 0 : kNoDevices));
  }
  for (const auto& [alias, path] : aliases_) {
    const std::string at = kPlace + alias;
    MakeFoldersFor(at);
    (void)symlink(path.c_str(), at.c_str());
  }
  if (mount("none", kPlace, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV, nullptr) != 0) {
    Refused("a read-only root");
  }
  if (chdir(kPlace) != 0 || syscall(SYS_pivot_root, ".", ".") != 0 || umount2(".", MNT_DETACH) != 0 ||
      chdir("/tmp") != 0) {
    Refused("turning to the new root");
  }
}

}  // namespace hone
