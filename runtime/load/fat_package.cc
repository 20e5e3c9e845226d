#include "runtime/load/fat_package.h"

#include <fmt/format.h>

#include <cstring>

#include "core/error.h"
#include "core/package/package_format.h"
#include "runtime/load/package_parts.h"

namespace hone {
namespace {

uint32_t ReadCount(std::string_view bytes, const std::string& name) {
  FatPackageHeader header;
  if (bytes.size() < sizeof(header)) RefusePackage(name, "cut off within its header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.version != kFatPackageVersion) {
    RefusePackage(name, fmt::format("format {} of packages for several targets; this hone reads format {}",
                                    header.version, kFatPackageVersion));
  }
  if (header.count == 0 || header.count > kMostPackages) {
    RefusePackage(name, fmt::format("header damaged: {} packages where 1 to {} belong", header.count, kMostPackages));
  }
  if (bytes.size() < sizeof(header) + header.count * sizeof(FatPackageEntry))
    RefusePackage(name, "cut off within its header");
  return header.count;
}

}  // namespace

bool IsFatPackage(std::string_view bytes) {
  return bytes.starts_with(std::string_view(kFatPackageMagic, sizeof(kFatPackageMagic)));
}

std::vector<std::string_view> SplitFatPackage(std::string_view bytes, const std::string& name) {
  const uint32_t count = ReadCount(bytes, name);
  std::vector<std::string_view> packages;
  uint64_t free_from = sizeof(FatPackageHeader) + count * sizeof(FatPackageEntry);
  for (uint32_t i = 0; i < count; ++i) {
    FatPackageEntry entry;
    std::memcpy(&entry, bytes.data() + sizeof(FatPackageHeader) + i * sizeof(entry), sizeof(entry));
    if (entry.offset_bytes % kPackageAlign != 0)
      RefusePackage(name, fmt::format("package {} is not page-aligned", i + 1));
    if (entry.offset_bytes < free_from)
      RefusePackage(name, fmt::format("package {} overlaps what is before it", i + 1));
    if (entry.offset_bytes > bytes.size() || bytes.size() - entry.offset_bytes < entry.size_bytes) {
      RefusePackage(name, fmt::format("cut off: package {} of {} does not end in the file of {} bytes", i + 1, count,
                                      bytes.size()));
    }
    packages.push_back(bytes.substr(entry.offset_bytes, entry.size_bytes));
    free_from = entry.offset_bytes + entry.size_bytes;
  }
  return packages;
}

}  // namespace hone
