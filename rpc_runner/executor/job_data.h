// The inputs of a kernel job and the expected outputs.
#pragma once

#include <memory>
#include <string>

#include "core/artifact.h"
#include "core/error.h"
#include "rpc_runner/executor/memory/region_cache.h"
#include "rpc_runner/executor/nursery.h"

namespace hone {

// Thrown when a reference cannot be run here; the message says why. It is no fault of a candidate.
class ReferenceFailed : public Error {
 public:
  explicit ReferenceFailed(const std::string& why) : Error(ExitCode::kNoRunner, why) {}
};

// Operand `index`, drawn by RandomOperand from (seed, index) and packed by its layout. The cache keeps it under all
// that its values follow from (role, dtype, shape, layout, seed and index), so that candidates and references share it.
std::shared_ptr<SharedRegion> InputFor(RegionCache& cache, const KernelOperand& operand, size_t index, uint64_t seed);

struct ReferenceRun {
  const Artifact* artifact = nullptr;
  std::string name;  // a hash of its bytes and description
  int threads = 1;   // it computes the same bits on any number
  int64_t deadline_ns = 0;
  int64_t memory_bytes = 0;
};

// The expected output for one seed, in the layout of `output`: the values as float64, then as many magnitudes plus one.
// A magnitude of 0 marks a lane past its axis. If the cache lacks the reference's outputs, the reference runs in a
// child of its own, within its limits. Throws ReferenceFailed.
std::shared_ptr<SharedRegion> ExpectedFor(RegionCache& cache, const ReferenceRun& reference,
                                          const KernelOperand& output, uint64_t seed, Nursery& nursery);

}  // namespace hone
