#include "rpc_runner/adapter/adapter_sandbox.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/json/serialize.h"
#include "core/text/printable.h"
#include "rpc_runner/adapter/sandbox_files.h"
#include "rpc_runner/adapter/sandbox_use.h"
#include "rpc_runner/executor/sandbox/account.h"
#include "rpc_runner/executor/sandbox/sandbox.h"
#include "rpc_runner/process/executor_process.h"
#include "rpc_runner/process/standard_streams.h"

extern char** environ;

namespace hone {
namespace {

constexpr long kLookNs = 50'000'000;
constexpr int64_t kTasksOfCore = 8, kTasksAtLeast = 256;
constexpr rlim_t kMostDescriptors = 1024;
// A status that no program has: the first process ended it for its use of the machine.
constexpr int kEndedForUse = -1;

[[noreturn]] void NoSandbox(std::string_view what) {
  throw Error(ExitCode::kBadConfig, fmt::format("this system gives no sandbox for adapters: {}: {}; runtimes are not "
                                                "offered without one",
                                                what, std::strerror(errno)));
}

AdapterSandbox SandboxFrom(const std::string& text) {
  const Json json = ParseJson(text, "the sandbox");
  return {"", TextsField(json, "reads"), IntegerField(json, "memory_bytes", 1), IntegerField(json, "most_tasks", 1),
          TextField(json, "user")};
}

void SetLimit(decltype(RLIMIT_CORE) resource, int64_t value) {
  const rlimit limit{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
  (void)setrlimit(resource, &limit);
}

void SetLimits(const AdapterSandbox& sandbox) {
  SetLimit(RLIMIT_CORE, 0);
  SetLimit(RLIMIT_DATA, sandbox.memory_bytes);
  SetLimit(RLIMIT_FSIZE, sandbox.memory_bytes);
  SetLimit(RLIMIT_NOFILE, kMostDescriptors);
  SetLimit(RLIMIT_MEMLOCK, 0);
  SetLimit(RLIMIT_MSGQUEUE, 0);
  SetLimit(RLIMIT_RTPRIO, 0);
  // Twice the count by which the program is ended, because others of the user count here too.
  SetLimit(RLIMIT_NPROC, 2 * sandbox.most_tasks);
}

// The variables that tell where programs and libraries lie; others may hold secrets of the runner.
std::vector<std::string> SafeVariables() {
  constexpr std::string_view kKept[] = {
      "PATH=", "LANG=", "LC_", "TZ=", "PYTHON", "LD_LIBRARY_PATH=", "OMP_", "HONE_ADAPTER_MARK="};
  std::vector<std::string> variables = {"HOME=/tmp", "TMPDIR=/tmp"};
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    if (std::any_of(std::begin(kKept), std::end(kKept), [&](auto kept) { return variable.starts_with(kept); })) {
      variables.emplace_back(variable);
    }
  }
  return variables;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// The program itself, which never returns.
[[noreturn]] void RunConfined(const AdapterSandbox& sandbox, const std::optional<Account>& account,
                              std::vector<std::string> words) {
  std::vector<std::string> variables = SafeVariables();
  SetLimits(sandbox);
  if (!LeaveRoot(account)) NoSandbox("it has no other user than root");
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (!ForbidEscapes()) NoSandbox("no filter of system calls");
  const std::vector<char*> arguments = Pointers(words), told = Pointers(variables);
  environ = const_cast<char**>(told.data());
  execvp(words[0].c_str(), arguments.data());
  throw Error(ExitCode::kBadConfig,
              fmt::format("{} cannot be started in the sandbox: {}; --runtime-reads FOLDER shows it what it needs",
                          words[0], std::strerror(errno)));
}

// Waits for the program's end or until it uses more than it may. Other processes of the namespace are reaped.
int AwaitEnd(pid_t program, const AdapterSandbox& sandbox) {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  const timespec look{0, kLookNs};
  for (;;) {
    for (int status = 0;;) {
      const pid_t ended = waitpid(-1, &status, WNOHANG);
      if (ended == program) return status;
      if (ended <= 0) break;
    }
    if (const std::string excess = ExcessOf(UseOfNamespace(), sandbox); !excess.empty()) {
      WriteToStderr("the sandbox ended it: " + excess + "\n");
      FlushStdout();
      return kEndedForUse;
    }
    sigtimedwait(&children, nullptr, &look);
  }
}

// The first process of the PID namespace: the kernel ends all others in it with this one.
[[noreturn]] void KeepAdapter(const AdapterSandbox& sandbox, SandboxFiles& files, const std::optional<Account>& account,
                              const std::vector<std::string>& words, int told) {
  try {
    files.Enter(sandbox.memory_bytes);
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    const pid_t program = fork();
    if (program == 0) {
      sigprocmask(SIG_UNBLOCK, &children, nullptr);
      RunConfined(sandbox, account, words);
    }
    if (program < 0) NoSandbox("no process");
    LeaveRoot(account);
    // The program has this process's user, and may not look into its memory.
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pollfd parent{told, 0, 0};
    if (poll(&parent, 1, 0) > 0) _exit(0);  // it ended before the death signal was set
    CloseAllBut(told, 3);
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    const int status = AwaitEnd(program, sandbox);
    [[maybe_unused]] const ssize_t written = write(told, &status, sizeof(status));
  } catch (const Error& error) {
    WriteToStderr(ErrorLine("hone-runner", error.what()));
    _exit(static_cast<int>(error.code()));
  }
  _exit(0);
}

// Ends as the program did.
int EndAs(int status) {
  if (status == kEndedForUse) return static_cast<int>(ExitCode::kNoRunner);
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const int number = WTERMSIG(status);
  signal(number, SIG_DFL);
  SetLimit(RLIMIT_CORE, 0);
  kill(getpid(), number);
  return 128 + number;
}

}  // namespace

std::vector<std::string> InSandbox(const AdapterSandbox& sandbox, const std::vector<std::string>& words) {
  const int64_t cores = std::max<int64_t>(1, sysconf(_SC_NPROCESSORS_CONF));
  const Json json = {{"reads", sandbox.reads},
                     {"memory_bytes", sandbox.memory_bytes},
                     {"most_tasks", sandbox.most_tasks > 0 ? sandbox.most_tasks : kTasksAtLeast + kTasksOfCore * cores},
                     {"user", sandbox.user}};
  std::vector<std::string> all = {sandbox.program.empty() ? FindRunnerProgram() : sandbox.program, kSandboxWord,
                                  DumpJson(json)};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

int SandboxMain(const std::vector<std::string>& words) {
  if (words.size() < 2) throw Error(ExitCode::kUsage, "--sandbox takes a description and a program");
  const AdapterSandbox sandbox = SandboxFrom(words[0]);
  const std::optional<Account> account = AccountFor(sandbox.user);
  if (!EnterUsers()) NoSandbox("no namespace of users");
  SandboxFiles files(sandbox.reads);
  if (unshare(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0) NoSandbox("no namespaces");
  int told[2];
  if (pipe(told) != 0) NoSandbox("no pipe");
  const pid_t keeper = fork();
  if (keeper == 0) KeepAdapter(sandbox, files, account, {words.begin() + 1, words.end()}, told[1]);
  if (keeper < 0) NoSandbox("no process");
  CloseAllBut(told[0], 3);
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  int status = 0, of_keeper = 0;
  const bool ended = read(told[0], &status, sizeof(status)) == sizeof(status);
  waitpid(keeper, &of_keeper, 0);
  return EndAs(ended ? status : of_keeper);
}

}  // namespace hone
