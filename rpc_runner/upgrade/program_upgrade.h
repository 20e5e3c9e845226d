// A runner becomes another program: checked, tried beside the running one, then put in its place. docs/protocol.md,
// "Upgrading runners".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/minisign.h"
#include "rpc_runner/process/spawned_program.h"
#include "rpc_runner/upgrade/running_program.h"

namespace hone {

struct UpgradeOptions {
  SigningPublicKey key;            // whose programs are taken
  std::vector<std::string> words;  // that the program was started with, after its name; the new one gets the same
};

// One upgrade, from the file's bytes to its place. Thread-compatible.
class ProgramUpgrade {
 public:
  static constexpr int64_t kTrialNs = 30'000'000'000;

  // Checks the file, writes it beside `program` as NAME.new and starts it with `--trial`. Throws Error, with nothing
  // left behind: kNotAuthorised for a signature that is not the key's, kBadData for what may not take the place of
  // `program` (docs/protocol.md), kCannotCreate, kNoRunner when it does not start.
  ProgramUpgrade(const RunningProgram& program, const UpgradeOptions& options, const std::string& file,
                 const std::string& signature);
  // Ends a trial that is under way and removes NAME.new where it is still there.
  ~ProgramUpgrade();
  ProgramUpgrade(const ProgramUpgrade&) = delete;
  ProgramUpgrade& operator=(const ProgramUpgrade&) = delete;

  const std::string& sha256() const { return sha256_; }
  // Whether the trial has ended well. Throws Error(kNoRunner) when it ended otherwise or took longer than kTrialNs.
  bool IsTried(int64_t now_ns);
  // After IsTried: keeps the running file as NAME.previous and puts the new one in its place. Throws
  // Error(kCannotCreate), with the running file where it was.
  void PutInPlace();

 private:
  const std::string path_;
  const std::string sha256_;
  bool written_ = false;
  int64_t until_ns_ = 0;
  int says_ = -1;  // the trial's standard error
  std::unique_ptr<SpawnedProgram> trial_;
};

// The words of a trial and of the program after it: `words` without what holds once, as --enroll.
std::vector<std::string> WordsToStartAgain(const std::vector<std::string>& words);

// Becomes the program at `path`. Does not return but by throwing Error(kNoRunner).
[[noreturn]] void Become(const std::string& path, const std::vector<std::string>& words);

}  // namespace hone
