// Another program of hone's as a process of ours.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hone {

// The running program's file; empty where the system does not tell.
std::string ThisProgramsPath();

// The program of that name beside the running one, else the path in the environment variable. Throws Error(kNoRunner)
// naming both places.
std::string FindProgram(const std::string& name, const char* variable);

// A spawned program with one end of a socketpair as its descriptor kFd, in a process group of its own so that a
// terminal's signals do not reach it. Thread-compatible.
class SpawnedProgram {
 public:
  static constexpr int kFd = 3;

  // Which of our environment's variables it gets: kToStart are those that loaders, emulators and sanitizers read.
  enum class Variables { kAll, kToStart };

  // `words` follow the program's name, which is looked for as a shell does. stderr_fd becomes its standard error; -1:
  // ours. Throws Error(kNoRunner) when it cannot be started.
  SpawnedProgram(const std::string& program, const std::vector<std::string>& words, int stderr_fd = -1,
                 Variables variables = Variables::kAll);
  // Closes the socketpair, upon which the program should leave; killed after 2 s if it has not.
  ~SpawnedProgram();
  SpawnedProgram(const SpawnedProgram&) = delete;
  SpawnedProgram& operator=(const SpawnedProgram&) = delete;

  int fd() const { return fd_; }
  pid_t pid() const { return pid_; }
  // Its status as waitpid gives it, once it has ended; absent while it runs. Does not wait.
  std::optional<int> Status();
  // Waits at most grace_ns for its end, then kills it. Reaps it; its status as waitpid gives it.
  int End(int64_t grace_ns);
  // Memory that it had at once, resident; known once it has ended.
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  int fd_ = -1;
  pid_t pid_ = -1;
  bool reaped_ = false;
  int status_ = 0;
  int64_t peak_bytes_ = 0;
};

}  // namespace hone
