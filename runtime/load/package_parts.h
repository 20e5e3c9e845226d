// Splits the bytes of a package file, or of a file that holds packages of one model for several targets.
// docs/reference/formats.md, "Package", holds the grammar.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/json/serialize.h"

namespace hone {

struct PackageSections {
  Json manifest;
  std::string_view graph, lib, params;  // into the bytes given
};

// Throws Error(kBadData), "NAME: WHY".
[[noreturn]] void RefusePackage(const std::string& name, const std::string& why);

// Checks the header, bounds and the hashes of manifest, graph and lib. The params' hash is left to CheckSectionHash.
// Any bytes may be given. Throws Error(kBadData) naming `name`, the section and the reason, also for a newer version.
PackageSections SplitPackage(std::string_view bytes, const std::string& name);

// Reads only the manifest from a package's bytes. Checks header, bounds and the manifest's own hash. Throws Error as
// SplitPackage does.
Json ReadManifest(std::string_view bytes, const std::string& name);

// Compares one section with the manifest's entry ("graph", "lib" or "params"). Throws Error(kBadData).
void CheckSectionHash(const Json& manifest, const std::string& section, std::string_view bytes,
                      const std::string& name);

// Whether the file holds packages for several targets. Decides by the first bytes.
bool IsFatPackage(std::string_view bytes);

// The packages in the file, each as the bytes of a package file, in the file's order: the one with the highest
// requirements first. They are views into `bytes`, and SplitPackage checks their content. Any bytes may be given.
// Throws Error(kBadData) naming `name` and the reason, also for a newer version.
std::vector<std::string_view> SplitFatPackage(std::string_view bytes, const std::string& name);

}  // namespace hone
