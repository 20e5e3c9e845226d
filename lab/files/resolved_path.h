// The file that a path names, with links resolved.
#pragma once

#include <string>

namespace hone {

// Follows `path` while it is a symbolic link, also if the end does not exist yet. Folders above it stay as written.
std::string ResolvedPath(const std::string& path);

// One text for every spelling of a path: absolute, without links and dots as far as its folders exist.
std::string CanonicalPath(const std::string& path);

}  // namespace hone
