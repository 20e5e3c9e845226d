// Whether hone can write where it will have to.
#pragma once

#include <filesystem>
#include <string>

namespace hone {

// Makes a file in the folder and takes it away again; where the folder is not there yet, in the nearest one above it
// that is. Empty when that worked, else why it did not: "/nonexistent: No such file or directory".
std::string WhyNoFileIn(const std::filesystem::path& folder);

// $TMPDIR, else /tmp.
std::filesystem::path TemporaryFolder();

}  // namespace hone
