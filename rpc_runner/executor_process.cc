#include "rpc_runner/executor_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "rpc_runner/clock.h"

extern char** environ;

namespace hone {
namespace {

constexpr int kExecutorFd = 3;
constexpr int kSocketBufferBytes = 1 << 20;

bool IsProgram(const std::string& path) { return !path.empty() && access(path.c_str(), X_OK) == 0; }

std::string BesideThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0 || length == static_cast<ssize_t>(sizeof(path))) return "";
  const std::string program(path, static_cast<size_t>(length));
  return program.substr(0, program.rfind('/') + 1) + "hone-runner";
}

int Spawn(const std::string& program, const std::string& cores, int fd, pid_t* pid) {
  std::vector<std::string> words = {program, "--executor", std::to_string(kExecutorFd)};
  if (!cores.empty()) words.insert(words.end(), {"--cores", cores});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd, kExecutorFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawn(pid, program.c_str(), &actions, &attributes, argv.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string FindRunnerProgram() {
  const std::string beside = BesideThisProgram();
  if (IsProgram(beside)) return beside;
  const char* variable = std::getenv("HONE_RUNNER_PROGRAM");
  const std::string named = variable == nullptr ? "" : variable;
  if (IsProgram(named)) return named;
  throw Error(ExitCode::kNoRunner,
              fmt::format("no hone-runner program at {} nor in $HONE_RUNNER_PROGRAM (\"{}\"); install "
                          "it there or set the variable to its path",
                          beside, named));
}

ExecutorProcess::ExecutorProcess(const std::vector<int>& cores) {
  const std::string program = FindRunnerProgram();
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    throw Error(ExitCode::kNoRunner, fmt::format("no socketpair for the executor: {}", std::strerror(errno)));
  }
  for (int fd : fds) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof(kSocketBufferBytes));
  const int error = Spawn(program, fmt::format("{}", fmt::join(cores, ",")), fds[1], &pid_);
  close(fds[1]);
  fd_ = fds[0];
  if (error != 0) {
    close(fd_);
    throw Error(ExitCode::kNoRunner, fmt::format("{} cannot be started: {}", program, std::strerror(error)));
  }
}

ExecutorProcess::~ExecutorProcess() {
  close(fd_);
  const int64_t end_ns = MonotonicNs() + 2'000'000'000;
  while (waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (MonotonicNs() > end_ns) kill(pid_, SIGKILL);
    usleep(500);
  }
}

}  // namespace hone
