#include "tuner/compile/compile_pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/failure.h"
#include "rpc_runner/process/process_deadline.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr size_t kLastWordsBytes = 400;
constexpr int64_t kDyingNs = 1'000'000'000;

std::vector<std::string> Words(const CompilePoolOptions& options) {
  std::vector<std::string> words = {"--fd",       std::to_string(SpawnedProgram::kFd),
                                    "--memory",   std::to_string(options.memory_bytes),
                                    "--deadline", std::to_string(options.deadline_ns)};
  if (!options.cores.empty()) words.insert(words.end(), {"--cores", fmt::format("{}", fmt::join(options.cores, ","))});
  return words;
}

// Returns kAhead once there is something to read, else the reason why waiting ended.
ProcessDeadline::State WaitReadable(const SpawnedProgram& process, int64_t deadline_ns) {
  ProcessDeadline deadline(process.pid(), deadline_ns);
  for (;;) {
    pollfd descriptor{process.fd(), POLLIN, 0};
    if (poll(&descriptor, 1, static_cast<int>(ProcessDeadline::kCheckEveryNs / 1'000'000)) > 0) break;
    if (const auto state = deadline.Check(); state != ProcessDeadline::State::kAhead) return state;
  }
  return ProcessDeadline::State::kAhead;
}

// A compiler that sleeps or gets no processor waits for the machine: code that compiles does neither.
Rejection Late(ProcessDeadline::State state, int64_t deadline_ns) {
  const std::string deadline = fmt::format("{:.3g} s", static_cast<double>(deadline_ns) / 1e9);
  if (state == ProcessDeadline::State::kPassed) {
    return {Fate::kTimedOut, "the compiler was not done in " + deadline};
  }
  return {Fate::kCancelled, "the compiler did not get to run for " + deadline};
}

// Whether a second attempt may go better: the machine's failure may pass, and a crash may have come from it.
bool WorthAnotherTry(const CompileAnswer& answer, bool alive) {
  const Rejection* rejection = std::get_if<Rejection>(&answer);
  if (rejection == nullptr || rejection->fate == Fate::kTimedOut) return false;
  return rejection->fate == Fate::kCancelled || !alive;
}

}  // namespace

class CompilePool::Worker {
 public:
  explicit Worker(const CompilePoolOptions& options)
      : options_(options), process_(options.program, Words(options), last_words_.fd()) {}

  // nullopt: the worker was dead before it got the request. Throws Error(kNoRunner) when it is no compiler of this
  // version.
  std::optional<CompileAnswer> Ask(const CompileRequest& request) {
    const bool sent = WriteFrame(process_.fd(), RequestToFrame(request));
    if (!greeted_) Greet();
    if (!sent) return std::nullopt;
    const std::optional<Frame> frame = Read();
    if (!frame) return why_;
    ++served_;
    alive_ = !frame->header.contains("leaving");
    return AnswerFromFrame(*frame);
  }

  bool alive() const { return alive_; }
  int served() const { return served_; }

 private:
  // A file in memory for a worker's standard error.
  class LastWords {
   public:
    LastWords() : fd_(memfd_create("hone-compiler-stderr", MFD_CLOEXEC)) {}
    ~LastWords() {
      if (fd_ >= 0) close(fd_);
    }
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;
    int fd() const { return fd_; }

    // The first line: LLVM names the problem there and prints a stack behind it.
    std::string Text() const {
      char text[kLastWordsBytes];
      const ssize_t length = fd_ < 0 ? 0 : pread(fd_, text, sizeof(text), 0);
      const std::string whole(text, static_cast<size_t>(std::max<ssize_t>(0, length)));
      return whole.substr(0, whole.find('\n'));
    }

   private:
    int fd_;
  };

