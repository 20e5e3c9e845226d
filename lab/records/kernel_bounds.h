// The bounds of a kernel: the least times that arithmetic, loads and memory allow it, its tile and cache footprints.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/schedules/schedule.h"
#include "core/candidate.h"
#include "core/json/serialize.h"
#include "core/machine/target.h"
#include "lab/comparison/comparison.h"
#include "lab/machine/hot_loop.h"

namespace hone {

struct KernelBounds {
  double flops = 0;   // of the direct algorithm
  int64_t bytes = 0;  // of its operands, each moved once
  double saved = 1;   // the direct algorithm's multiplications over the kernel's own: 2.25 or 4 with Winograd
  double ns = 0;      // its measured time on the machine of the roofs; 0 if there is none
  MachineModel machine;
  MachineRoofs roofs;  // for float32; zeros if unknown
  TileShape tile;
  HotLoop loop;

  // The float32 operations that arithmetic units do in the time of one of this kernel's: 4 for dot products of bytes.
  double width() const;
  // Nanoseconds at the roof of each; 0 if unknown. The loads are those of the hot loop, from the first cache. Memory is
  // no bound if the kernel takes less than its operands would need from there: they lie in a cache.
  double arithmetic_ns() const;
  double loads_ns() const;
  double memory_ns() const;
  // The greatest of them, and its name: "arithmetic", "loads" or "memory"; empty if all are unknown.
  double bound_ns() const;
  std::string bound() const;
};

// Compiles the kernel for its target. The config must be valid for the workload. `threads` share the kernel.
KernelBounds BoundsOf(const Candidate& candidate, int threads, const MachineRoofs& roofs, double ns);

// Lines about roofline, register tile, loads and caches.
std::string BoundsText(const KernelBounds& bounds);
Json BoundsJson(const KernelBounds& bounds);

}  // namespace hone
