// The program of an adapter, and the lines that pass between it and this process.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/json/serialize.h"

namespace hone {

// The time that a program has to end once it was asked to.
inline constexpr int64_t kAdapterLeaveNs = 10'000'000'000;

// A line to the program and one back at a time: docs/reference/adapter.md. The program and all that it starts are ended
// with this object, at the first fault, and by the system if this process dies. Not thread-safe.
class AdapterProgram {
 public:
  // words[0] is the program, searched in PATH as a shell does. `name` is for messages. It may use `cpus`; if empty,
  // those of this thread. A wait ends with Error(kNoRunner) when *stop is set. Throws Error(kNoRunner) if it cannot be
  // started.
  AdapterProgram(const std::vector<std::string>& words, std::string name, int64_t answer_ns,
                 const std::vector<int>& cpus, const std::atomic<bool>* stop = nullptr);
  ~AdapterProgram();
  AdapterProgram(const AdapterProgram&) = delete;
  AdapterProgram& operator=(const AdapterProgram&) = delete;

  const std::string& name() const { return name_; }
  void Rename(std::string name) { name_ = std::move(name); }

  struct Answer {
    Json json;               // an object
    int64_t outside_ns = 0;  // from before the request until the whole answer had come
    // The part of it in which the program's first thread, its children's or this one waited for a core; 0 if unknown.
    int64_t waited_ns = 0;
  };
  // `what` describes the request for messages: "loading m.onnx". An answer has at most most_bytes. Throws Error:
  // kNoRunner if it gives none in time, or ends; kBadData if it writes anything but one line with an object.
  Answer Ask(const Json& request, const std::string& what, size_t most_bytes = kUsualBytes);
  static constexpr size_t kUsualBytes = size_t{1} << 20;

  // Ends it and all that it started, and throws Error: "NAME WHAT", with its last line on stderr if it wrote one.
  [[noreturn]] void Fail(ExitCode code, const std::string& what);
  // Closes its stdin and waits for its end, at most so long. Returns whether it ended by itself with exit code 0 and
  // left no process behind.
  bool End(int64_t grace_ns);
  bool ended() const { return reaped_; }

 private:
  void Send(const std::string& line, const std::string& what, int64_t until_ns);
  std::string Receive(const std::string& what, int64_t until_ns, size_t most_bytes);
  void Await(short events, const std::string& what, int64_t until_ns);
  void KeepLastWords();
  bool HasEnded();
  bool WaitForEnd(int64_t grace_ns);
  // Kills its process group and whatever carries its mark, and reaps it.
  void KillAll();
  std::string EndText();

  std::string name_, mark_, unread_, last_words_;
  const int64_t answer_ns_;
  const std::atomic<bool>* const stop_;
  int64_t said_bytes_ = 0;  // on stderr
  int talk_ = -1, stderr_ = -1;
  pid_t pid_ = -1;
  bool reaped_ = false, stderr_ended_ = false;
  int status_ = 0;
};

}  // namespace hone
