#include "tuner/compile/compile_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/frame_stream.h"

namespace hone {
namespace {

constexpr size_t kLastWordsBytes = 400;
constexpr int64_t kDyingNs = 1'000'000'000;

// A file in memory that a worker writes its standard error to.
class LastWords {
 public:
  LastWords() : fd_(memfd_create("hone-compiler-stderr", MFD_CLOEXEC)) {}
  ~LastWords() {
    if (fd_ >= 0) close(fd_);
  }
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;
  int fd() const { return fd_; }

  // Its first line: LLVM names the trouble there, and a stack follows.
  std::string Text() const {
    char text[kLastWordsBytes];
    const ssize_t length = fd_ < 0 ? 0 : pread(fd_, text, sizeof(text), 0);
    const std::string whole(text, static_cast<size_t>(std::max<ssize_t>(0, length)));
    return whole.substr(0, whole.find('\n'));
  }

 private:
  int fd_;
};

std::vector<std::string> Words(const CompilePoolOptions& options) {
  std::vector<std::string> words = {"--fd",       std::to_string(SpawnedProgram::kFd),
                                    "--memory",   std::to_string(options.memory_bytes),
                                    "--deadline", std::to_string(options.deadline_ns)};
  if (!options.cores.empty()) words.insert(words.end(), {"--cores", fmt::format("{}", fmt::join(options.cores, ","))});
  return words;
}

bool ReadableIn(int fd, int64_t timeout_ns) {
  const int64_t end_ns = MonotonicNs() + timeout_ns;
  for (int64_t left_ns = timeout_ns; left_ns > 0; left_ns = end_ns - MonotonicNs()) {
    pollfd descriptor{fd, POLLIN, 0};
    if (poll(&descriptor, 1, static_cast<int>(left_ns / 1'000'000) + 1) > 0) return true;
  }
  return false;
}

std::string EndText(int status) {
  if (WIFSIGNALED(status)) return fmt::format("died of SIG{}", sigabbrev_np(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

class CompilePool::Worker {
 public:
  explicit Worker(const CompilePoolOptions& options) : process_(options.program, Words(options), last_words_.fd()) {}

  // nullopt: it was dead before it got the request.
  std::optional<CompileAnswer> Ask(const CompileRequest& request, int64_t deadline_ns) {
    if (!WriteFrame(process_.fd(), RequestToFrame(request))) return std::nullopt;
    if (!ReadableIn(process_.fd(), deadline_ns)) {
      End(0);
      return Rejection{Fate::kTimedOut,
                       fmt::format("the compiler was not done in {:.3g} s", static_cast<double>(deadline_ns) / 1e9)};
    }
    ++served_;
    try {
      Frame frame;
      if (ReadFrame(process_.fd(), &frame)) {
        alive_ = !frame.header.contains("leaving");
        return AnswerFromFrame(frame);
      }
    } catch (const Error&) {
      // It answers nonsense: as good as dead.
    }
    return Rejection{Fate::kCompileFailed, Obituary()};
  }

  bool alive() const { return alive_; }
  // By somebody who gives no reason, and not by us for being late.
  bool killed() const { return killed_; }
  int served() const { return served_; }

 private:
  int End(int64_t grace_ns) {
    alive_ = false;
    return process_.End(grace_ns);
  }

  std::string Obituary() {
    // The socket closes a moment before the process is done dying: killed too early, it would have died of us.
    const int status = End(kDyingNs);
    killed_ = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    const std::string end = EndText(status), words = last_words_.Text();
    return fmt::format("the compiler {}{}{}", end, words.empty() ? "" : ": ", words);
  }

  LastWords last_words_;
  SpawnedProgram process_;
  bool alive_ = true, killed_ = false;
  int served_ = 0;
};

CompilePool::CompilePool(CompilePoolOptions options) : options_(std::move(options)) {
  if (options_.program.empty()) options_.program = FindProgram("hone-compiler", "HONE_COMPILER_PROGRAM");
}

CompilePool::~CompilePool() = default;

int CompilePool::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

int CompilePool::killed() const {
  const std::lock_guard lock(mutex_);
  return killed_;
}

std::unique_ptr<CompilePool::Worker> CompilePool::TakeWorker(bool alone) {
  std::unique_lock lock(mutex_);
  want_alone_ += alone;
  returned_.wait(lock, [&] { return alone ? busy_ == 0 : want_alone_ == 0 && busy_ < options_.workers; });
  ++busy_;
  // Those that wait hold memory too.
  if (alone) idle_.clear();
  if (idle_.empty()) return nullptr;
  auto worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

void CompilePool::PutBack(std::unique_ptr<Worker> worker, bool alone) {
  const bool keep = worker != nullptr && worker->alive() && worker->served() < options_.recycle_after;
  // Outside the lock: the end of a worker takes a moment.
  if (!keep) worker.reset();
  const std::lock_guard lock(mutex_);
  --busy_;
  want_alone_ -= alone;
  if (keep) idle_.push_back(std::move(worker));
  returned_.notify_all();
}

std::unique_ptr<CompilePool::Worker> CompilePool::StartWorker() {
  auto worker = std::make_unique<Worker>(options_);
  const std::lock_guard lock(mutex_);
  ++started_;
  return worker;
}

CompileAnswer CompilePool::Ask(const CompileRequest& request) {
  bool killed = false;
  CompileAnswer answer = AskOnce(request, false, &killed);
  if (killed) answer = AskOnce(request, true, &killed);
  if (!killed) return answer;
  const std::lock_guard lock(mutex_);
  ++killed_;
  return Rejection{Fate::kCancelled, "not compiled here: the system killed the compiler twice, once when it was alone"};
}

CompileAnswer CompilePool::AskOnce(const CompileRequest& request, bool alone, bool* killed) {
  std::unique_ptr<Worker> worker = TakeWorker(alone);
  std::optional<CompileAnswer> answer;
  try {
    if (worker != nullptr) answer = worker->Ask(request, options_.deadline_ns);
    if (!answer) {
      worker = StartWorker();
      answer = worker->Ask(request, options_.deadline_ns);
    }
  } catch (...) {
    PutBack(nullptr, alone);
    throw;
  }
  *killed = worker->killed();
  PutBack(std::move(worker), alone);
  return answer.value_or(Rejection{Fate::kCompileFailed, "the compiler does not start"});
}

std::variant<Artifact, Rejection> CompilePool::Compile(const Candidate& candidate) { return Ask(candidate); }

Artifact CompilePool::Reference(const Workload& workload, const Target& target) {
  CompileAnswer answer = Ask(ReferenceRequest{workload, target});
  if (const auto* rejection = std::get_if<Rejection>(&answer)) {
    const bool not_here = rejection->fate == Fate::kCancelled;
    throw Error(not_here ? ExitCode::kNoRunner : ExitCode::kBadData,
                fmt::format("the reference of {}: {}", workload.ToText(), rejection->reason));
  }
  return std::move(std::get<Artifact>(answer));
}

}  // namespace hone
