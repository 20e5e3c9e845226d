#include "db/exports/kernel_tuner_t4.h"

#include <string>
#include <string_view>

#include "core/machine/fingerprint.h"
#include "db/exports/utc_text.h"

namespace hone {
namespace {

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

Json KernelTunerT4(const std::vector<Record>& records) {
  Json results = Json::array();
  for (const Record& record : records) results.push_back(ResultOf(record));
  return {{"schema_version", "1.0.0"}, {"results", results}};
}

}  // namespace hone
