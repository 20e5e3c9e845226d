// Files by the paths that users give.
#pragma once

#include <string>

#include "cli/files/input_file.h"

namespace hone {

// Whether anything is there; not where the system cannot even look, as for a name that is too long. Throws
// Error(kNotAuthorised) where a folder on the way may not be entered: nobody knows then.
bool IsThere(const std::string& path);

// A whole regular file into memory. Throws Error: kNoInput when there is no such file or it is another thing (a folder,
// a pipe, a device), kNotAuthorised when it may not be read, kIo when it cannot be.
std::string ReadFile(const std::string& path, InputFile::Use use = InputFile::Use::kInput);

// SHA-256 of a regular file in 64 hex digits, read without a copy of it; empty where nothing is there. Throws Error as
// ReadFile does.
std::string Sha256OfFile(const std::string& path);

}  // namespace hone
