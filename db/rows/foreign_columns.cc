#include "db/rows/foreign_columns.h"

#include <fmt/format.h>

#include <string_view>

#include "core/error.h"

namespace hone {
namespace {

constexpr const char* kColumns =
    "id, format, source, target, task, workload, schedule, config, fate, cost_ns, unix_ms, line";

Fate FateOf(int64_t number) {
  if (number < 0 || number > static_cast<int64_t>(Fate::kCancelled)) {
    throw Error(ExitCode::kBadData, fmt::format("a foreign trial of the store has the fate {}", number));
  }
  return static_cast<Fate>(number);
}

}  // namespace

const char* const kInsertForeign =
    "INSERT INTO foreign_trials(id, format, source, target, task, workload, schedule, config, fate, cost_ns, unix_ms, "
    "line) VALUES(?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO NOTHING";

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

Statement SelectForeign(Database& database, const std::string& workload, int64_t limit) {
  std::string sql = fmt::format("SELECT {} FROM foreign_trials", kColumns);
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

}  // namespace hone
