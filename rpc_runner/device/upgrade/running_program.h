// The file that this process runs.
#pragma once

#include <string>
#include <string_view>

namespace hone {

struct RunningProgram {
  std::string path;     // as it was when the process started
  std::string version;  // HoneVersion
  std::string sha256;   // of the file
  std::string head;     // its first bytes, which say which machine it is for
};
// Read once per process. Throws Error(kIo) if the file cannot be read. Thread-safe.
const RunningProgram& ThisProgram();

// The reason why a file cannot run in place of `program`: it is not an ELF program, or is for another architecture.
// Empty if it can.
std::string WhyNotInPlaceOf(const RunningProgram& program, std::string_view file);

}  // namespace hone
