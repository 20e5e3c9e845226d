#include "rpc_runner/process/spawned_program.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "rpc_runner/process/clock.h"

extern char** environ;

namespace hone {
namespace {

constexpr int kSocketBufferBytes = 1 << 20;
constexpr int64_t kLeaveNs = 2'000'000'000;

bool IsExecutable(const std::string& path) { return !path.empty() && access(path.c_str(), X_OK) == 0; }

std::string BesideThisProgram(const std::string& name) {
  const std::string program = ThisProgramsPath();
  return program.empty() ? "" : program.substr(0, program.rfind('/') + 1) + name;
}

bool IsToStart(std::string_view variable) {
  constexpr std::string_view kBeginnings[] = {
      "PATH=", "LD_", "QEMU_", "GLIBC_TUNABLES=", "ASAN_OPTIONS=", "LSAN_OPTIONS=", "TSAN_OPTIONS=", "UBSAN_OPTIONS="};
  return std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [variable](std::string_view beginning) { return variable.starts_with(beginning); });
}

std::vector<char*> EnvironmentFor(SpawnedProgram::Variables variables) {
  std::vector<char*> environment;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    if (variables == SpawnedProgram::Variables::kAll || IsToStart(*variable)) environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  return environment;
}

int Spawn(std::vector<std::string> words, int fd, int stderr_fd, char* const* environment, pid_t* pid) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // In this order: stderr_fd may itself be number kFd.
  if (stderr_fd >= 0) posix_spawn_file_actions_adddup2(&actions, stderr_fd, STDERR_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fd, SpawnedProgram::kFd);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  const int error = posix_spawnp(pid, argv[0], &actions, &attributes, argv.data(), environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

std::string ThisProgramsPath() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  if (length <= 0 || length == static_cast<ssize_t>(sizeof(path))) return "";
  return {path, static_cast<size_t>(length)};
}

std::string FindProgram(const std::string& name, const char* variable) {
  const std::string beside = BesideThisProgram(name);
  if (IsExecutable(beside)) return beside;
  const char* value = std::getenv(variable);
  const std::string named = value == nullptr ? "" : value;
  if (IsExecutable(named)) return named;
  throw Error(ExitCode::kNoRunner,
              fmt::format("no {} program at {} nor in ${} (\"{}\"); install it there or set the variable to its path",
                          name, beside, variable, named));
}

SpawnedProgram::SpawnedProgram(const std::string& program, const std::vector<std::string>& words, int stderr_fd,
                               Variables variables) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    throw Error(ExitCode::kNoRunner, fmt::format("no socketpair for {}: {}", program, std::strerror(errno)));
  }
  for (int fd : fds) setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &kSocketBufferBytes, sizeof(kSocketBufferBytes));
  std::vector<std::string> all = {program};
  all.insert(all.end(), words.begin(), words.end());
  const int error = Spawn(std::move(all), fds[1], stderr_fd, EnvironmentFor(variables).data(), &pid_);
  close(fds[1]);
  fd_ = fds[0];
  if (error != 0) {
    close(fd_);
    throw Error(ExitCode::kNoRunner, fmt::format("{} cannot be started: {}", program, std::strerror(error)));
  }
}

SpawnedProgram::~SpawnedProgram() {
  close(fd_);
  End(kLeaveNs);
}

std::optional<int> SpawnedProgram::Status() {
  if (!reaped_) {
    rusage used{};
    const pid_t got = wait4(pid_, &status_, WNOHANG, &used);
    if (got == pid_) peak_bytes_ = int64_t{used.ru_maxrss} << 10;
    reaped_ = got == pid_ || (got < 0 && errno != EINTR);
  }
  return reaped_ ? std::optional<int>(status_) : std::nullopt;
}

int SpawnedProgram::End(int64_t grace_ns) {
  const int64_t end_ns = MonotonicNs() + grace_ns;
  while (!Status()) {
    if (MonotonicNs() >= end_ns) kill(pid_, SIGKILL);
    usleep(500);
  }
  return status_;
}

}  // namespace hone
