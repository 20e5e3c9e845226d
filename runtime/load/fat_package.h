// A file that holds packages of one model for several targets.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone {

// Decides by the first bytes.
bool IsFatPackage(std::string_view bytes);

// The packages in the file, each as the bytes of a package file, in the file's order: the one with the highest
// requirements first. They are views into `bytes`, and SplitPackage checks their content. Any bytes may be given.
// Throws Error(kBadData) naming `name` and the reason, also for a newer version.
std::vector<std::string_view> SplitFatPackage(std::string_view bytes, const std::string& name);

}  // namespace hone
