// Peers that burden a tracker and contribute nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/keys/key_paths.h"

namespace hone::bench {

// Connections that never send anything. The tracker closes each after a while, and a new one replaces it.
class HalfOpenCrowd {
 public:
  // Returns when all are connected.
  HalfOpenCrowd(const std::string& tracker, int count);
  ~HalfOpenCrowd();
  int64_t made_anew() const { return made_anew_; }

 private:
  void Serve();

  const std::string tracker_;
  std::vector<int> connections_;
  std::atomic<int64_t> made_anew_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// Asks for more answers than any queue holds, then for a hundred per second, and never reads any.
class SlowReader {
 public:
  // Returns when its requests exceed what all queues hold.
  SlowReader(const std::string& tracker, const ClientKeys& keys);
  ~SlowReader();
  int64_t asked() const { return asked_; }

 private:
  void Serve(const std::string& tracker, const ClientKeys& keys);

  std::atomic<int64_t> asked_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace hone::bench
