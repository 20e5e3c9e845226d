// Measured rooflines of this machine: arithmetic and memory.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"
#include "rpc_runner/health/core_group.h"
#include "rpc_runner/health/golden_kernel.h"
#include "rpc_runner/health/vector_kernels.h"

namespace hone {

struct Roof {
  std::string cores;     // the kind of core; empty if there is only one, and for all kinds together
  int threads = 1;       // threads that ran at the same time
  double gflops = 0;     // float32 multiply-adds in registers, two operations each
  double read_gbps = 0;  // 1e9 bytes per second, read from memory sequentially
  bool operator==(const Roof&) const = default;
};

// Measures one thread on each group, then `threads` of them on all groups together if that is more than one. Each row
// is the best of several samples. It takes at most 0.3 s, plus the delay of the last samples on a busy machine.
std::vector<Roof> MeasureRoofs(const VectorKernels& kernels, const CacheSizes& caches,
                               const std::vector<CoreGroup>& groups, int threads);

// The form of docs/reference/protocol.md's `roofs`.
Json ToJson(const std::vector<Roof>& roofs);
// Throws Error(kBadData) for anything else, and for more than 64 rows.
std::vector<Roof> RoofsFromJson(const Json& json);
// A text for people, as "106.9 GFLOP/s, 21.4 GB/s; 2 threads 213.1 GFLOP/s, 28.0 GB/s"; empty for no rows.
std::string RoofsText(const std::vector<Roof>& roofs);
// Parses the output of RoofsText, with its rounding. Other text is ignored.
std::vector<Roof> ParseRoofsText(std::string_view text);

}  // namespace hone
