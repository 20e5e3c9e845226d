// Writes whole files or nothing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/files/piped_output.h"

namespace hone {

// Writes a temporary file beside `path`, fsyncs and renames it, so no partly written file is left. A link is kept and
// its target is written. A device or a pipe is written into. Throws Error(kIo) if the disk is full. Throws
// Error(kCannotCreate) for a missing folder, a lack of permission, a folder or a block device. Also for the command's
// own standard output, and for files that OutputGuard protects: inputs and record stores.
void WriteFileAtomically(const std::string& path, const std::string& bytes);
// Writes contents that need not fit into memory. Also throws what `write` throws; nothing is left then either.
void WriteFileAtomically(const std::string& path, const StreamWriter& write);

// Makes a folder and those that it lies in; one that is there is kept. Throws Error(kCannotCreate).
void MakeFolder(const std::string& folder);

// Writes pairs of name and bytes into a folder, which is made if it is missing: all files or none. Throws as above.
void WriteFilesAtomically(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace hone
