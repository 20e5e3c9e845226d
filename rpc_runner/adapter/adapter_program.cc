#include "rpc_runner/adapter/adapter_program.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/text/parse_number.h"
#include "core/text/printable.h"
#include "rpc_runner/process/clock.h"
#include "runtime/small_file.h"

extern char** environ;

namespace hone {
namespace {

constexpr int64_t kMostStderrBytes = int64_t{64} << 20;
constexpr size_t kLastWordsBytes = 4096, kShownBytes = 80;
constexpr int64_t kHelpersLeaveNs = 2'000'000'000;
constexpr int64_t kLookForStopMs = 50;
constexpr int kMostSweeps = 20, kMostWrappers = 3;
constexpr const char* kMark = "HONE_ADAPTER_MARK=";

// Processes whose environment has the mark: it stays with programs that leave the process group.
std::vector<pid_t> MarkedProcesses(const std::string& mark) {
  std::vector<pid_t> marked;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  for (const dirent* entry = nullptr; folder != nullptr && (entry = readdir(folder.get())) != nullptr;) {
    const std::optional<int64_t> pid = ParseInteger(entry->d_name);
    if (!pid) continue;
    const std::optional<std::string> variables = ReadSmallFile(fmt::format("/proc/{}/environ", *pid));
    if (variables && variables->find(mark) != std::string::npos) marked.push_back(static_cast<pid_t>(*pid));
  }
  return marked;
}

// The time that a thread has waited for a core so far: the second number that Linux tells of its scheduling.
int64_t WaitedNs(pid_t thread) {
  const std::string line = FirstLineOf(fmt::format("/proc/{}/schedstat", thread));
  const std::vector<std::string_view> numbers = Words(line);
  return numbers.size() > 1 ? ParseInteger(numbers[1]).value_or(0) : 0;
}

// Waits of the program's first thread and of its descendants', to which wrappers pass requests on.
int64_t WaitedByProgram(pid_t program, int depth = 0) {
  int64_t waited_ns = WaitedNs(program);
  if (depth == kMostWrappers) return waited_ns;
  const std::string line = FirstLineOf(fmt::format("/proc/{0}/task/{0}/children", program));
  for (const std::string_view child : Words(line)) {
    waited_ns += WaitedByProgram(static_cast<pid_t>(ParseInteger(child).value_or(0)), depth + 1);
  }
  return waited_ns;
}

bool HasLeft(const std::string& mark, pid_t program) {
  const std::vector<pid_t> marked = MarkedProcesses(mark);
  return std::any_of(marked.begin(), marked.end(), [program](pid_t pid) { return pid != program; });
}

// The arguments of the child, which may allocate nothing.
struct Child {
  std::vector<char*> words, variables;
  cpu_set_t cpus;
  bool has_cpus = false;
  int talk = -1, errors = -1, failure = -1;
  pid_t parent = 0;

