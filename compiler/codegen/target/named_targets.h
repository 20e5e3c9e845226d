// The targets that have a one-word name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/machine/target.h"

namespace hone {

// The machine on which a target's kernels were run and compared with the reference. For another machine with the same
// instructions this says that the code is right, and nothing about its speed.
enum class Tried { kCompiled, kEmulated, kSilicon };
// "compiled only", "emulated", "silicon".
std::string_view TriedName(Tried tried);

struct NamedTarget {
  std::string name;  // a text that ResolveTarget takes: LLVM's name of a CPU, or "rv64gcv" and the like
  Target target;
  Tried tried = Tried::kCompiled;
};

// The CPUs of KnownTargets that LLVM lists and that are no generic names of another architecture, and RISC-V boards
// named by their instructions. Sorted by architecture, in KnownTargets' order.
const std::vector<NamedTarget>& NamedTargets();

// A word that people use for a board, a cloud's machine or an architecture.
struct Nickname {
  std::string_view word;   // in lower case, with letters and digits only
  std::string_view means;  // a text that ResolveTarget takes
};
const std::vector<Nickname>& Nicknames();

// The target's text that a word means, or empty. Case, dashes and underscores do not matter, nor does the size of a
// cloud's machine: "Raspberry-Pi-4" and "c7g.xlarge" are found.
std::string_view MeantByNickname(std::string_view word);

// The machine on which kernels with the target's instructions were run.
Tried TriedOn(const Target& target);

}  // namespace hone
