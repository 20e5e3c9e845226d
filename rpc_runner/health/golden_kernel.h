// A fixed piece of work by whose time a device is judged: docs/measuring.md, "Health".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rpc_runner/health/core_group.h"
#include "rpc_runner/health/mapped_floats.h"
#include "rpc_runner/health/vector_kernels.h"

namespace hone {

// Sizes of data caches, nearest first.
struct CacheSizes {
  int64_t second_bytes = int64_t{256} << 10;
  int64_t last_bytes = int64_t{1} << 20;
};
// From Environment's caches, "32K,512K,32M"; the defaults where they do not tell.
CacheSizes ParseCaches(const std::string& caches);

struct GoldenPart {
  std::string name;     // "arithmetic", "cache" or "memory", after the kind of core where there are several
  bool steady = false;  // whether a neighbour cannot slow all its samples down: it touches neither cache nor memory
};

// The same arithmetic and the same bytes in each run, in a thread of its own on each group of cores in turn. Not
// thread-safe.
class GoldenKernel {
 public:
  // `clock` gives ns that never fall.
  GoldenKernel(const VectorKernels& kernels, const CacheSizes& caches, std::vector<CoreGroup> groups,
               std::function<int64_t()> clock);

  // What is run, "1-avx2-256K-64M": times of equal names may be compared.
  const std::string& name() const { return name_; }
  // What each time is of.
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
  std::unique_ptr<MappedFloats> memory_;  // more than the last cache holds
  int64_t next_ = 0;                      // the slice of memory_ that was read longest ago
};

}  // namespace hone
