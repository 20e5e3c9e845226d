// Cores to oneself while something is timed: two programs of hone on one machine take turns instead of disturbing each
// other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// How long to wait for others: longer than any timing that behaves.
constexpr int64_t kMostTurnNs = 10'000'000'000;

// Locks are advisory, on the files in which the system describes each core, so that nothing is written, any user may
// take part, and they end with their process. A container with a network of its own has files of its own: it is not
// kept out. Not thread-safe.
class CoreLock {
 public:
  // Of the cores that these CPUs belong to: SMT siblings are one core. What the system does not describe is not locked.
  // `root` is "/sys".
  explicit CoreLock(const std::vector<int>& cpus, const std::string& root = "/sys");
  ~CoreLock();
  CoreLock(const CoreLock&) = delete;
  CoreLock& operator=(const CoreLock&) = delete;

  // Waits until nobody else holds one of them, at most timeout_ns. False: somebody still does, and none is held here.
  bool Take(int64_t timeout_ns);
  void Release();

 private:
  bool TryAll();

  std::vector<int> files_;  // descriptors
};

// A lock that is held in a scope.
class CoreTurn {
 public:
  CoreTurn(CoreLock& lock, int64_t timeout_ns) : lock_(lock), alone_(lock.Take(timeout_ns)) {}
  ~CoreTurn() { lock_.Release(); }
  CoreTurn(const CoreTurn&) = delete;
  CoreTurn& operator=(const CoreTurn&) = delete;
  // False: somebody else did not give way.
  bool alone() const { return alone_; }

 private:
  CoreLock& lock_;
  const bool alone_;
};

}  // namespace hone
