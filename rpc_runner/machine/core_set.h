// Sets of cores: as users choose them, as records name them, and as text for people.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/machine/cpus.h"

namespace hone {

// The CPUs that --cores names, ascending. `words` are separated by '+', and each narrows `places`:
// - a kind ("cortex-a72", "atom");
// - "big" (within a tenth of the fastest) and "little" (the others);
// - "nosmt" (one CPU per core);
// - "node0".
// Throws Error(kUsage), naming what the machine has, for any other word and if no CPU is left.
std::vector<int> ChooseCores(std::string_view words, const std::vector<CpuPlace>& places);

// As ChooseCores, on this machine and among the CPUs that affinity allows. Also takes a list of numbers for
// ParseCoreList.
std::vector<int> CoresOfThisMachine(std::string_view text);

// Environment.core_kind for the CPUs `used` of a machine with CPUs `all`. If the machine has several kinds, the kinds
// of `used` with commas between them. If not all CPUs are used, it also says what is mixed:
// - the number of each kind, if there are several ("cortex-a53*1,cortex-a72*4");
// - "smt" if some share a core;
// - "nodes2" if they are on two nodes.
std::string CoreSetText(const std::vector<CpuPlace>& used, const std::vector<CpuPlace>& all);

// A text for people: "CPUs 4-7 of 0-7: 4 cortex-a72, one of each core".
std::string CoreSetInWords(const std::vector<CpuPlace>& used, const std::vector<CpuPlace>& all);

// Whether threads on them run at different speeds: there are several kinds, siblings or nodes.
bool IsMixed(const std::vector<CpuPlace>& used);

}  // namespace hone
