#include "tests/rpc_runner/network_fixture.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/executor_process.h"

extern char** environ;

namespace hone {
namespace {

void Pause() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

}  // namespace

TrackerThread::TrackerThread(const std::string& bind, const ServerKeys& keys) {
  static std::atomic<int> count{0};
  const std::string file =
      testing::TempDir() + "hone_tracker_" + std::to_string(getpid()) + "_" + std::to_string(count++);
  thread_ = std::thread([this, bind, file, keys] { ServeTracker({bind, file, "", keys}, &stop_); });
  while (access(file.c_str(), F_OK) != 0) Pause();
  std::ifstream(file) >> address_;
  unlink(file.c_str());
}

TrackerThread::~TrackerThread() {
  stop_ = true;
  thread_.join();
}

RunnerThread::RunnerThread(RunnerServerOptions options)
    : thread_([this, options = std::move(options)] { ServeRunner(options, &stop_); }) {}

RunnerThread::~RunnerThread() {
  stop_ = true;
  Join();
}

void RunnerThread::Join() {
  if (thread_.joinable()) thread_.join();
}

RunnerChild::RunnerChild(const std::string& tracker, const std::string& key) {
  const std::string program = FindRunnerProgram();
  std::vector<std::string> words = {program, "--tracker", tracker, "--key", key, "--health", "off"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  EXPECT_EQ(posix_spawn(&pid_, program.c_str(), nullptr, nullptr, argv.data(), environ), 0);
}

RunnerChild::~RunnerChild() {
  if (pid_ < 0) return;
  Kill(SIGKILL);
  Wait();
}

void RunnerChild::Kill(int signal_number) { kill(pid_, signal_number); }

int RunnerChild::Wait() {
  int status = -1;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return status;
}

RunnerServerOptions OfferTo(const std::string& tracker, const std::string& key, int64_t max_jobs) {
  RunnerServerOptions options;
  options.tracker = tracker;
  options.key = key;
  options.max_jobs = max_jobs;
  return options;
}

RemoteRunnerOptions RemoteTo(const TrackerThread& tracker, const std::string& key) {
  RemoteRunnerOptions options;
  options.tracker = tracker.address();
  options.key = key;
  options.connect_timeout_ns = 20'000'000'000;
  return options;
}

void WaitForStatus(const std::string& tracker, const std::function<bool(const TrackerStatus&)>& holds) {
  const int64_t until_ns = MonotonicNs() + 20'000'000'000;
  while (!holds(QueryTracker(tracker))) {
    ASSERT_LT(MonotonicNs(), until_ns);
    Pause();
  }
}

}  // namespace hone
