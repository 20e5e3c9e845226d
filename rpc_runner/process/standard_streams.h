// The standard streams, which may be closed when a program starts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hone {

// Call it before anything else in main. Opens closed streams to /dev/null, so that no other file becomes stdout or
// stderr. Reading stdin and writing stdout then fail, and stderr is lost.
void PrepareStandardStreams();

// Writes the bytes unchanged. Throws Error(kIo) if stdout does not take them.
void WriteToStdout(std::string_view text);
// Throws Error(kIo) if some output could not be written.
void FlushStdout();
// Writes unbuffered. Failures are ignored, since there is nowhere to report them.
void WriteToStderr(std::string_view text);

// Lets a limited number of events pass per window of time and counts the others. Not thread-safe.
class RateLimiter {
 public:
  RateLimiter(int64_t most, int64_t window_ns) : most_(most), window_ns_(window_ns) {}
  // Whether an event passes at this time. If so, *dropped becomes the number of events dropped since the last one that
  // passed.
  bool Allows(int64_t now_ns, int64_t* dropped);

 private:
  const int64_t most_;
  const int64_t window_ns_;
  int64_t begin_ns_ = INT64_MIN;
  int64_t allowed_ = 0;
  int64_t dropped_ = 0;
};

// Reports a peer's fault: writes ErrorLine(program, text) to stderr, at most 20 lines a minute from this process, so
// that peers cannot fill a disk. The next line says how many were dropped. Thread-safe.
void LogError(std::string_view program, const std::string& text);

}  // namespace hone
