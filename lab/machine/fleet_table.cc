#include "lab/machine/fleet_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>

namespace hone {
namespace {

std::string SpanText(int64_t ns) {
  const int64_t seconds = ns / 1'000'000'000;
  if (seconds >= 2 * 3600) return fmt::format("{}h", seconds / 3600);
  if (seconds >= 2 * 60) return fmt::format("{}m", seconds / 60);
  return fmt::format("{}s", seconds);
}

// "2026-11-29 15:04:05"
std::string SecondText(int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// "busy 3m", "free, held by ann@host for 20m", "busy 10s, drains".
std::string StateText(const RunnerInfo& r) {
  std::string text = r.state;
  if (r.leased_ns >= 0) text += " " + SpanText(r.leased_ns);
  if (r.drained && r.state == "busy") text += ", drains";
  if (!r.held_by.empty()) text += fmt::format(", held by {} for {}", r.held_by, SpanText(r.held_ns));
  return text;
}

// "4", "4: cortex-a72".
std::string CoresText(const RunnerInfo& r) {
  return r.core_kind.empty() ? fmt::format("{}", r.cores) : fmt::format("{}: {}", r.cores, r.core_kind);
}

// "ONNX Runtime 1.32.0, OpenVINO 2025.3".
std::string RuntimesOf(const RunnerInfo& r) {
  std::string text;
  for (const OfferedName& each : r.runtimes) text += (text.empty() ? "" : ", ") + each.name + " " + each.version;
  return text.empty() ? "-" : text;
}

}  // namespace

TextRows RunnerRows(const TrackerStatus& status) {
  TextRows rows = {{"key", "label", "state", "holder", "health", "cpu", "llvm cpu", "> cores", "> jobs done",
                    "peak rates", "runtimes", "address", "isolation"}};
  for (const RunnerInfo& r : status.runners) {
    rows.push_back({r.key, r.label, StateText(r), r.holder, r.health, r.cpu, r.llvm_cpu, CoresText(r),
                    fmt::format("{}", r.jobs_done), r.roofs, RuntimesOf(r), r.address.empty() ? "-" : r.address,
                    r.isolation});
  }
  return rows;
}

TextRows AvailabilityRows(const std::vector<DeviceAvailability>& history) {
  constexpr size_t kMostShown = 4;
  TextRows rows = {{"key", "label", "state", "since (UTC)", "> known", "> there", "before that"}};
  for (const DeviceAvailability& device : history) {
    std::string before;
    const size_t states = device.states.size();
    for (size_t i = 1; i < std::min(states, kMostShown + 1); ++i) {
      const DeviceAvailability::Since& since = device.states[states - 1 - i];
      before += fmt::format("{}{} since {}", before.empty() ? "" : ", ", since.state, SecondText(since.at_ms));
    }
    const std::string share =
        device.known_ms > 0
            ? fmt::format("{:.1f} %", 100 * static_cast<double>(device.there_ms) / static_cast<double>(device.known_ms))
            : "-";
    rows.push_back({device.key, device.label, states == 0 ? "-" : device.states.back().state,
                    states == 0 ? "-" : SecondText(device.states.back().at_ms), SpanText(device.known_ms * 1'000'000),
                    share, before.empty() ? "-" : before});
  }
  return rows;
}

std::vector<KeyUse> UseOfKeys(const TrackerStatus& status) {
  std::map<std::string, KeyUse> uses;
  for (const RunnerInfo& r : status.runners) {
    uses[r.key].busy += r.state == "busy";
    uses[r.key].all += r.state != "lost";
  }
  for (const QueueInfo& q : status.queues) uses[q.key].queue = q;
  std::vector<KeyUse> list;
  for (auto& [key, use] : uses) {
    use.key = key;
    list.push_back(std::move(use));
  }
  return list;
}

}  // namespace hone
