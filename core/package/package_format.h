// Constants of package files, shared by their writers (compiler, lab) and their reader (runtime).
// docs/reference/formats.md holds the grammar.
#pragma once

#include <cstdint>

namespace hone {

// A package of one target begins with PackageHeader, little endian. Sections start at multiples of kPackageAlign and do
// not overlap.
inline constexpr char kPackageMagic[8] = {'H', 'O', 'N', 'E', 'P', 'K', 'G', '\n'};
inline constexpr uint32_t kPackageVersion = 2;
inline constexpr uint64_t kPackageAlign = 4096;

// The lib's data symbol: zero-terminated JSON, a list of Artifacts with the stages, workspaces and operands that each
// kernel was compiled for.
inline constexpr char kKernelTableSymbol[] = "hone_kernels";

// The numbers are permanent.
enum PackageSection : uint32_t {
  kSectionManifest =
      0,               // JSON: hone and LLVM versions, target, required features, hashes of the others, dispatch table
  kSectionGraph = 1,   // JSON: the Plan
  kSectionLib = 2,     // ELF shared object with every kernel
  kSectionParams = 3,  // constants at the offsets that the Plan's buffers give
  kSectionCount = 4,
};

struct PackageSectionEntry {
  uint64_t offset_bytes;
  uint64_t size_bytes;
};

struct PackageHeader {
  char magic[8];
  uint32_t version;
  uint32_t section_count;  // kSectionCount
  PackageSectionEntry sections[kSectionCount];
  uint8_t manifest_sha256[32];  // of the manifest section's bytes; the manifest holds the hashes of the others
};
static_assert(sizeof(PackageHeader) == 8 + 4 + 4 + 16 * kSectionCount + 32, "the header has no padding");

inline constexpr char kFatPackageMagic[8] = {'H', 'O', 'N', 'E', 'F', 'A', 'T', '\n'};
inline constexpr uint32_t kFatPackageVersion = 1;
inline constexpr uint32_t kMostPackages = 64;

// A file with packages for several targets begins with this header, little endian, and the entries. Packages start at
// multiples of kPackageAlign and do not overlap. The package with the highest requirements comes first.
struct FatPackageHeader {
  char magic[8];
  uint32_t version;
  uint32_t count;  // 1 to kMostPackages
};
static_assert(sizeof(FatPackageHeader) == 8 + 4 + 4, "the header has no padding");

using FatPackageEntry = PackageSectionEntry;

}  // namespace hone
