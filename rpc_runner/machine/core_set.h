// Which cores of a machine are used: as people choose them, as records name them, and in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rpc_runner/machine/cpu_place.h"

namespace hone {

// The CPUs that --cores says, ascending. Words with '+' between them, of which each narrows `places`: a kind
// ("cortex-a72", "atom"), "big" (the fastest, to a tenth) and "little" (the others), "nosmt" (one of each core),
// "node0". Throws Error(kUsage) for any other word and when none is left, naming what the machine has.
std::vector<int> ChooseCores(std::string_view words, const std::vector<CpuPlace>& places);

// The same on this machine, of the CPUs that affinity allows, or a list of numbers as ParseCoreList reads it.
std::vector<int> CoresOfThisMachine(std::string_view text);

// Environment.core_kind. Of `used`, CPUs of a machine that has `all`: the kinds, with commas between them, where the
// machine has several. Where not all are used and they are not alike: how many of each kind ("cortex-a53*1,
// cortex-a72*4" without the blank), "smt" where two are of one core, "nodes2" where they are of two nodes.
std::string CoreSetText(const std::vector<CpuPlace>& used, const std::vector<CpuPlace>& all);

// For people: "CPUs 4-7 of 0-7: 4 cortex-a72, one of each core".
std::string CoreSetInWords(const std::vector<CpuPlace>& used, const std::vector<CpuPlace>& all);

// Whether threads on them end at different times: several kinds, siblings or nodes.
bool IsMixed(const std::vector<CpuPlace>& used);

}  // namespace hone
