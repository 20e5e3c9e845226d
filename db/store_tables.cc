#include "db/store_tables.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/failure.h"
#include "core/text/parse_number.h"
#include "db/record_log.h"
#include "db/trial_row.h"

namespace hone {

namespace {

constexpr const char* kSetupColumns = "triple, cpu, features, threads, fingerprint, cache, llvm_cpu";

SqlRow RowOf(const SetupColumns& columns) {
  return {columns.triple,           columns.cpu,         columns.features,
          int64_t{columns.threads}, columns.fingerprint, static_cast<int64_t>(columns.cache),
          columns.llvm_cpu};
}

}  // namespace

SetupColumns SetupColumnsOf(const TrialRow& row) {
  return {row.triple, row.cpu, row.features, row.threads, row.fingerprint, row.cache, row.llvm_cpu};
}

std::optional<int64_t> SetupTable::Look(const SetupColumns& columns) {
  Statement statement(database_,
                      "SELECT id FROM setups WHERE triple = ? AND cpu = ? AND features = ? AND threads = ? AND "
                      "fingerprint = ? AND cache = ? AND llvm_cpu = ?");
  statement.Bind(RowOf(columns));
  return statement.Step() ? std::optional(statement.Integer(0)) : std::nullopt;
}

int64_t SetupTable::NumberOf(const SetupColumns& columns) {
  if (const auto known = numbers_.find(columns); known != numbers_.end()) return known->second;
  std::optional<int64_t> number = Look(columns);
  if (!number) {
    database_.ExecuteAll(fmt::format("INSERT INTO setups({}) VALUES(?,?,?,?,?,?,?)", kSetupColumns), {RowOf(columns)});
    number = Look(columns);
  }
  return numbers_.emplace(columns, number.value()).first->second;
}

const SetupTable::Known* SetupTable::Find(int64_t number) {
  if (const auto known = known_.find(number); known != known_.end()) return &known->second;
  Statement statement(database_, fmt::format("SELECT {} FROM setups WHERE id = ?", kSetupColumns));
  statement.Bind(1, number);
  if (!statement.Step()) return nullptr;
  Setup setup;
  setup.target.triple = statement.Text(0);
  setup.target.cpu = statement.Text(1);
  const std::string features = statement.Text(2);
  for (std::string_view feature : Split(features, ',')) {
    if (!feature.empty()) setup.target.features.emplace_back(feature);
  }
  setup.threads = static_cast<int>(statement.Integer(3));
  setup.machine = Fingerprint::Parse(statement.Text(4));
  setup.cache = static_cast<CacheMode>(statement.Integer(5));
  return &known_.emplace(number, Known{SharedSetup(std::move(setup)), statement.Text(6)}).first->second;
}

namespace {

std::vector<std::string_view> ColumnNames() {
  std::vector<std::string_view> names;
  const TrialRow row;
  EachColumn(row, [&names](const char* name, int /*version*/, const auto& /*member*/) { names.emplace_back(name); });
  return names;
}

// The INSERT of a RowOf and the number of the record's setup.
const std::string& InsertSql() {
  static const std::string sql = [] {
    std::vector<std::string_view> names = ColumnNames();
    names.insert(names.end(), {"json", "setup"});
    const std::vector<std::string_view> places(names.size(), "?");
    return fmt::format("INSERT INTO records({}) VALUES({}) ON CONFLICT(id) DO NOTHING", fmt::join(names, ", "),
                       fmt::join(places, ","));
  }();
  return sql;
}

SqlRow RowOf(TrialRow trial, std::string json) {
  SqlRow row;
  EachColumn(trial, [&row]<typename Member>(const char* /*name*/, int /*version*/, Member& member) {
    if constexpr (kIsText<Member>) {
      row.emplace_back(std::move(member));
    } else {
      row.emplace_back(static_cast<int64_t>(member));
    }
  });
  row.emplace_back(std::move(json));
  return row;
}

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

Statement Select(Database& database, std::string_view columns, const RecordQuery& query) {
  Conditions conditions = ConditionsOf(query);
  std::string sql = fmt::format("SELECT {} FROM records{}", columns, conditions.text);
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

RecordRows::RecordRows(const std::vector<Record>& records, size_t begin, size_t end) {
  setups_.reserve(end - begin);
  rows_.reserve(end - begin);
  for (size_t i = begin; i < end; ++i) {
    RecordText text = TextOfRecord(records[i]);
    TrialRow trial = TrialRowOf(records[i], 0);
    if (!trial.id.empty() && trial.id != text.id) {
      throw Error(ExitCode::kBug, fmt::format("record {} was changed after Finish", trial.id));
    }
    trial.id = std::move(text.id);
    setups_.push_back(SetupColumnsOf(trial));
    rows_.push_back(RowOf(std::move(trial), std::move(text.json)));
  }
}

int64_t RecordRows::Insert(Database& database, SetupTable& setups) {
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i].emplace_back(setups.NumberOf(setups_[i]));
  return database.ExecuteAll(InsertSql(), rows_);
}

int64_t RecordRows::Insert(Database& database) {
  SetupTable setups(database);
  return Insert(database, setups);
}

Record RecordFromColumn(const Statement& statement, int column) {
  return RecordFromJson(ParseJson(statement.Text(column), "a record of the store"));
}

Statement SelectRecords(Database& database, const RecordQuery& query) { return Select(database, "json", query); }

Statement SelectTrialRows(Database& database, const RecordQuery& query) {
  return Select(database, fmt::format("seq, {}", fmt::join(ColumnNames(), ", ")), query);
}

void ReadTrialRow(const Statement& statement, TrialRow& row) {
  int column = 0;
  row.seq = statement.Integer(column++);
  EachColumn(row, [&]<typename Member>(const char* /*name*/, int /*version*/, Member& member) {
    if constexpr (kIsText<Member>) {
      member = statement.Text(column++);
    } else {
      member = static_cast<Member>(statement.Integer(column++));
    }
  });
}

namespace {

constexpr const char* kForeignColumns =
    "id, format, source, target, task, workload, schedule, config, fate, cost_ns, unix_ms, line";

Fate FateOf(int64_t number) {
  if (number < 0 || number > static_cast<int64_t>(Fate::kCancelled)) {
    throw Error(ExitCode::kBadData, fmt::format("a foreign trial of the store has the fate {}", number));
  }
  return static_cast<Fate>(number);
}

// The row views texts of the trial, which must outlive it.
SqlRow RowOf(const ForeignTrial& trial) {
  using View = std::string_view;
  SqlRow row = {View(trial.id),   View(trial.format),   View(trial.source),  View(trial.target),
                View(trial.task), View(trial.workload), View(trial.schedule)};
  row.emplace_back(trial.config.ToText());
  row.emplace_back(static_cast<int64_t>(trial.fate));
  row.emplace_back(trial.cost_ns);
  row.emplace_back(trial.unix_ms);
  row.emplace_back(View(trial.line));
  return row;
}

}  // namespace

int64_t InsertForeign(Database& database, const std::vector<ForeignTrial>& trials) {
  std::vector<SqlRow> rows;
  rows.reserve(trials.size());
  for (const ForeignTrial& trial : trials) rows.push_back(RowOf(trial));
  const std::string sql = fmt::format(
      "INSERT INTO foreign_trials({}) VALUES(?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO NOTHING", kForeignColumns);
  Transaction transaction(database);
  const int64_t fresh = database.ExecuteAll(sql, rows);
  transaction.Commit();
  return fresh;
}

Statement SelectForeign(Database& database, const std::string& workload, int64_t limit) {
  std::string sql = fmt::format("SELECT {} FROM foreign_trials", kForeignColumns);
  if (!workload.empty()) sql += " WHERE workload = ?";
  sql += " ORDER BY workload, fate, cost_ns, id";
  if (limit > 0) sql += " LIMIT ?";
  Statement statement(database, sql);
  int parameter = 0;
  if (!workload.empty()) statement.Bind(++parameter, workload);
  if (limit > 0) statement.Bind(++parameter, limit);
  return statement;
}

ForeignTrial ReadForeign(const Statement& statement) {
  return {.id = statement.Text(0),
          .format = statement.Text(1),
          .source = statement.Text(2),
          .target = statement.Text(3),
          .task = statement.Text(4),
          .workload = statement.Text(5),
          .schedule = statement.Text(6),
          .config = Config::Parse(statement.Text(7)),
          .fate = FateOf(statement.Integer(8)),
          .cost_ns = statement.Integer(9),
          .unix_ms = statement.Integer(10),
          .line = statement.Text(11)};
}

namespace {

std::string SelectSome(bool of_one_workload) {
  std::vector<int> fates;
  for (const Fate fate : kFatesThatMayBlame) fates.push_back(static_cast<int>(fate));
  return fmt::format("SELECT seq, json FROM records WHERE {}seq > ? AND fate IN ({}) ORDER BY seq LIMIT {}",
                     of_one_workload ? "workload = ? AND " : "", fmt::join(fates, ", "), kRowsAtOnce);
}

}  // namespace

void EachBlameForMachine(Database& database, const std::string& workload,
                         const std::function<void(int64_t seq, const std::string& message)>& take) {
  Statement rows(database, SelectSome(!workload.empty()));
  int64_t last = 0;
  for (int count = kRowsAtOnce; count == kRowsAtOnce;) {
    count = 0;
    rows.Reset();
    workload.empty() ? rows.Bind({last}) : rows.Bind({std::string_view(workload), last});
    for (; rows.Step(); ++count) {
      last = rows.Integer(0);
      const Measurement measurement = RecordFromColumn(rows, 1).measurement;
      if (BlamesForMachine(measurement.fate, measurement.message)) take(last, measurement.message);
    }
  }
}

}  // namespace hone
