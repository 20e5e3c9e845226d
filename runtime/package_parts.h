// Takes the bytes of a package file apart. docs/formats.md, "Package", holds the grammar.
#pragma once

#include <string>
#include <string_view>

#include "core/serialize.h"

namespace hone {

struct PackageParts {
  Json manifest;
  std::string_view graph, lib, params;  // into the bytes given
};

// Checks header, bounds and the hashes of manifest, graph and lib; the params' hash is left to CheckSectionHash. Any
// bytes may be given. Throws Error(kBadData) naming `name`, the section and why, also for a newer version.
PackageParts SplitPackage(std::string_view bytes, const std::string& name);

// The manifest alone, of a package's bytes: header, bounds and its own hash are checked. Throws Error as SplitPackage
// does.
Json ReadManifest(std::string_view bytes, const std::string& name);

// Compares one section with the manifest's entry ("graph", "lib" or "params"). Throws Error(kBadData).
void CheckSectionHash(const Json& manifest, const std::string& section, std::string_view bytes,
                      const std::string& name);

}  // namespace hone
