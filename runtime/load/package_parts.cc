#include "runtime/load/package_parts.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/package/package_format.h"

namespace hone {
namespace {

constexpr std::array<const char*, kSectionCount> kSectionNames = {"manifest", "graph", "lib", "params"};
constexpr uint64_t kMostText = uint64_t{256}
                               << 20;  // limit for manifest and graph: more would only exhaust the JSON parser

PackageHeader ReadHeader(std::string_view bytes, const std::string& name) {
  PackageHeader header;
  if (!bytes.starts_with(std::string_view(kPackageMagic, sizeof(kPackageMagic)))) {
    RefusePackage(name, "not a hone package; `hone build MODEL -o P.hone` makes one of a model");
  }
  if (bytes.size() < sizeof(header)) RefusePackage(name, "a damaged package: shorter than a package's header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.version != kPackageVersion) {
    const char* way_out = header.version < kPackageVersion ? "; build the model again: hone build MODEL -o P.hone" : "";
    RefusePackage(
        name, fmt::format("package format {}; this hone reads format {}{}", header.version, kPackageVersion, way_out));
  }
  if (header.section_count != kSectionCount) {
    RefusePackage(name,
                  fmt::format("header damaged: {} sections where {} belong", header.section_count, +kSectionCount));
  }
  return header;
}

std::array<std::string_view, kSectionCount> ReadSections(std::string_view bytes, const PackageHeader& header,
                                                         const std::string& name) {
  std::array<std::string_view, kSectionCount> sections;
  uint64_t free_from = sizeof(header);
  for (uint32_t i = 0; i < kSectionCount; ++i) {
    const auto [offset, size] = header.sections[i];
    const std::string section = kSectionNames[i];
    if (offset % kPackageAlign != 0) RefusePackage(name, section + " section is not page-aligned");
    if (offset < free_from) RefusePackage(name, section + " section overlaps the one before it");
    if (offset > bytes.size() || bytes.size() - offset < size) {
      RefusePackage(name, fmt::format("cut off: the {} section ends at byte {}, the file at {}", section, offset + size,
                                      bytes.size()));
    }
    if (i <= kSectionGraph && size > kMostText) RefusePackage(name, section + " section is too large");
    sections[i] = bytes.substr(offset, size);
    free_from = offset + size;
  }
  return sections;
}

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

void RefusePackage(const std::string& name, const std::string& why) {
  throw Error(ExitCode::kBadData, fmt::format("{}: {}", name, why));
}

void CheckSectionHash(const Json& manifest, const std::string& section, std::string_view bytes,
                      const std::string& name) {
  const auto sections = manifest.find("sections");
  if (sections == manifest.end() || !sections->is_object() || !sections->contains(section)) {
    RefusePackage(name, fmt::format("manifest: no sections.{}", section));
  }
  const Json& entry = (*sections)[section];
  if (!entry.is_object() || !entry.contains("sha256") || !entry["sha256"].is_string()) {
    RefusePackage(name, fmt::format("manifest: no sections.{}.sha256", section));
  }
  if (entry["sha256"].get<std::string>() != Sha256Hex(bytes)) {
    RefusePackage(name, fmt::format("{} section damaged: its hash is not the manifest's", section));
  }
}

PackageSections SplitPackage(std::string_view bytes, const std::string& name) {
  const auto sections = ReadSections(bytes, ReadHeader(bytes, name), name);
  PackageSections parts;
  parts.manifest = ReadManifest(bytes, name);
  parts.graph = sections[kSectionGraph];
  parts.lib = sections[kSectionLib];
  parts.params = sections[kSectionParams];
  CheckSectionHash(parts.manifest, "graph", parts.graph, name);
  CheckSectionHash(parts.manifest, "lib", parts.lib, name);
  return parts;
}

Json ReadManifest(std::string_view bytes, const std::string& name) {
  const PackageHeader header = ReadHeader(bytes, name);
  const std::string_view section = ReadSections(bytes, header, name)[kSectionManifest];
  const Sha256Digest digest = Sha256(section.data(), section.size());
  if (std::memcmp(digest.data(), header.manifest_sha256, digest.size()) != 0) {
    RefusePackage(name, "manifest section damaged: its hash is not the header's");
  }
  Json manifest = ParseJson(section, name + ": manifest");
  if (!manifest.is_object()) RefusePackage(name, "manifest: not an object");
  return manifest;
}

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
