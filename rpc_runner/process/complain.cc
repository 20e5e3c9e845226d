#include "rpc_runner/process/complain.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "core/text/printable.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/process/standard_streams.h"

namespace hone {
namespace {

constexpr int64_t kMostLines = 20, kWindowNs = 60'000'000'000;

}  // namespace

bool EventLimit::Passes(int64_t now_ns, int64_t* left_out) {
  if (begin_ns_ == INT64_MIN || now_ns - begin_ns_ >= window_ns_) {
    begin_ns_ = now_ns;
    passed_ = 0;
  }
  if (passed_ == most_) {
    ++left_out_;
    return false;
  }
  ++passed_;
  *left_out = std::exchange(left_out_, 0);
  return true;
}

void Complain(std::string_view program, const std::string& text) {
  static std::mutex mutex;
  static EventLimit limit(kMostLines, kWindowNs);
  const std::lock_guard lock(mutex);
  int64_t left_out = 0;
  if (!limit.Passes(MonotonicNs(), &left_out)) return;
  if (left_out > 0) WriteToStderr(ErrorLine(program, fmt::format("{} more lines were left out", left_out)));
  WriteToStderr(ErrorLine(program, text));
}

}  // namespace hone
