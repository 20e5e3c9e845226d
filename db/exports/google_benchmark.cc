#include "db/exports/google_benchmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "core/machine/fingerprint.h"
#include "db/exports/utc_text.h"

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

}  // namespace

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

}  // namespace hone
