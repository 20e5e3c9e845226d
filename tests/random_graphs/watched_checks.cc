#include "tests/random_graphs/watched_checks.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>

#include "core/error.h"

namespace hone {
namespace {

constexpr int64_t kPerChild = 32;  // the child's end frees what a check leaks
constexpr int kPatienceMs = 300'000;

using Check = std::function<GraphCheck(int64_t index, const CheckStep& step)>;

void Send(int fd, char kind, const std::string& text) {
  std::string line = kind + text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  line += '\n';
  if (write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(2);
}

[[noreturn]] void RunChild(int fd, int64_t begin, int64_t end, const Check& check) {
  for (int64_t index = begin; index < end; ++index) {
    const GraphCheck result = check(index, [fd](const std::string& step) { Send(fd, 'S', step); });
    Send(fd, 'R', fmt::format("{}{}", static_cast<int>(result.verdict), result.detail));
  }
  _exit(0);
}

// One child process and its output, line by line.
class Child {
 public:
  Child(int64_t begin, int64_t end, const Check& check) {
    int ends[2];
    if (pipe(ends) != 0) throw Error(ExitCode::kIo, fmt::format("no pipe: {}", std::strerror(errno)));
    pid_ = fork();
    if (pid_ < 0) throw Error(ExitCode::kIo, fmt::format("no process: {}", std::strerror(errno)));
    if (pid_ == 0) {
      close(ends[0]);
      RunChild(ends[1], begin, end, check);
    }
    close(ends[1]);
    fd_ = ends[0];
  }
  ~Child() { close(fd_); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns false at the end, or when nothing arrived for too long.
  bool ReadLine(std::string& line) {
    for (;;) {
      if (const size_t end = read_.find('\n'); end != std::string::npos) {
        line = read_.substr(0, end);
        read_.erase(0, end + 1);
        return true;
      }
      pollfd waiting{fd_, POLLIN, 0};
      hung_ = poll(&waiting, 1, kPatienceMs) == 0;
      char bytes[4096];
      const ssize_t got = hung_ ? 0 : read(fd_, bytes, sizeof bytes);
      if (got <= 0) return false;
      read_.append(bytes, static_cast<size_t>(got));
    }
  }

  // The way in which it ended. Call it once.
  GraphCheck End(const std::string& step) {
    if (hung_) kill(pid_, SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    if (hung_) return {Verdict::kHung, "in the " + step};
    const std::string how = WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status)))
                                                : fmt::format("exit status {}", WEXITSTATUS(status));
    return {Verdict::kCrashed, fmt::format("{} in the {}", how, step)};
  }

 private:
  pid_t pid_ = -1;
  int fd_ = -1;
  bool hung_ = false;
  std::string read_;
};

}  // namespace

void WatchChecks(int64_t count, const Check& check,
                 const std::function<void(int64_t index, const GraphCheck& result)>& report) {
  for (int64_t next = 0; next < count;) {
    const int64_t end = std::min(next + kPerChild, count);
    Child child(next, end, check);
    std::string line, step = "generator";
    while (child.ReadLine(line)) {
      if (line[0] == 'S') {
        step = line.substr(1);
      } else {
        report(next++, {static_cast<Verdict>(line.at(1) - '0'), line.substr(2)});
        step = "generator";
      }
    }
    const GraphCheck last = child.End(step);
    if (next < end) report(next++, last);
  }
}

GraphCheck CheckWatched(const OnnxGraph& graph, const GraphRun& run) {
  GraphCheck found;
  WatchChecks(
      1, [&](int64_t, const CheckStep& step) { return CheckGraph(graph, run, step); },
      [&](int64_t, const GraphCheck& result) { found = result; });
  return found;
}

}  // namespace hone
