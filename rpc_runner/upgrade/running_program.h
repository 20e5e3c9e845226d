// The file that this process runs.
#pragma once

#include <string>
#include <string_view>

namespace hone {

struct RunningProgram {
  std::string path;     // as it was when the process began
  std::string version;  // HoneVersion
  std::string sha256;   // of the file
  std::string head;     // its first bytes, which say what machine it is for
};
// Read once in a process. Throws Error(kIo) when the file cannot be read. Thread-safe.
const RunningProgram& ThisProgram();

// What is wrong with a file that is to run where `program` does: not an ELF program, or one for another architecture.
// Empty: nothing.
std::string WhyNotInPlaceOf(const RunningProgram& program, std::string_view file);

}  // namespace hone
