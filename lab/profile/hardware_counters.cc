#include "lab/profile/hardware_counters.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace hone {
namespace {

constexpr std::array<uint64_t, 4> kEvents = {PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
                                             PERF_COUNT_HW_CACHE_MISSES, PERF_COUNT_HW_BRANCH_MISSES};

int Open(uint64_t event) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = event;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

std::string WhyNot(int error) {
  if (error == ENOENT || error == EOPNOTSUPP) return "this machine has no hardware counters, as most virtual ones";
  std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
  int paranoid = 0;
  if ((error == EACCES || error == EPERM) && file >> paranoid)
    return fmt::format("the kernel forbids it (perf_event_paranoid is {}; 2 or less would be right)", paranoid);
  return std::strerror(error);
}

int64_t Read(int file) {
  int64_t count = 0;
  return file >= 0 && read(file, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

}  // namespace

HardwareCounters::HardwareCounters() {
  bool any = false;
  for (const uint64_t event : kEvents) {
    files_.push_back(Open(event));
    if (files_.back() < 0 && why_not_.empty()) why_not_ = WhyNot(errno);
    any = any || files_.back() >= 0;
  }
  if (any) why_not_.clear();
}

HardwareCounters::~HardwareCounters() {
  for (const int file : files_) {
    if (file >= 0) close(file);
  }
}

void HardwareCounters::Begin() {
  for (const int file : files_) {
    if (file < 0) continue;
    ioctl(file, PERF_EVENT_IOC_RESET, 0);
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
  }
}

HardwareCounts HardwareCounters::End() {
  for (const int file : files_) {
    if (file >= 0) ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
  }
  return {Read(files_[0]), Read(files_[1]), Read(files_[2]), Read(files_[3]), why_not_};
}

}  // namespace hone
