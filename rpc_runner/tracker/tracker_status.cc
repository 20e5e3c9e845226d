#include "rpc_runner/tracker/tracker_status.h"

#include "core/error.h"
#include "rpc_runner/wire/protocol.h"

namespace hone {
namespace {

std::string TextOrNone(const Json& json, const char* name) {
  return json.contains(name) ? HeaderText(json, name) : std::string();
}

Json RunnerToJson(const RunnerInfo& r) {
  Json json = {{"key", r.key},           {"label", r.label},         {"cpu", r.cpu},
               {"llvm_cpu", r.llvm_cpu}, {"features", r.features},   {"cores", r.cores},
               {"state", r.state},       {"jobs_done", r.jobs_done}, {"isolation", r.isolation},
               {"address", r.address},   {"drained", r.drained}};
  if (!r.holder.empty()) json["holder"] = r.holder;
  if (r.leased_ns >= 0) json["leased_ns"] = r.leased_ns;
  if (!r.held_by.empty()) json["held_by"] = r.held_by;
  if (!r.held_by.empty()) json["held_ns"] = r.held_ns;
  if (!r.core_kind.empty()) json["core_kind"] = r.core_kind;
  if (!r.health.empty()) json["health"] = r.health;
  if (!r.roofs.empty()) json["roofs"] = r.roofs;
  if (!r.version.empty()) json["version"] = r.version;
  if (!r.program.empty()) json["program"] = r.program;
  for (const OfferedName& each : r.runtimes) {
    json["runtimes"].push_back({{"runtime", each.runtime}, {"name", each.name}, {"version", each.version}});
  }
  if (!r.wanted.empty()) json["wanted"] = r.wanted;
  if (!r.not_upgraded.empty()) json["not_upgraded"] = r.not_upgraded;
  return json;
}

const Json& List(const Json& json, const char* name) {
  if (json.is_object() && json.contains(name) && json[name].is_array()) return json[name];
  throw Error(ExitCode::kBadData, "bad frame: not a status");
}

std::vector<OfferedName> RuntimesFromJson(const Json& list) {
  std::vector<OfferedName> runtimes;
  for (const Json& each : list) {
    runtimes.push_back({HeaderText(each, "runtime"), HeaderText(each, "name"), HeaderText(each, "version")});
  }
  return runtimes;
}

RunnerInfo RunnerFromJson(const Json& r) {
  RunnerInfo info{HeaderText(r, "key"),      HeaderText(r, "label"),   HeaderText(r, "cpu"),
                  HeaderText(r, "features"), HeaderText(r, "state"),   HeaderText(r, "isolation"),
                  TextOrNone(r, "address"),  TextOrNone(r, "llvm_cpu")};
  info.cores = static_cast<int>(HeaderNumber(r, "cores"));
  info.jobs_done = static_cast<int64_t>(HeaderNumber(r, "jobs_done"));
  info.holder = TextOrNone(r, "holder");
  info.held_by = TextOrNone(r, "held_by");
  info.core_kind = TextOrNone(r, "core_kind");
  info.health = TextOrNone(r, "health");
  info.roofs = TextOrNone(r, "roofs");
  info.version = TextOrNone(r, "version");
  info.program = TextOrNone(r, "program");
  if (r.contains("runtimes")) info.runtimes = RuntimesFromJson(List(r, "runtimes"));
  info.wanted = TextOrNone(r, "wanted");
  info.not_upgraded = TextOrNone(r, "not_upgraded");
  if (r.contains("held_ns")) info.held_ns = static_cast<int64_t>(HeaderNumber(r, "held_ns"));
  if (r.contains("leased_ns")) info.leased_ns = static_cast<int64_t>(HeaderNumber(r, "leased_ns"));
  info.drained = r.contains("drained") && r["drained"] == true;
  return info;
}

QueueInfo QueueFromJson(const Json& q) {
  QueueInfo queue{HeaderText(q, "key"), static_cast<int>(HeaderNumber(q, "waiting")), {}};
  const auto who = q.find("who");
  if (who == q.end() || !who->is_array()) return queue;
  for (const Json& name : *who) {
    if (name.is_string()) queue.who.push_back(name.get<std::string>());
  }
  return queue;
}

Json HistoryToJson(const std::vector<DeviceAvailability>& history) {
  Json list = Json::array();
  for (const DeviceAvailability& device : history) {
    Json states = Json::array();
    for (const DeviceAvailability::Since& since : device.states) {
      states.push_back({{"at_ms", since.at_ms}, {"state", since.state}});
    }
    list.push_back({{"key", device.key},
                    {"label", device.label},
                    {"known_ms", device.known_ms},
                    {"there_ms", device.there_ms},
                    {"states", std::move(states)}});
  }
  return list;
}

std::vector<DeviceAvailability> HistoryFromJson(const Json& list) {
  std::vector<DeviceAvailability> history;
  for (const Json& d : list) {
    history.push_back({HeaderText(d, "key"), HeaderText(d, "label"), static_cast<int64_t>(HeaderNumber(d, "known_ms")),
                       static_cast<int64_t>(HeaderNumber(d, "there_ms"))});
    for (const Json& since : List(d, "states")) {
      history.back().states.push_back({static_cast<int64_t>(HeaderNumber(since, "at_ms")), HeaderText(since, "state")});
    }
  }
  return history;
}

}  // namespace

Json StatusToJson(const TrackerStatus& status) {
  Json json = {{"runners", Json::array()}, {"queues", Json::array()}};
  for (const RunnerInfo& r : status.runners) json["runners"].push_back(RunnerToJson(r));
  for (const QueueInfo& q : status.queues) {
    json["queues"].push_back({{"key", q.key}, {"waiting", q.waiting}, {"who", q.who}});
  }
  if (status.history) json["history"] = HistoryToJson(*status.history);
  return json;
}

TrackerStatus StatusFromJson(const Json& json) {
  TrackerStatus status;
  for (const Json& r : List(json, "runners")) status.runners.push_back(RunnerFromJson(r));
  for (const Json& q : List(json, "queues")) status.queues.push_back(QueueFromJson(q));
  if (json.contains("history")) status.history = HistoryFromJson(List(json, "history"));
  return status;
}

}  // namespace hone