  [[noreturn]] void Exec() const {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    if (has_cpus) sched_setaffinity(0, sizeof(cpus), &cpus);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    dup2(errors, STDERR_FILENO);
    dup2(talk, STDIN_FILENO);
    dup2(talk, STDOUT_FILENO);
    environ = const_cast<char**>(variables.data());
    execvp(words[0], words.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t told = write(failure, &error, sizeof(error));
    _exit(127);
  }
};

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

AdapterProgram::AdapterProgram(const std::vector<std::string>& words, std::string name, int64_t answer_ns,
                               const std::vector<int>& cpus, const std::atomic<bool>* stop)
    : name_(std::move(name)), answer_ns_(answer_ns), stop_(stop) {
  mark_ = fmt::format("{}{}-{}-{}", kMark, getpid(), MonotonicNs(), reinterpret_cast<uintptr_t>(this));
  std::vector<std::string> arguments = words, variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) variables.emplace_back(*each);
  variables.push_back(mark_);
  int talk[2], errors[2], failure[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0 || pipe2(errors, O_CLOEXEC) != 0 ||
      pipe2(failure, O_CLOEXEC) != 0) {
    throw Error(ExitCode::kNoRunner, fmt::format("{}: no pipes: {}", name_, std::strerror(errno)));
  }
  Child child{
      PointersTo(arguments), PointersTo(variables), {}, !cpus.empty(), talk[1], errors[1], failure[1], getpid()};
  CPU_ZERO(&child.cpus);
  for (const int cpu : cpus) CPU_SET(cpu, &child.cpus);
  pid_ = fork();
  if (pid_ == 0) child.Exec();
  const int no_process = pid_ < 0 ? errno : 0;
  for (const int fd : {talk[1], errors[1], failure[1]}) close(fd);
  talk_ = talk[0];
  stderr_ = errors[0];
  fcntl(talk_, F_SETFL, O_NONBLOCK);
  fcntl(stderr_, F_SETFL, O_NONBLOCK);
  int error = no_process;
  if (error == 0 && read(failure[0], &error, sizeof(error)) <= 0) error = 0;
  close(failure[0]);
  if (error == 0) return;
  if (pid_ > 0) waitpid(pid_, &status_, 0);
  close(talk_);
  close(stderr_);
  throw Error(ExitCode::kNoRunner, fmt::format("{}: {} cannot be started: {}{}", name_, words[0], std::strerror(error),
                                               words.size() > 1 ? "; --python names another Python" : ""));
}

AdapterProgram::~AdapterProgram() {
  End(kAdapterLeaveNs);
  close(talk_);
  close(stderr_);
}

AdapterProgram::Answer AdapterProgram::Ask(const Json& request, const std::string& what, size_t most_bytes) {
  if (!unread_.empty()) {
    Fail(ExitCode::kBadData,
         fmt::format("wrote \"{}\" without being asked", Shortened(Printable(unread_), kShownBytes)));
  }
  const int64_t waited_ns = WaitedByProgram(pid_) + WaitedNs(gettid());
  const int64_t begin_ns = MonotonicNs(), until_ns = begin_ns + answer_ns_;
  Send(DumpJson(request) + "\n", what, until_ns);
  const std::string line = Receive(what, until_ns, most_bytes);
  Answer answer{{}, MonotonicNs() - begin_ns};
  answer.waited_ns = std::max<int64_t>(0, WaitedByProgram(pid_) + WaitedNs(gettid()) - waited_ns);
  try {
    answer.json = ParseJson(line, "the answer");
  } catch (const Error&) {
    answer.json = Json();
  }
  if (!answer.json.is_object()) {
    Fail(ExitCode::kBadData, fmt::format("answers {} by \"{}\", which is no object of JSON", what,
                                         Shortened(Printable(line), kShownBytes)));
  }
  return answer;
}

void AdapterProgram::Send(const std::string& line, const std::string& what, int64_t until_ns) {
  for (size_t done = 0; done < line.size();) {
    const ssize_t n = ::send(talk_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (n > 0) done += static_cast<size_t>(n);
    if (n >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) Fail(ExitCode::kNoRunner, fmt::format("{} before {}", EndText(), what));
    Await(POLLOUT, what, until_ns);
  }
}

std::string AdapterProgram::Receive(const std::string& what, int64_t until_ns, size_t most_bytes) {
  char piece[65536];
  size_t searched = 0, end = unread_.find('\n');
  while (end == std::string::npos) {
    const ssize_t n = ::read(talk_, piece, sizeof(piece));
    if (n < 0 && errno == EAGAIN) {
      Await(POLLIN, what, until_ns);
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) Fail(ExitCode::kNoRunner, fmt::format("{} without an answer to {}", EndText(), what));
    searched = unread_.size();
    unread_.append(piece, static_cast<size_t>(n));
    end = unread_.find('\n', searched);
    if (std::min(end, unread_.size()) > most_bytes) {
      Fail(ExitCode::kBadData, fmt::format("answers {} by a line of more than {} bytes", what, most_bytes));
    }
  }
  std::string line = unread_.substr(0, end);
  unread_.erase(0, end + 1);
  return line;
}

void AdapterProgram::Await(short events, const std::string& what, int64_t until_ns) {
  pollfd both[] = {{talk_, events, 0}, {stderr_, POLLIN, 0}};
  const int64_t left_ns = until_ns - MonotonicNs();
  if (left_ns <= 0) {
    Fail(ExitCode::kNoRunner,
         fmt::format("gave no answer to {} within {:.3g} s, and was ended; --runtime-timeout sets how long it may take",
                     what, static_cast<double>(answer_ns_) / 1e9));
  }
  if (stop_ != nullptr && *stop_) Fail(ExitCode::kNoRunner, "was stopped during " + what);
  const int64_t most_ms = stop_ == nullptr ? INT_MAX : kLookForStopMs;
  const int came =
      ::poll(both, stderr_ended_ ? 1 : 2, static_cast<int>(std::min<int64_t>(left_ns / 1'000'000 + 1, most_ms)));
  if (came > 0 && both[1].revents != 0) KeepLastWords();
  if (said_bytes_ > kMostStderrBytes) {
    Fail(ExitCode::kBadData, fmt::format("writes without end to stderr during {}", what));
  }
}

void AdapterProgram::KeepLastWords() {
  char piece[65536];
  const ssize_t n = ::read(stderr_, piece, sizeof(piece));
  stderr_ended_ = n == 0;  // poll would then return at once
  if (n <= 0) return;
  said_bytes_ += n;
  last_words_.append(piece, static_cast<size_t>(n));
  if (last_words_.size() > kLastWordsBytes) last_words_.erase(0, last_words_.size() - kLastWordsBytes);
}

void AdapterProgram::Fail(ExitCode code, const std::string& what) {
  KillAll();
  for (int64_t before = -1; before != said_bytes_;) {
    before = said_bytes_;
    KeepLastWords();
  }
  std::string words = last_words_;
  while (words.ends_with('\n')) words.pop_back();
  words.erase(0, words.rfind('\n') + 1);
  const std::string said = words.empty() ? "" : "; it said: " + Shortened(Printable(words), 4 * kShownBytes);
  throw Error(code, name_ + " " + what + said);
}

bool AdapterProgram::HasEnded() {
  siginfo_t info{};
  return reaped_ ||
         (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid_);
}

bool AdapterProgram::WaitForEnd(int64_t grace_ns) {
  const int64_t end_ns = MonotonicNs() + grace_ns;
  while (!HasEnded() && MonotonicNs() < end_ns) usleep(500);
  return HasEnded();
}

std::string AdapterProgram::EndText() {
  if (!WaitForEnd(kAdapterLeaveNs)) return "closed its stdout";
  if (!reaped_) KillAll();
  if (WIFSIGNALED(status_)) return fmt::format("was ended by signal {}", WTERMSIG(status_));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status_));
}

void AdapterProgram::KillAll() {
  // Until the program is reaped no other group can have its number.
  if (!reaped_) kill(-pid_, SIGKILL);
  for (int sweep = 0; sweep < kMostSweeps && HasLeft(mark_, pid_); ++sweep) {
    for (const pid_t pid : MarkedProcesses(mark_)) kill(pid, SIGKILL);
    usleep(1000);
  }
  if (!reaped_) waitpid(pid_, &status_, 0);
  reaped_ = true;
}

bool AdapterProgram::End(int64_t grace_ns) {
  if (reaped_) return false;
  shutdown(talk_, SHUT_WR);
  const bool ended = WaitForEnd(grace_ns);
  const int64_t until_ns = MonotonicNs() + kHelpersLeaveNs;
  while (HasLeft(mark_, pid_) && MonotonicNs() < until_ns) usleep(5000);
  const bool others = HasLeft(mark_, pid_);
  KillAll();
  return ended && !others && WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

}  // namespace hone
