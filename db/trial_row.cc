#include "db/trial_row.h"

#include <fmt/format.h>

#include "core/machine/fingerprint.h"
#include "core/machine/llvm_cpu_name.h"

namespace hone {

TrialRow TrialRowOf(const Record& record, int64_t seq) {
  const Candidate& candidate = record.candidate;
  const Environment& environment = record.measurement.environment;
  const Fingerprint fingerprint = FingerprintOf(environment);
  TrialRow row;
  row.seq = seq;
  row.id = record.id;
  row.workload = candidate.workload.ToText();
  row.schedule = candidate.schedule;
  row.schedule_version = record.schedule_version;
  row.config = candidate.config.ToText();
  row.triple = candidate.target.triple;
  row.cpu = candidate.target.cpu;
  row.features = fmt::format("{}", fmt::join(candidate.target.features, ","));
  row.fingerprint = fingerprint.ToText();
  row.device = fingerprint.ShortId();
  row.cpu_model = environment.cpu_model;
  row.host = environment.host;
  row.llvm_cpu = LlvmCpuOf(environment);
  row.key = environment.key;
  row.label = environment.label;
  row.threads = record.threads;
  row.cache = record.timing.cache;
  row.fate = record.measurement.fate;
  row.noisy = record.measurement.noisy;
  row.emulated = environment.emulated;
  row.min_ns = record.measurement.MinNs();
  row.unix_ms = record.unix_ms;
  row.session = record.session;
  row.held = record.finals.held;
  row.place = record.finals.place;
  return row;
}

std::string SqlOfNewColumns(int64_t version, std::string_view text_type, std::string_view integer_type) {
  std::string sql;
  const TrialRow row;
  EachColumn(row, [&]<typename Member>(const char* name, int first, const Member& /*member*/) {
    if (first != version) return;
    sql += fmt::format("ALTER TABLE records ADD COLUMN {} {} NOT NULL DEFAULT {};", name,
                       kIsText<Member> ? text_type : integer_type, kIsText<Member> ? "''" : "0");
  });
  return sql;
}

}  // namespace hone
