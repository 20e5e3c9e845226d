// What this machine can do at most, measured: arithmetic and memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/serialize.h"
#include "rpc_runner/health/core_group.h"
#include "rpc_runner/health/golden_kernel.h"
#include "rpc_runner/health/vector_kernels.h"

namespace hone {

struct Roof {
  std::string cores;     // the kind of core; empty: whichever
  int threads = 1;       // that worked together
  double gflops = 0;     // float32 multiply-adds in registers, two operations each
  double read_gbps = 0;  // 1e9 bytes a second, read from memory in order
  bool operator==(const Roof&) const = default;
};

// One thread on each group, then `threads` of them on all groups together where that is more than one. The best of
// several samples, at most 0.3 s a row and what a busy machine adds to the last of them.
std::vector<Roof> MeasureRoofs(const VectorKernels& kernels, const CacheSizes& caches,
                               const std::vector<CoreGroup>& groups, int threads);

// As docs/protocol.md's `roofs`.
Json ToJson(const std::vector<Roof>& roofs);
// Throws Error(kBadData) on anything else, also on more than 64 rows.
std::vector<Roof> RoofsFromJson(const Json& json);
// "106.9 GFLOP/s, 21.4 GB/s; 2 threads 213.1 GFLOP/s, 28.0 GB/s", for people; empty for none.
std::string RoofsText(const std::vector<Roof>& roofs);
// What RoofsText printed, rounded as it is there; what is not its text is passed over.
std::vector<Roof> ParseRoofsText(std::string_view text);

}  // namespace hone
