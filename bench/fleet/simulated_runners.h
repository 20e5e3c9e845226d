// Runners that consist of a connection only, so that hundreds of them cost less than the tracker that they load.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/keys/key_paths.h"

namespace hone::bench {

// `count` runners of the key in one thread: they say hello, take leases, send heartbeats, and answer each job at once.
class SimulatedRunners {
 public:
  SimulatedRunners(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count);
  ~SimulatedRunners();

 private:
  void Serve(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count);

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// `count` tuners in one thread that ask for one runner of the key each. granted() counts those that got one.
class SimulatedTuners {
 public:
  SimulatedTuners(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count);
  ~SimulatedTuners();
  int granted() const { return granted_; }

 private:
  void Serve(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count);

  std::atomic<bool> stop_{false};
  std::atomic<int> granted_{0};
  std::thread thread_;
};

}  // namespace hone::bench
