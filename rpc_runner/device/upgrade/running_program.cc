#include "rpc_runner/device/upgrade/running_program.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/version.h"
#include "rpc_runner/process/spawned_program.h"
#include "runtime/small_file.h"

namespace hone {
namespace {

// The fields up to e_machine have the same offsets in 32-bit and 64-bit files.
constexpr size_t kHeadBytes = offsetof(Elf64_Ehdr, e_version);
static_assert(kHeadBytes == offsetof(Elf32_Ehdr, e_version));

bool IsElfProgram(std::string_view head) {
  if (head.size() < kHeadBytes || !head.starts_with(std::string_view(ELFMAG, SELFMAG))) return false;
  uint16_t type = 0;
  std::memcpy(&type, head.data() + offsetof(Elf64_Ehdr, e_type), sizeof type);
  return type == ET_EXEC || type == ET_DYN;
}

// Compares width, byte order and machine. Ignores e_type, which differs between static and position-independent
// programs.
bool SameMachine(std::string_view a, std::string_view b) {
  constexpr size_t kMachine = offsetof(Elf64_Ehdr, e_machine);
  return a.substr(EI_CLASS, 2) == b.substr(EI_CLASS, 2) && a.substr(kMachine, 2) == b.substr(kMachine, 2);
}

RunningProgram Read() {
  RunningProgram program;
  program.path = ThisProgramsPath();
  const std::string bytes = ReadSmallFile(program.path).value_or("");
  if (bytes.empty()) throw Error(ExitCode::kIo, fmt::format("cannot read this program, \"{}\"", program.path));
  program.version = HoneVersion();
  program.sha256 = Sha256Hex(bytes);
  program.head = bytes.substr(0, kHeadBytes);
  return program;
}

}  // namespace

const RunningProgram& ThisProgram() {
  static const RunningProgram program = Read();
  return program;
}

std::string WhyNotInPlaceOf(const RunningProgram& program, std::string_view file) {
  if (!IsElfProgram(file)) return "the file is no ELF program";
  return SameMachine(file, program.head) ? "" : "the file is a program for another architecture than this device's";
}

}  // namespace hone
