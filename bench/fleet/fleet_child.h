// A tracker, or a runner whose jobs sleep, in a process of its own, so that it can be killed and its memory read.
#pragma once

#include <cstdint>
#include <string>

#include "rpc_runner/keys/key_paths.h"

namespace hone::bench {

// This program, started again; see RunAsChild.
class FleetChild {
 public:
  // Starts a tracker at `bind`; returns when it serves.
  static FleetChild Tracker(const ServerKeys& keys, const std::string& bind = "tcp://127.0.0.1:*");
  static FleetChild Runner(const std::string& tracker, const ClientKeys& keys, const std::string& key, int64_t job_ns);
  FleetChild(FleetChild&& other) noexcept;
  FleetChild& operator=(FleetChild&&) = delete;
  ~FleetChild();  // kills it

  const std::string& address() const { return address_; }
  int64_t memory_bytes() const;  // resident
  int64_t cpu_ns() const;        // CPU time used so far
  void Kill();                   // sends SIGKILL and returns when the process is gone

 private:
  FleetChild() = default;
  int pid_ = -1;
  std::string address_;
};

// Whether the command line is a child's. If so, it has served and *code is the exit code.
bool RunAsChild(int argc, char** argv, int* code);

}  // namespace hone::bench
