// Peers that cost a tracker something and give it nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "rpc_runner/keys/key_options.h"

namespace hone::bench {

// Connections on which nothing is ever said. The tracker closes each after a while, upon which another one is made.
class HalfOpenCrowd {
 public:
  // Returns when all of them are connected.
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

// Asks for more answers than any queue holds, then for a hundred a second, and reads none.
class SlowReader {
 public:
  // Returns when no queue holds what it has asked for.
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
