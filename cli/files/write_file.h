// Whole files, or nothing of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/files/piped_output.h"

namespace hone {

// Writes a temporary file beside `path`, fsyncs and renames: nothing is left half-written. A link stays and what it
// points at is written. What is no regular file (a device, a pipe) is written into. Throws Error: kCannotCreate (no
// such folder, not permitted, a folder or a block device, where the command's own report goes, or what OutputGuard
// keeps: inputs and record stores), kIo (the disk is full).
void WriteFileAtomically(const std::string& path, const std::string& bytes);
// The same of what need not fit into memory. Also throws what `write` throws: then nothing is left either.
void WriteFileAtomically(const std::string& path, const StreamWriter& write);

// Pairs of name and bytes, into a folder that is made when it is not there: all of them or none. Throws as above.
void WriteFilesAtomically(const std::string& folder, const std::vector<std::pair<std::string, std::string>>& files);

}  // namespace hone
