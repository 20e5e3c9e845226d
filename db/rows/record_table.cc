#include "db/rows/record_table.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/error.h"
#include "db/record_log.h"
#include "db/store_schema.h"

namespace hone {
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

}  // namespace hone
