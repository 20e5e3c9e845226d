// Fetches the next weights while the present ones are used. In a network weights are cold, and a kernel that waits for
// memory at each new panel loses up to half its time.
#pragma once

#include "compiler/codegen/kernel_builder.h"

namespace hone {

// A panel of weights is used in `passes` passes (register tiles), each over the panel's input blocks. The next panel in
// memory is fetched in equal parts, one part per pass and block:
//
//   pass 0: block 0, 1, ..   pass 1: block 0, 1, ..   use the present panel
//     next panel: part 0, 1, ..         part n, n + 1, ..
class WeightPrefetch {
 public:
  // block_bytes: weights of one input block, 0 for no prefetch.
  WeightPrefetch(const MachineModel& machine, int64_t block_bytes, int64_t passes);
  // Emits the part number `step` (pass * blocks + block) of the panel at `next`. `wanted`, one bit, says whether this
  // pass fetches anything; null: it does.
  void Emit(KernelBuilder& b, Value* next, Value* step, Value* wanted = nullptr) const;

 private:
  int64_t line_bytes_;
  int64_t lines_;  // per part
};

}  // namespace hone
