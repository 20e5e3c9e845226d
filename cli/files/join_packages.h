// Packages of one model for several targets or shapes, in one file.
#pragma once

#include <string>
#include <vector>

namespace hone {

struct NamedPackage {
  std::string name;   // for messages: where it came from
  std::string bytes;  // of a package file; one that holds several is taken apart
};

// The bytes of the file (docs/formats.md, Packages for several targets): what asks most of a machine first, else in the
// order given. Each stays as it is, byte for byte. Throws Error: kBadData for what is no package or is damaged; kUsage,
// naming both, when two do not take and give tensors of the same names, types and ranks, or when one of them would
// never be taken because both need the same of a machine and take the same shapes.
std::string JoinPackages(const std::vector<NamedPackage>& packages);

}  // namespace hone
