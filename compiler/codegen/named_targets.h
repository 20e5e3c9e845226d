// The targets that one word names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/target.h"

namespace hone {

// What a target's kernels were run on to be compared with the reference. Of another machine with the same instructions
// that says that the code is right, and nothing about its speed.
enum class Tried { kCompiled, kEmulated, kSilicon };
// "compiled only", "emulated", "silicon".
std::string_view TriedName(Tried tried);

struct NamedTarget {
  std::string name;  // as ResolveTarget takes it: LLVM's of a CPU, or "rv64gcv" and the like
  Target target;
  Tried tried = Tried::kCompiled;
};

// The CPUs of KnownTargets that LLVM lists and that are no generic names of another architecture, and RISC-V boards by
// their instructions: by architecture, in KnownTargets' order.
const std::vector<NamedTarget>& NamedTargets();

// What kernels for such a machine were run on, by its instructions.
Tried TriedOn(const Target& target);

}  // namespace hone
