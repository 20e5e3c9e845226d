// A package's kernels as they lie in memory, for any machine.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hone {

// All segments of a shared object, from its address 0 on, with zeros between them.
struct KernelImage {
  std::string bytes;
  std::map<std::string, uint64_t, std::less<>> functions;  // offset in the bytes of each exported function
  std::string table;  // the string that the object exports as kKernelTableSymbol, without its zero; empty if none
};

// `lib` is the result of LinkShared. Code and constants find each other by their distance, so the bytes may be loaded
// at any multiple of 4096. Throws Error(kBadData) for other bytes, and for an object that holds addresses.
KernelImage ReadKernelImage(std::string_view lib);

}  // namespace hone
