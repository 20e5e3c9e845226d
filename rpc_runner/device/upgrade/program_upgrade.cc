#include "rpc_runner/device/upgrade/program_upgrade.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "core/version.h"
#include "rpc_runner/process/clock.h"
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

constexpr std::string_view kName = "hone-runner ";
constexpr size_t kMostWhyBytes = 1000;

// The numbers of "1.2.3"; absent for anything else.
std::optional<std::vector<int64_t>> VersionNumbers(std::string_view text) {
  std::vector<int64_t> numbers;
  for (const std::string_view part : Split(text, '.')) {
    const std::optional<int64_t> number = ParseInteger(part);
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

// The signature of an old program stays valid forever. Without this check, its owner could bring back old faults.
void CheckVersion(std::string_view comment, const std::string& ours) {
  const std::string_view after = comment.starts_with(kName) ? comment.substr(kName.size()) : "";
  const std::string_view theirs = after.substr(0, after.find(' '));
  const auto numbers = VersionNumbers(theirs);
  if (theirs.empty() || !numbers) {
    throw Error(ExitCode::kBadData, fmt::format("the signature's trusted comment is \"{}\"; \"hone-runner VERSION\" "
                                                "would be right",
                                                Printable(comment)));
  }
  if (*numbers < VersionNumbers(ours)) {
    throw Error(ExitCode::kBadData, fmt::format("it is hone-runner {}, older than {}, which runs here", theirs, ours));
  }
}

void WriteProgram(const std::string& path, const std::string& bytes) {
  unlink(path.c_str());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
  const bool ok = fd >= 0 && fchmod(fd, 0755) == 0 && WriteAll(fd, bytes) && fsync(fd) == 0;
  const int why = errno;
  if (fd >= 0) close(fd);
  if (ok) return;
  if (fd >= 0) unlink(path.c_str());
  throw Error(ExitCode::kCannotCreate, fmt::format("cannot write {}: {}", path, std::strerror(why)));
}

// Reads the pipe's present contents and returns their last line.
std::string LastLine(int fd) {
  std::string text;
  char part[4096];
  for (ssize_t n = 0; (n = read(fd, part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(n));
  while (text.ends_with('\n')) text.pop_back();
  return Printable(text.substr(text.rfind('\n') + 1).substr(0, kMostWhyBytes));
}

std::string HowItEnded(int status) {
  return WIFSIGNALED(status) ? fmt::format("was ended by signal {}", WTERMSIG(status))
                             : fmt::format("ended with code {}", WEXITSTATUS(status));
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

ProgramUpgrade::ProgramUpgrade(const RunningProgram& program, const UpgradeOptions& options, const std::string& file,
                               const std::string& signature)
    : path_(program.path), sha256_(Sha256Hex(file)) {
  CheckVersion(CheckSignature(file, signature, options.key), program.version);
  if (const std::string why = WhyNotInPlaceOf(program, file); !why.empty()) throw Error(ExitCode::kBadData, why);
  WriteProgram(path_ + ".new", file);
  written_ = true;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    unlink((path_ + ".new").c_str());
    throw Error(ExitCode::kIo, fmt::format("no pipe for the trial: {}", std::strerror(errno)));
  }
  says_ = ends[0];
  try {
    std::vector<std::string> words = WordsToStartAgain(options.words);
    words.insert(words.begin(), "--trial");
    trial_ = std::make_unique<SpawnedProgram>(path_ + ".new", words, ends[1]);
  } catch (...) {
    close(ends[0]);
    close(ends[1]);
    unlink((path_ + ".new").c_str());
    throw;
  }
  close(ends[1]);
  until_ns_ = MonotonicNs() + kTrialNs;
}

ProgramUpgrade::~ProgramUpgrade() {
  if (!trial_->Status()) kill(trial_->pid(), SIGKILL);
  trial_.reset();
  close(says_);
  if (written_) unlink((path_ + ".new").c_str());
}

bool ProgramUpgrade::IsTried(int64_t now_ns) {
  const std::optional<int> status = trial_->Status();
  if (status && *status == 0) return true;
  if (status) {
    throw Error(ExitCode::kNoRunner, fmt::format("its trial {}: {}", HowItEnded(*status), LastLine(says_)));
  }
  if (now_ns > until_ns_) {
    throw Error(ExitCode::kNoRunner, fmt::format("its trial took longer than {} s", kTrialNs / 1'000'000'000));
  }
  return false;
}

void ProgramUpgrade::PutInPlace() {
  const std::string previous = path_ + ".previous";
  unlink(previous.c_str());
  if (link(path_.c_str(), previous.c_str()) != 0 || std::rename((path_ + ".new").c_str(), path_.c_str()) != 0) {
    throw Error(ExitCode::kCannotCreate, fmt::format("cannot replace {}: {}", path_, std::strerror(errno)));
  }
  written_ = false;
}

std::vector<std::string> WordsToStartAgain(const std::vector<std::string>& words) {
  std::vector<std::string> again;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--enroll") {
      ++i;  // skips its code
    } else if (!words[i].starts_with("--enroll=")) {
      again.push_back(words[i]);
    }
  }
  return again;
}

void Become(const std::string& path, const std::vector<std::string>& words) {
  std::vector<std::string> all = {path};
  const std::vector<std::string> again = WordsToStartAgain(words);
  all.insert(all.end(), again.begin(), again.end());
  std::vector<char*> argv;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(path.c_str(), argv.data());
  throw Error(ExitCode::kNoRunner, fmt::format("{} cannot be started: {}", path, std::strerror(errno)));
}

}  // namespace hone
