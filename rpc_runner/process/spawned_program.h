// Another program of hone as a child process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

// The running program's file; empty if the system does not tell.
std::string ThisProgramsPath();

// Finds the program of that name beside the running one, otherwise by the path in the environment variable. Throws
// Error(kNoRunner) naming both places.
std::string FindProgram(const std::string& name, const char* variable);

// A spawned program with one end of a socketpair as its descriptor kFd. It has its own process group, so that a
// terminal's signals do not reach it. Thread-compatible.
class SpawnedProgram {
 public:
  static constexpr int kFd = 3;

  // Environment variables that the program gets: kToStart are those that loaders, emulators and sanitizers read.
  enum class Variables { kAll, kToStart };

  // `words` follow the program's name, which is searched in PATH as a shell does. stderr_fd becomes its standard error;
  // -1 keeps that of this process. Throws Error(kNoRunner) if it cannot be started.
  SpawnedProgram(const std::string& program, const std::vector<std::string>& words, int stderr_fd = -1,
                 Variables variables = Variables::kAll);
  // Closes the socketpair, upon which the program should exit. Kills it if it has not after 2 s.
  ~SpawnedProgram();
  SpawnedProgram(const SpawnedProgram&) = delete;
  SpawnedProgram& operator=(const SpawnedProgram&) = delete;

  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }
  // Its status from waitpid once it has ended, absent while it runs. Does not wait.
  std::optional<int> Status();
  // Waits at most grace_ns for its end, kills it if needed and reaps it. Returns its status from waitpid.
  int End(int64_t grace_ns);
  // Its peak resident memory, known once it has ended.
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  int fd_ = -1;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  int64_t peak_bytes_ = 0;
};

}  // namespace hone
