// The rights that an executor has given up before the first candidate: root's executor and another user's.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <string>

#include "rpc_runner/executor/sandbox/sandbox.h"

namespace hone {
namespace {

constexpr uid_t kNobody = 65534;

// Runs `body` in a process of its own as `user`; returns the body's result as the status.
int InAProcess(uid_t user, const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const bool same = user == getuid();
    if (!same && (setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0)) _exit(99);
    // An executor, exec'd as that user, is dumpable; a process that is not may not write its own user map.
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) != 0) _exit(98);
    _exit(body());
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool Has(const std::string& words, const std::string& word) {
  return (words + ",").find("," + word + ",") != words.npos;
}

int EntriesOf(const char* folder) {
  DIR* const open = opendir(folder);
  if (open == nullptr) return -1;
  int count = 0;
  while (const dirent* entry = readdir(open)) count += std::string(entry->d_name).starts_with(".") ? 0 : 1;
  closedir(open);
  return count;
}

bool IsMissing(const char* path) { return open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == ENOENT; }

constexpr int kNotGiven = 50;

// The number of the first check that fails; 0 if none does.
int LooksForFiles() {
  const int before = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
  if (before < 0) return 1;
  if (!Has(Confine(""), "mount")) return kNotGiven;
  if (EntriesOf("/") != 0) return 2;
  if (!IsMissing("/etc/passwd") || !IsMissing("/proc/self/maps") || !IsMissing("../../etc/passwd")) return 3;
  if (open("/made", O_WRONLY | O_CREAT | O_CLOEXEC, 0600) >= 0 || mkdir("/made", 0700) == 0) return 4;
  // Descriptors opened before stay readable, as those of the memory map and of the core locks must.
  char byte = 0;
  if (read(before, &byte, 1) != 1) return 5;
  // Its children find no way out either.
  const pid_t child = fork();
  if (child == 0) _exit(chroot("/") == 0 || chdir("..") != 0 || !IsMissing("etc/passwd") ? 1 : 0);
  int status = -1;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 6;
}

void ExpectNoFiles(uid_t user) {
  SCOPED_TRACE(user);
  const int result = InAProcess(user, LooksForFiles);
  if (result == kNotGiven) {
    std::printf("not given here for user %d, so not tested: mount\n", static_cast<int>(user));
  } else {
    EXPECT_EQ(result, 0);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Confinement, LeavesNoFile) {
  ExpectNoFiles(getuid());
  if (getuid() == 0) ExpectNoFiles(kNobody);
}
#endif

// In a container whose root may not mount, only the word "mount" is missing.
TEST(Confinement, SaysWhenItMayNotMount) {
  if (getuid() != 0) GTEST_SKIP() << "not root";
  const auto without_the_right = [] {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct caps[2] = {};
    if (syscall(SYS_capget, &header, caps) != 0) return 1;
    caps[0].effective &= ~(1U << CAP_SYS_ADMIN);
    caps[0].permitted &= ~(1U << CAP_SYS_ADMIN);
    if (syscall(SYS_capset, &header, caps) != 0) return 2;
    const std::string words = Confine("");
    if (Has(words, "mount") || !Has(words, "user")) return 3;
    return access("/etc/passwd", R_OK) == 0 ? 0 : 4;
  };
  EXPECT_EQ(InAProcess(0, without_the_right), 0);
}

}  // namespace
}  // namespace hone
