// A tracker and runners of this test's own, on free loopback ports.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/device/runner_server.h"
#include "rpc_runner/runner.h"
#include "rpc_runner/tracker/ask_tracker.h"
#include "rpc_runner/tracker/tracker.h"

namespace hone {

// Serves in a thread until destroyed. Throws the errors that ServeTracker throws before it serves.
class TrackerThread {
 public:
  // Port "*" picks a free one.
  explicit TrackerThread(const std::string& bind = "tcp://127.0.0.1:*", const ServerKeys& keys = {});
  ~TrackerThread();
  const std::string& address() const { return address_; }

 private:
  std::atomic<bool> stop_{false};
  std::string address_;
  std::thread thread_;
};

// Runs ServeRunner in a thread of this process.
class RunnerThread {
 public:
  explicit RunnerThread(RunnerServerOptions options);
  ~RunnerThread();
  // Waits until it has left by itself.
  void Join();

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// The hone-runner program in a process of its own, so that it can be killed.
class RunnerChild {
 public:
  RunnerChild(const std::string& tracker, const std::string& key);
  ~RunnerChild();
  void Kill(int signal_number);
  // Its exit status; waits for its end.
  int Wait();

 private:
  int pid_ = -1;
};

RunnerServerOptions OfferTo(const std::string& tracker, const std::string& key, int64_t max_jobs = 0);
RemoteRunnerOptions RemoteTo(const TrackerThread& tracker, const std::string& key);
// Queries until the condition holds; fails the test after 20 s.
void WaitForStatus(const std::string& tracker, const std::function<bool(const TrackerStatus&)>& holds);

}  // namespace hone
