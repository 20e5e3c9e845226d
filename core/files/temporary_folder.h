// The folder for files that a process needs for a while.
#pragma once

#include <filesystem>

namespace hone {

// $TMPDIR, else /tmp; it may be missing.
std::filesystem::path TemporaryFolder();

}  // namespace hone
