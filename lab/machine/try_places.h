// Checks whether hone can write to the folders that it needs.
#pragma once

#include <filesystem>
#include <string>

namespace hone {

// Makes a file in the folder and removes it; if the folder does not exist, in the nearest existing one above. Returns
// an empty text on success, else the reason: "/nonexistent: No such file or directory".
std::string WhyNoFileIn(const std::filesystem::path& folder);

// $TMPDIR, else /tmp.
std::filesystem::path TemporaryFolder();

}  // namespace hone
