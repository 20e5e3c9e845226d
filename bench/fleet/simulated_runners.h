// Runners that are nothing but a connection, so that hundreds of them cost less than the tracker they load.
#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/keys/key_options.h"

namespace hone::bench {

// `count` runners of the key in a thread: they say hello, take leases, beat, and answer a job as soon as it comes.
class SimulatedRunners {
 public:
  SimulatedRunners(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count);
  ~SimulatedRunners();

 private:
  void Serve(const std::string& tracker, const ClientKeys& keys, const std::string& key, int count);

  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// `count` tuners that ask for one runner of the key each, in a thread. granted() counts those that were given one.
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
