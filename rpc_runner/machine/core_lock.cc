#include "rpc_runner/machine/core_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "runtime/threads/allowed_cores.h"

namespace hone {
namespace {

constexpr std::chrono::microseconds kLookEvery{500};

std::string CpuFolder(const std::string& root, int cpu) {
  return fmt::format("{}/devices/system/cpu/cpu{}/topology", root, cpu);
}

}  // namespace

CoreLock::CoreLock(const std::vector<int>& cpus, const std::string& root) {
  std::set<int> cores;
  for (const int cpu : cpus) cores.insert(FirstSibling(cpu, root));
  for (const int core : cores) {
    const int file = open((CpuFolder(root, core) + "/core_id").c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) files_.push_back(file);
  }
}

CoreLock::~CoreLock() {
  for (const int file : files_) close(file);
}

// Takes all locks or none: programs that hold some while waiting for others could deadlock.
bool CoreLock::TryAll() {
  for (const int file : files_) {
    if (flock(file, LOCK_EX | LOCK_NB) == 0) continue;
    Release();
    return false;
  }
  return true;
}

bool CoreLock::Take(int64_t timeout_ns) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout_ns);
  while (!TryAll()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

void CoreLock::Release() {
  for (const int file : files_) flock(file, LOCK_UN);
}

}  // namespace hone
