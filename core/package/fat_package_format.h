// Constants of a file that holds packages for several targets, shared by its writer (cli) and its reader (runtime).
// docs/reference/formats.md holds the grammar.
#pragma once

#include <cstdint>

#include "core/package/package_format.h"

namespace hone {

inline constexpr char kFatPackageMagic[8] = {'H', 'O', 'N', 'E', 'F', 'A', 'T', '\n'};
inline constexpr uint32_t kFatPackageVersion = 1;
inline constexpr uint32_t kMostPackages = 64;

// The file begins with this header, little endian, followed by the entries. Packages start at multiples of
// kPackageAlign and do not overlap. The package with the highest requirements comes first.
struct FatPackageHeader {
  char magic[8];
  uint32_t version;
  uint32_t count;  // 1 to kMostPackages
};
static_assert(sizeof(FatPackageHeader) == 8 + 4 + 4, "the header has no padding");

using FatPackageEntry = PackageSectionEntry;

}  // namespace hone
