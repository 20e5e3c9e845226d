// What a model is compiled for.
#pragma once

#include "core/target.h"

namespace hone {

// All that decides which passes run and how, apart from records: tuning, finals in the built model and the build must
// be given the same one, or they disagree on the workloads. A precision other than float32 would belong here, too.
struct BuildContext {
  Target target;
  int threads = 1;
  bool exact_math = false;  // no schedule or rewriting that trades accuracy for speed, whatever the records say
  int opt_level = 3;        // 0: no folding, no fusion, no blocked layouts; 3: everything

  MachineModel machine() const { return MachineModelFor(target, threads); }
  bool operator==(const BuildContext&) const = default;
};

}  // namespace hone
