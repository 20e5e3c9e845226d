#include "db/foreign/record_exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

#include "core/machine/fingerprint.h"

namespace hone {

namespace {

Json ContextOf(const std::vector<Record>& records) {
  if (records.empty()) return Json::object();
  const auto worked = std::find_if(records.begin(), records.end(),
                                   [](const Record& record) { return record.measurement.fate == Fate::kOk; });
  const Record& record = worked == records.end() ? records.front() : *worked;
  const Environment& environment = record.measurement.environment;
  return {{"date", UtcText(record.unix_ms)},
          {"host_name", environment.host},
          {"executable", "hone"},
          {"num_cpus", environment.cores},
          {"mhz_per_cpu", environment.mhz},
          {"cpu_scaling_enabled", !environment.governor.empty() && environment.governor != "performance"},
          {"caches", Json::array()},
          {"load_avg", {environment.load}},
          {"library_build_type", "release"}};
}

Json Repetition(const Record& record, const std::string& name, int family, int64_t index, int64_t of) {
  return {{"name", name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_name", name},
          {"run_type", "iteration"},
          {"repetitions", of},
          {"repetition_index", index},
          {"threads", record.threads},
          {"label", record.candidate.schedule + " " + record.candidate.config.ToText()},
          {"record", record.id},
          {"device", FingerprintOf(record.measurement.environment).ToText()}};
}

void AddFailed(const Record& record, const std::string& name, int family, Json& list) {
  Json json = Repetition(record, name, family, 0, 1);
  json["error_occurred"] = true;
  json["error_message"] = fmt::format("{}: {}", FateName(record.measurement.fate), record.measurement.message);
  list.push_back(std::move(json));
}

void AddSamples(const Record& record, const std::string& name, int family, Json& list) {
  const Measurement& measurement = record.measurement;
  for (size_t i = 0; i < measurement.samples_ns.size(); ++i) {
    Json json =
        Repetition(record, name, family, static_cast<int64_t>(i), static_cast<int64_t>(measurement.samples_ns.size()));
    json["iterations"] = measurement.batch.at(i);
    json["real_time"] = measurement.samples_ns[i];
    json["cpu_time"] = measurement.samples_ns[i];
    json["time_unit"] = "ns";
    list.push_back(std::move(json));
  }
}

constexpr double kNsPerMs = 1e6;

std::string_view Invalidity(Fate fate) {
  switch (fate) {
    case Fate::kOk:
      return "correct";
    case Fate::kInvalidConfig:
    case Fate::kUnsupported:
      return "constraints";
    case Fate::kCompileFailed:
      return "compile";
    case Fate::kWrongOutput:
    case Fate::kOutOfBounds:
      return "correctness";
    case Fate::kTimedOut:
      return "timeout";
    case Fate::kCrashed:
    case Fate::kOutOfMemory:
    case Fate::kPolicyViolation:
    case Fate::kRunnerLost:
    case Fate::kCancelled:
      return "runtime";
  }
  return "runtime";
}

Json Configuration(const Candidate& candidate) {
  Json json = {{"schedule", candidate.schedule}};
  for (const auto& [knob, value] : candidate.config.values()) json[knob] = value;
  return json;
}

Json Text(const char* name, std::string value) { return {{"name", name}, {"value", std::move(value)}, {"unit", ""}}; }

Json Measurements(const Record& record) {
  Json list = Json::array();
  if (const int64_t ns = record.measurement.MinNs(); ns > 0) {
    list.push_back({{"name", "time"}, {"value", static_cast<double>(ns) / kNsPerMs}, {"unit", "ms"}});
  }
  list.push_back(Text("workload", record.candidate.workload.ToText()));
  list.push_back(Text("target", record.candidate.target.ToText()));
  list.push_back(Text("device", FingerprintOf(record.measurement.environment).ToText()));
  list.push_back({{"name", "threads"}, {"value", record.threads}, {"unit", ""}});
  list.push_back(Text("record", record.id));
  return list;
}

Json ResultOf(const Record& record) {
  Json runtimes = Json::array();
  for (const int64_t ns : record.measurement.samples_ns) runtimes.push_back(static_cast<double>(ns) / kNsPerMs);
  return {{"timestamp", UtcText(record.unix_ms)},
          {"configuration", Configuration(record.candidate)},
          {"objectives", {"time"}},
          {"times", {{"runtimes", runtimes}}},
          {"invalidity", Invalidity(record.measurement.fate)},
          {"correctness", record.measurement.fate == Fate::kOk ? 1 : 0},
          {"measurements", Measurements(record)}};
}

}  // namespace

std::string UtcText(int64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}+00:00", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Json GoogleBenchmark(const std::vector<Record>& records) {
  Json benchmarks = Json::array();
  std::map<std::string, int> families;
  for (const Record& record : records) {
    const std::string name = fmt::format("{}/threads:{}", record.candidate.workload.ToText(), record.threads);
    const int family = families.emplace(name, static_cast<int>(families.size())).first->second;
    if (record.measurement.fate == Fate::kOk) {
      AddSamples(record, name, family, benchmarks);
    } else {
      AddFailed(record, name, family, benchmarks);
    }
  }
  return {{"context", ContextOf(records)}, {"benchmarks", benchmarks}};
}

Json KernelTunerT4(const std::vector<Record>& records) {
  Json results = Json::array();
  for (const Record& record : records) results.push_back(ResultOf(record));
  return {{"schema_version", "1.0.0"}, {"results", results}};
}

}  // namespace hone
