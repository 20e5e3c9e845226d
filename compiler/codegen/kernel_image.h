// A package's kernels as they lie in memory, whatever machine they are for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone {

// All segments of a shared object, from its address 0 on, with zeros between them.
struct KernelImage {
  std::string bytes;
  std::map<std::string, uint64_t, std::less<>> functions;  // where in the bytes each of the exported ones begins
  std::string table;  // what the object exports as kKernelTableSymbol, up to its zero; empty where it does not
};

// `lib`: what LinkShared made. Code and constants find each other by their distance, so the bytes may lie at any
// multiple of 4096. Throws Error(kBadData) for what is no such object, and for one that holds addresses.
KernelImage ReadKernelImage(std::string_view lib);

}  // namespace hone
