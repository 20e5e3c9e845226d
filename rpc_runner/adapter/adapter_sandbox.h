// The sandbox of a runtime's adapter on a runner: docs/why/security.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hone {

// The parts of the machine that an adapter gets. It has no network, sees no other process, and writes only to a /tmp of its own
// that disappears with it.
struct AdapterSandbox {
  std::string program;             // hone-runner's file, which enters it; empty: as FindRunnerProgram finds it
  std::vector<std::string> reads;  // files and folders that it sees besides the system's programs and libraries
  int64_t memory_bytes = 0;        // all its processes and files together
  int64_t most_tasks = 0;          // processes and threads; 0: enough for this machine's cores
  std::string user;                // the user that it runs as if root started it; empty: nobody
};

// The name of the first argument with which hone-runner enters a sandbox.
inline constexpr const char* kSandboxWord = "--sandbox";

// The words that run `words` in the sandbox: those of this program, which then calls SandboxMain.
std::vector<std::string> InSandbox(const AdapterSandbox& sandbox, const std::vector<std::string>& words);

// Runs a program in the sandbox that InSandbox described; `words` follow kSandboxWord. Everything in it ends with this
// process and with the program. Returns the program's exit code, or ends by its signal. Throws Error(kBadConfig) if
// this system has no such sandbox. Call it while the process has one thread.
int SandboxMain(const std::vector<std::string>& words);

}  // namespace hone
