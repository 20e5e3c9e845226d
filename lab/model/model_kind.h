// Names mistakes about the file of a model or a package.
#pragma once

#include <string>

namespace hone {

// Throws Error, naming the way to a model, for what is most likely a mistake: kNoInput for an address of the web, a
// folder, and a file that does not exist; kBadData for files of other programs, images and packages. `path` is neither
// zoo:NAME nor a .relay file.
void RequireOnnxFile(const std::string& path);
// Throws Error(kNoInput) for zoo:NAME, a folder, and a file that does not exist.
void RequirePackageFile(const std::string& path);

}  // namespace hone
