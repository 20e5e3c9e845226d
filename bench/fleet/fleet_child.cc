#include "bench/fleet/fleet_child.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>
#include <vector>

#include "core/error.h"
#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/tracker/tracker.h"
#include "tests/support/sleeping_executor.h"

extern char** environ;

namespace hone::bench {
namespace {

int Spawn(std::vector<std::string> words) {
  std::vector<char*> argv;
  words.insert(words.begin(), "hone_bench_fleet_goals");
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  if (posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ) != 0) {
    throw Error(ExitCode::kIo, "this program cannot be started again");
  }
  return pid;
}

}  // namespace

FleetChild FleetChild::Tracker(const ServerKeys& keys, const std::string& bind) {
  static std::atomic<int> count{0};
  const std::string file = std::filesystem::temp_directory_path() / fmt::format("hone_fleet_{}_{}", getpid(), count++);
  FleetChild child;
  child.pid_ = Spawn({"--as-tracker", keys.folder, bind, file});
  while (!std::filesystem::exists(file)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::ifstream(file) >> child.address_;
  std::filesystem::remove(file);
  return child;
}

FleetChild FleetChild::Runner(const std::string& tracker, const ClientKeys& keys, const std::string& key,
                              int64_t job_ns) {
  FleetChild child;
  child.pid_ = Spawn({"--as-runner", tracker, keys.identity, keys.server_key, key, fmt::format("{}", job_ns)});
  return child;
}

FleetChild::FleetChild(FleetChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), address_(std::move(other.address_)) {}

FleetChild::~FleetChild() { Kill(); }

void FleetChild::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

int64_t FleetChild::memory_bytes() const {
  std::ifstream file(fmt::format("/proc/{}/statm", pid_));
  int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

int64_t FleetChild::cpu_ns() const {
  clockid_t clock{};
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0;
  return int64_t{used.tv_sec} * 1'000'000'000 + used.tv_nsec;
}

bool RunAsChild(int argc, char** argv, int* code) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::atomic<bool> stop{false};
  *code = 0;
  if (words.size() == 4 && words[0] == "--as-tracker") {
    TrackerOptions options;
    options.keys.folder = words[1];
    options.bind = words[2];
    options.port_file = words[3];
    ServeTracker(options, &stop);
    return true;
  }
  if (words.size() != 6 || words[0] != "--as-runner") return false;
  RunnerServerOptions options;
  options.tracker = words[1];
  options.keys = {words[2], words[3]};
  options.key = words[4];
  SleepingExecutor executor(std::atoll(words[5].c_str()), FakeMachine(fmt::format("child {}", getpid())));
  ServeExecutor(options, executor, [&executor] { return executor.PollFd(); }, &stop);
  return true;
}

}  // namespace hone::bench
