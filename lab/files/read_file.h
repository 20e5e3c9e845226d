// Reads files by the paths that users give.
#pragma once

#include <string>

#include "lab/files/input_file.h"

namespace hone {

// Whether the path exists. False if the system cannot look it up, as with a name that is too long. Throws
// Error(kNotAuthorised) if a folder on the way may not be entered, because then the answer is unknown.
bool IsThere(const std::string& path);

// Reads a whole regular file into memory. Throws Error(kNoInput) if there is no such file or it is something else (a
// folder, a pipe, a device). Throws Error: kNotAuthorised if it may not be read; kIo if reading fails.
std::string ReadFile(const std::string& path, InputFile::Use use = InputFile::Use::kInput);

// SHA-256 of a regular file in 64 hex digits, computed without a copy in memory. Empty if there is no file. Throws
// Error as ReadFile does.
std::string Sha256OfFile(const std::string& path);

}  // namespace hone
