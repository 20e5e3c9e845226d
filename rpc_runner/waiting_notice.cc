#include "rpc_runner/waiting_notice.h"

#include <fmt/format.h>

#include <utility>

#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

constexpr size_t kMostShownRunners = 3;
constexpr int64_t kRepeatNoticeNs = 30'000'000'000, kSecondNs = 1'000'000'000;
constexpr const char* kTime = "for_ns";

std::string SpanText(uint64_t ns) {
  const uint64_t seconds = (ns + kSecondNs - 1) / kSecondNs;
  if (seconds < 120) return fmt::format("{} s", seconds);
  return seconds < 7200 ? fmt::format("{} min", seconds / 60) : fmt::format("{} h", seconds / 3600);
}

Json WithoutTimes(Json busy) {
  for (Json& runner : busy) runner.erase(kTime);
  return busy;
}

}  // namespace

std::string BusyText(const Json& busy) {
  std::string text;
  for (size_t i = 0; i < busy.size() && i < kMostShownRunners; ++i) {
    text += fmt::format("{}{} is {}", i == 0 ? "" : ", ", HeaderText(busy[i], "label"), HeaderText(busy[i], "why"));
    if (busy[i].contains(kTime)) text += " for " + SpanText(HeaderNumber(busy[i], kTime));
  }
  if (busy.size() > kMostShownRunners)
    text += fmt::format(" and {} more are not free", busy.size() - kMostShownRunners);
  return text;
}

std::string WaitingNotice::Next(const Json& busy, int64_t now_ns) {
  Json without = WithoutTimes(busy);
  if (without == told_ && now_ns - told_ns_ < kRepeatNoticeNs) return "";
  told_ = std::move(without);
  told_ns_ = now_ns;
  return BusyText(busy);
}

}  // namespace hone
