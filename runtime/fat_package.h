// A file that holds packages of one model for several targets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// By its first bytes.
bool IsFatPackage(std::string_view bytes);

// The packages in it, each as the bytes of a package file, in the file's order: the one that asks most of a machine
// first. They are views into `bytes`; what is in them is for SplitPackage to check. Any bytes may be given. Throws
// Error(kBadData) naming `name` and why, also for a newer version.
std::vector<std::string_view> SplitFatPackage(std::string_view bytes, const std::string& name);

}  // namespace hone
