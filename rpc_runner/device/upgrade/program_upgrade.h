// Replaces a runner's program: checks the new one, tries it beside the running one and puts it in its place.
// docs/reference/protocol.md, "Upgrading runners".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/hash/minisign.h"
#include "rpc_runner/process/spawned_program.h"

namespace hone {

// The file that this process runs.
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

struct UpgradeOptions {
  SigningPublicKey key;            // only programs signed with it are accepted
  std::vector<std::string> words;  // the program's arguments, after its name; the new program gets the same
};

// One upgrade, from the received file to the replaced program. Thread-compatible.
class ProgramUpgrade {
 public:
  static constexpr int64_t kTrialNs = 30'000'000'000;

  // Checks the file, writes it beside `program` as NAME.new and starts it with `--trial`. Leaves no file behind if it
  // throws Error:
  // - kNotAuthorised for a signature that is not the key's;
  // - kBadData for a file that may not replace `program` (docs/reference/protocol.md);
  // - kCannotCreate if the file cannot be written;
  // - kNoRunner if it does not start.
  ProgramUpgrade(const RunningProgram& program, const UpgradeOptions& options, const std::string& file,
                 const std::string& signature);
  // Ends a running trial and removes NAME.new if it is still there.
  ~ProgramUpgrade();
  ProgramUpgrade(const ProgramUpgrade&) = delete;
  ProgramUpgrade& operator=(const ProgramUpgrade&) = delete;

  const std::string& sha256() const { return sha256_; }
  // Whether the trial has succeeded. Throws Error(kNoRunner) if it failed or took longer than kTrialNs.
  bool IsTried(int64_t now_ns);
  // Call it after IsTried. Keeps the running file as NAME.previous and puts the new one in its place. Throws
  // Error(kCannotCreate) and leaves the running file in place.
  void PutInPlace();

 private:
  const std::string path_;
  const std::string sha256_;
  bool written_ = false;
  int64_t until_ns_ = 0;
  int says_ = -1;  // the trial's standard error
  std::unique_ptr<SpawnedProgram> trial_;
};

// The arguments for a trial and for the new program: `words` without those that only apply once, such as --enroll.
std::vector<std::string> WordsToStartAgain(const std::vector<std::string>& words);

// Replaces this process by the program at `path`. Only returns by throwing Error(kNoRunner).
[[noreturn]] void Become(const std::string& path, const std::vector<std::string>& words);

}  // namespace hone
