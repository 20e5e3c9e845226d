// The ahead-of-time executor: a plan as one function of an object that needs nothing else.
//
//   NAME.o   .text    NAME_run: each call's operands, then its stages, in the plan's order
//                     the kernels' image
//            .rodata  the parameters
//            .bss     a run's working memory, used unless the caller passes its own
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/package/plan.h"

namespace hone {

// A package's kernels as they lie in memory, for any machine.

// All segments of a shared object, from its address 0 on, with zeros between them.
struct KernelImage {
  std::string bytes;
  std::map<std::string, uint64_t, std::less<>> functions;  // offset in the bytes of each exported function
  std::string table;  // the string that the object exports as kKernelTableSymbol, without its zero; empty if none
};

// `lib` is the result of LinkShared. Code and constants find each other by their distance, so the bytes may be loaded
// at any multiple of 4096. Throws Error(kBadData) for other bytes, and for an object that holds addresses.
KernelImage ReadKernelImage(std::string_view lib);

struct AotModel {
  const Plan& plan;
  const KernelImage& image;  // the package's kernels, which must be those of the plan (runtime/load/match_kernels.h)
  std::string_view params;   // the package's parameters
  std::string name;          // prefix of its symbols: a name in C
};

// Makes a relocatable object for the plan's target with the global function
//
//   int32_t NAME_run(const void* input_0, ..., void* output_0, ..., void* memory);
//
// for the inputs and outputs in the plan's order. It computes the same bits as a Session, on the caller's thread.
// Denormal numbers are taken for zero; afterwards the caller's control word is restored. If `memory` is null, the
// object uses its own memory, which only one run at a time may use. Else it is AotMemoryBytes at a multiple of 64,
// zeroed before the first run. NAME_run returns 0, or the first other code that a stage returned. The object refers to
// no other.
//
// Throws Error: kBadData if a kernel of the plan is missing; kBadConfig for a target whose code must first ask the
// system for more registers; kUsage for a plan whose output shapes depend on data, and for more than 2 GiB, the reach
// of code.
std::string EmitAotObject(const AotModel& model);

// Bytes of a run's working memory, the arena and one worker's workspaces; a multiple of 64.
int64_t AotMemoryBytes(const Plan& plan);

}  // namespace hone
