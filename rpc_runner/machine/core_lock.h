// Locks on cores during timing, so that programs of hone on one machine take turns instead of disturbing each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// The longest wait for other programs: no well-behaved timing takes as long.
constexpr int64_t kMostTurnNs = 10'000'000'000;

// Advisory locks on the files by which the system describes each core. So nothing is written, any user may take part,
// and locks end with their process. A container with its own network has other files, so these locks do not affect it.
// Not thread-safe.
class CoreLock {
 public:
  // Locks the cores of these CPUs; SMT siblings are one core. Cores that the system does not describe are not locked.
  // `root` is "/sys".
  explicit CoreLock(const std::vector<int>& cpus, const std::string& root = "/sys");
  ~CoreLock();
  CoreLock(const CoreLock&) = delete;
  CoreLock& operator=(const CoreLock&) = delete;

  // Waits at most timeout_ns until no other program holds one of the cores. Returns false, and holds no lock, if one
  // still does.
  bool Take(int64_t timeout_ns);
  void Release();

 private:
  bool TryAll();

  std::vector<int> files_;  // descriptors
};

// Holds the lock during its lifetime.
class CoreTurn {
 public:
  CoreTurn(CoreLock& lock, int64_t timeout_ns) : lock_(lock), alone_(lock.Take(timeout_ns)) {}
  ~CoreTurn() { lock_.Release(); }
  CoreTurn(const CoreTurn&) = delete;
  CoreTurn& operator=(const CoreTurn&) = delete;
  // False if another program did not release the cores in time.
  bool alone() const { return alone_; }

 private:
  CoreLock& lock_;
  const bool alone_;
};

}  // namespace hone
