#include "db/rows/record_columns.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "db/record_log.h"

namespace hone {
namespace {

struct Conditions {
  std::string text;
  SqlRow values;
  void Add(std::string_view condition, SqlValue value) {
    text += fmt::format("{}{}", text.empty() ? " WHERE " : " AND ", condition);
    values.push_back(std::move(value));
  }
  void AddAny(std::string_view column, const std::vector<std::string>& any) {
    if (any.empty()) return;
    const std::vector<std::string_view> places(any.size(), "?");
    text += fmt::format("{}{} IN ({})", text.empty() ? " WHERE " : " AND ", column, fmt::join(places, ","));
    values.insert(values.end(), any.begin(), any.end());
  }
  void Add(std::string_view condition, const std::string& value) {
    if (!value.empty()) Add(condition, SqlValue(value));
  }
};

Conditions ConditionsOf(const RecordQuery& query) {
  Conditions conditions;
  conditions.Add("id >= ?", query.id);
  if (!query.id.empty()) conditions.Add("id < ?", query.id + "g");  // 'g' follows the last hex digit
  conditions.Add("workload = ?", query.workload);
  conditions.AddAny("workload", query.workloads);
  conditions.Add("cpu = ?", query.cpu);
  conditions.Add(
      "instr(lower(cpu_model || '\n' || host || '\n' || device || '\n' || runner_key || '\n' || label), lower(?)) > 0",
      query.device);
  conditions.Add("session = ?", query.session);
  if (query.fate) conditions.Add("fate = ?", SqlValue(static_cast<int64_t>(*query.fate)));
  if (query.cache) conditions.Add("cache = ?", SqlValue(static_cast<int64_t>(*query.cache)));
  if (query.threads) conditions.Add("threads = ?", SqlValue(int64_t{*query.threads}));
  if (query.since_unix_ms > 0) conditions.Add("unix_ms >= ?", SqlValue(query.since_unix_ms));
  if (query.after > 0) conditions.Add("seq > ?", SqlValue(query.after));
  if (query.until > 0) conditions.Add("seq <= ?", SqlValue(query.until));
  if (query.by_time) conditions.Add("min_ns > ?", SqlValue(int64_t{0}));
  return conditions;
}

constexpr size_t kRecordColumns = 27;

}  // namespace

const char* const kInsertRecord =
    "INSERT INTO records(id, workload, schedule, schedule_version, config, triple, cpu, features, threads, fate, "
    "min_ns, "
    "cache, noisy, emulated, cpu_model, host, session, unix_ms, json, held, place, fingerprint, device, llvm_cpu, "
    "runner_key, label, setup) "
    "VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO NOTHING";

SqlRow RowOf(const Record& record, const SetupColumns& columns) {
  RecordText text = TextOfRecord(record);
  if (!record.id.empty() && record.id != text.id) {
    throw Error(ExitCode::kBug, fmt::format("record {} was changed after Finish", record.id));
  }
  const Candidate& candidate = record.candidate;
  const Measurement& measurement = record.measurement;
  const Environment& environment = measurement.environment;
  using View = std::string_view;
  SqlRow row;
  row.reserve(kRecordColumns);
  row.emplace_back(std::move(text.id));
  row.emplace_back(candidate.workload.ToText());
  row.emplace_back(View(candidate.schedule));
  row.emplace_back(int64_t{record.schedule_version});
  row.emplace_back(candidate.config.ToText());
  row.emplace_back(View(columns.triple));
  row.emplace_back(View(columns.cpu));
  row.emplace_back(View(columns.features));
  row.emplace_back(int64_t{columns.threads});
  row.emplace_back(static_cast<int64_t>(measurement.fate));
  row.emplace_back(measurement.MinNs());
  row.emplace_back(static_cast<int64_t>(columns.cache));
  row.emplace_back(int64_t{measurement.noisy});
  row.emplace_back(int64_t{environment.emulated});
  row.emplace_back(View(environment.cpu_model));
  row.emplace_back(View(environment.host));
  row.emplace_back(View(record.session));
  row.emplace_back(record.unix_ms);
  row.emplace_back(std::move(text.json));
  row.emplace_back(int64_t{record.finals.held});
  row.emplace_back(int64_t{record.finals.place});
  row.emplace_back(View(columns.fingerprint));
  row.emplace_back(View(columns.device));
  row.emplace_back(View(columns.llvm_cpu));
  row.emplace_back(View(environment.key));
  row.emplace_back(View(environment.label));
  return row;
}

Record RecordFromColumn(const Statement& statement, int column) {
  return RecordFromJson(ParseJson(statement.Text(column), "a record of the store"));
}

namespace {

Statement Select(Database& database, const std::string& columns, const RecordQuery& query) {
  Conditions conditions = ConditionsOf(query);
  std::string sql = "SELECT " + columns + " FROM records" + conditions.text;
  sql += query.by_time ? " ORDER BY min_ns, id" : " ORDER BY seq";
  if (query.limit > 0) {
    sql += " LIMIT ?";
    conditions.values.emplace_back(query.limit);
  }
  Statement statement(database, sql);
  statement.Bind(conditions.values);
  return statement;
}

}  // namespace

Statement SelectRecords(Database& database, const RecordQuery& query) { return Select(database, "json", query); }

Statement SelectTrialRows(Database& database, const RecordQuery& query) {
  return Select(database,
                "seq, id, workload, schedule, config, triple, cpu, features, fingerprint, device, cpu_model, host, "
                "llvm_cpu, runner_key, label, threads, cache, fate, noisy, emulated, min_ns, unix_ms, session, held, "
                "place",
                query);
}

void ReadTrialRow(const Statement& statement, TrialRow& row) {
  int column = 0;
  row.seq = statement.Integer(column++);
  for (std::string* text :
       {&row.id, &row.workload, &row.schedule, &row.config, &row.triple, &row.cpu, &row.features, &row.fingerprint,
        &row.device, &row.cpu_model, &row.host, &row.llvm_cpu, &row.key, &row.label}) {
    *text = statement.Text(column++);
  }
  row.threads = static_cast<int>(statement.Integer(column++));
  row.cache = static_cast<CacheMode>(statement.Integer(column++));
  row.fate = static_cast<Fate>(statement.Integer(column++));
  row.noisy = statement.Integer(column++) != 0;
  row.emulated = statement.Integer(column++) != 0;
  row.min_ns = statement.Integer(column++);
  row.unix_ms = statement.Integer(column++);
  row.session = statement.Text(column++);
  row.held = static_cast<int>(statement.Integer(column++));
  row.place = static_cast<int>(statement.Integer(column++));
}

}  // namespace hone
