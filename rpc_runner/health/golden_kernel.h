// A fixed computation whose time tells whether a device is healthy: docs/why/measuring.md, "Health".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rpc_runner/health/core_group.h"
#include "rpc_runner/health/vector_kernels.h"

namespace hone {

// Sizes of data caches, nearest first.
struct CacheSizes {
  int64_t second_bytes = int64_t{256} << 10;
  int64_t last_bytes = int64_t{1} << 20;
};
// Parses Environment's caches, as "32K,512K,32M". Missing sizes keep their defaults.
CacheSizes ParseCaches(const std::string& caches);

struct GoldenPart {
  std::string name;     // "arithmetic", "cache" or "memory", after the kind of core if there are several
  bool steady = false;  // whether it uses neither cache nor memory, so that a neighbour cannot slow all its samples
};

// Does the same arithmetic and reads the same number of bytes in each run, in a thread on each group of cores in turn.
// Not thread-safe.
class GoldenKernel {
 public:
  // `clock` returns ns that never decrease.
  GoldenKernel(const VectorKernels& kernels, const CacheSizes& caches, std::vector<CoreGroup> groups,
               std::function<int64_t()> clock);

  // Names the computation, as "1-avx2-256K-64M". Times of equal names are comparable.
  const std::string& name() const { return name_; }
  // The parts that Run times, in order.
  const std::vector<GoldenPart>& parts() const { return parts_; }
  // The least time of each part, in ns.
  std::vector<int64_t> Run();

 private:
  void RunGroup(std::vector<int64_t>& times);

  const VectorKernels kernels_;
  const CacheSizes caches_;
  const std::vector<CoreGroup> groups_;
  const std::function<int64_t()> clock_;
  std::string name_;
  std::vector<GoldenPart> parts_;
  std::unique_ptr<MappedFloats> memory_;  // larger than the last-level cache
  int64_t next_ = 0;                      // the slice of memory_ that is read next
};

}  // namespace hone