  // A compiler that dies before its greeting does not die of a candidate, even if it lived to receive the request.
  void Greet() {
    const std::optional<Frame> hello = Read();
    if (!hello) throw Error(ExitCode::kNoRunner, fmt::format("{}: {}", options_.program, why_.reason));
    CheckHello(*hello, options_.program);
    greeted_ = true;
  }

  // The worker's next frame. nullopt: there is none and the worker has ended; why_ has the reason.
  std::optional<Frame> Read() {
    const auto state = WaitReadable(process_, options_.deadline_ns);
    if (state != ProcessDeadline::State::kAhead) {
      End(0);
      why_ = Late(state, options_.deadline_ns);
      return std::nullopt;
    }
    try {
      Frame frame;
      if (ReadFrame(process_.fd(), &frame)) return frame;
    } catch (const Error&) {
      // An invalid answer is treated like the worker's death.
    }
    // The socket closes a moment before the process has ended. Killing it too early would hide how it died.
    const int status = End(kDyingNs);
    why_ = FailureOfEnding("the compiler", {status, last_words_.Text(), process_.peak_bytes(), options_.memory_bytes},
                           Fate::kCompileFailed);
    return std::nullopt;
  }

  int End(int64_t grace_ns) {
    alive_ = false;
    return process_.End(grace_ns);
  }

  const CompilePoolOptions& options_;
  LastWords last_words_;
  SpawnedProgram process_;
  bool alive_ = true, greeted_ = false;
  int served_ = 0;
  Rejection why_;
};

CompilePool::CompilePool(CompilePoolOptions options) : options_(std::move(options)) {
  if (options_.program.empty()) options_.program = FindProgram("hone-compiler", "HONE_COMPILER_PROGRAM");
}

CompilePool::~CompilePool() = default;

int CompilePool::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

std::unique_ptr<CompilePool::Worker> CompilePool::TakeWorker(bool alone) {
  std::unique_lock lock(mutex_);
  want_alone_ += alone;
  returned_.wait(lock, [&] { return alone ? busy_ == 0 : want_alone_ == 0 && busy_ < options_.workers; });
  ++busy_;
  // Idle workers hold memory too.
  if (alone) idle_.clear();
  if (idle_.empty()) return nullptr;
  auto worker = std::move(idle_.back());
  idle_.pop_back();
  return worker;
}

void CompilePool::PutBack(std::unique_ptr<Worker> worker, bool alone) {
  const bool keep = worker != nullptr && worker->alive() && worker->served() < options_.recycle_after;
  // Done outside the lock, because ending a worker takes a moment.
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
  bool again = false;
  CompileAnswer answer = AskOnce(request, false, &again);
  return again ? AskOnce(request, true, &again) : answer;
}

CompileAnswer CompilePool::AskOnce(const CompileRequest& request, bool alone, bool* again) {
  std::unique_ptr<Worker> worker = TakeWorker(alone);
  std::optional<CompileAnswer> answer;
  try {
    if (worker != nullptr) answer = worker->Ask(request);
    if (!answer) {
      worker = StartWorker();
      answer = worker->Ask(request);
    }
    if (!answer) throw Error(ExitCode::kNoRunner, options_.program + " ends before it takes a request");
  } catch (...) {
    PutBack(nullptr, alone);
    throw;
  }
  *again = WorthAnotherTry(*answer, worker->alive());
  PutBack(std::move(worker), alone);
  return *std::move(answer);
}

std::variant<Artifact, Rejection> CompilePool::Compile(const Candidate& candidate) { return Ask(candidate); }

Artifact CompilePool::Reference(const Workload& workload, const Target& target) {
  CompileAnswer answer = Ask(ReferenceRequest{workload, target});
  if (const auto* rejection = std::get_if<Rejection>(&answer)) {
    throw Error(rejection->fate == Fate::kCancelled ? rejection->code : ExitCode::kBadData,
                fmt::format("the reference of {}: {}", workload.ToText(), rejection->reason));
  }
  return std::move(std::get<Artifact>(answer));
}

}  // namespace hone
