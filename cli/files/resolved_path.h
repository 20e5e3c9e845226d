// The file that a path names, with links resolved.
#pragma once

#include <string>

namespace hone {

// The path behind all symbolic links that `path` itself is, also when nothing is there yet; the folders above stay as
// they are written.
std::string ResolvedPath(const std::string& path);

// One text for every spelling of a path: absolute, without links and dots as far as the folders are there.
std::string CanonicalPath(const std::string& path);

}  // namespace hone
