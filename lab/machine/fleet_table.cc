#include "lab/machine/fleet_table.h"

#include <fmt/format.h>

#include <map>

namespace hone {
namespace {

std::string SpanText(int64_t ns) {
  const int64_t seconds = ns / 1'000'000'000;
  if (seconds >= 2 * 3600) return fmt::format("{}h", seconds / 3600);
  if (seconds >= 2 * 60) return fmt::format("{}m", seconds / 60);
  return fmt::format("{}s", seconds);
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

}  // namespace

TextRows RunnerRows(const TrackerStatus& status) {
  TextRows rows = {{"key", "label", "state", "holder", "health", "cpu", "llvm cpu", "> cores", "> jobs done",
                    "peak rates", "address", "isolation"}};
  for (const RunnerInfo& r : status.runners) {
    rows.push_back({r.key, r.label, StateText(r), r.holder, r.health, r.cpu, r.llvm_cpu, CoresText(r),
                    fmt::format("{}", r.jobs_done), r.roofs, r.address.empty() ? "-" : r.address, r.isolation});
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
