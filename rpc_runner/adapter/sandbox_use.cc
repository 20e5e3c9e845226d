#include "rpc_runner/adapter/sandbox_use.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <memory>
#include <string_view>
#include <vector>

#include "core/text/parse_number.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

// Positions in /proc/PID/stat behind the name, which may contain anything.
constexpr size_t kThreads = 17, kResidentPages = 21;

void AddProcess(int64_t pid, SandboxUse& use) {
  const std::string line = FirstLineOf(fmt::format("/proc/{}/stat", pid));
  const std::vector<std::string_view> fields = Words(std::string_view(line).substr(line.rfind(')') + 1));
  if (fields.size() <= kResidentPages) return;
  use.tasks += ParseInteger(fields[kThreads]).value_or(0);
  use.memory_bytes += ParseInteger(fields[kResidentPages]).value_or(0) * sysconf(_SC_PAGESIZE);
}

}  // namespace

SandboxUse UseOfNamespace() {
  SandboxUse use;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  for (const dirent* entry = nullptr; folder != nullptr && (entry = readdir(folder.get())) != nullptr;) {
    const std::optional<int64_t> pid = ParseInteger(entry->d_name);
    if (pid && *pid != getpid()) AddProcess(*pid, use);
  }
  struct statvfs files{};
  if (statvfs("/tmp", &files) == 0) {
    use.memory_bytes += static_cast<int64_t>((files.f_blocks - files.f_bfree) * files.f_frsize);
  }
  return use;
}

std::string ExcessOf(const SandboxUse& use, const AdapterSandbox& sandbox) {
  if (use.tasks > sandbox.most_tasks) {
    return fmt::format("it started more than {} processes and threads", sandbox.most_tasks);
  }
  if (use.memory_bytes > sandbox.memory_bytes) {
    return fmt::format("it needs more than {} MiB of memory (--max-memory)", sandbox.memory_bytes >> 20);
  }
  return "";
}

}  // namespace hone
