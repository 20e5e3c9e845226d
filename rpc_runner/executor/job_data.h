// What a kernel job is fed and what its output is held against.
#pragma once

#include <memory>
#include <string>

#include "core/artifact.h"
#include "core/error.h"
#include "rpc_runner/executor/nursery.h"
#include "rpc_runner/executor/region_cache.h"

namespace hone {

// Thrown when a reference cannot be run here; the message says why. No candidate is to blame for it.
class ReferenceFailed : public Error {
 public:
  explicit ReferenceFailed(const std::string& why) : Error(ExitCode::kNoRunner, why) {}
};

// Operand `index`, filled normally from (seed, index) and packed by its layout. Kept in the cache under dtype, shape,
// layout, seed and index: candidates and references share it.
std::shared_ptr<SharedRegion> InputFor(RegionCache& cache, const KernelOperand& operand, size_t index, uint64_t seed);

struct ReferenceRun {
  const Artifact* artifact = nullptr;
  std::string name;  // a hash of its bytes and description
  int threads = 1;   // it computes the same on any number
  int64_t deadline_ns = 0;
  int64_t memory_bytes = 0;
};

// What a candidate's output, in the layout of `output`, is held against for one seed: its elements' values as float64,
// then as many magnitudes plus one; where the latter is 0 a lane lies past its axis. The reference runs, in a child of
// its own and within its limits, only when the cache lacks its outputs. Throws ReferenceFailed.
std::shared_ptr<SharedRegion> ExpectedFor(RegionCache& cache, const ReferenceRun& reference,
                                          const KernelOperand& output, uint64_t seed, Nursery& nursery);

}  // namespace hone
