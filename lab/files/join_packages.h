// Joins packages of one model for several targets or shapes into one file.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct NamedPackage {
  std::string name;   // origin, for messages
  std::string bytes;  // contents of a package file; a file with several packages is split
};

// The bytes of the file (docs/reference/formats.md, Packages for several targets). Packages that require the most of a
// machine come first, otherwise in the given order; each is kept byte for byte. Throws Error(kBadData) for damage or
// anything but a package. Throws Error(kUsage), naming both, if two packages differ in the names, types or ranks of
// their inputs and outputs. Also if one of two would never be used, because both have the same requirements and input
// shapes.
std::string JoinPackages(const std::vector<NamedPackage>& packages);

}  // namespace hone
