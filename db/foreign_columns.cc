#include "db/foreign_columns.h"

#include <fmt/format.h>

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

void BindForeign(Statement& statement, const ForeignTrial& trial) {
  statement.Bind(1, trial.id);
  statement.Bind(2, trial.format);
  statement.Bind(3, trial.source);
  statement.Bind(4, trial.target);
  statement.Bind(5, trial.task);
  statement.Bind(6, trial.workload);
  statement.Bind(7, trial.schedule);
  statement.Bind(8, trial.config.ToText());
  statement.Bind(9, static_cast<int64_t>(trial.fate));
  statement.Bind(10, trial.cost_ns);
  statement.Bind(11, trial.unix_ms);
  statement.Bind(12, trial.line);
}

Statement SelectForeign(Database& database, const std::string& workload, int64_t limit) {
  std::string sql = fmt::format("SELECT {} FROM foreign_trials", kColumns);
  if (!workload.empty()) sql += " WHERE workload = ?";
  sql += " ORDER BY workload, fate, cost_ns, id LIMIT ?";
  Statement statement(database, sql);
  int parameter = 0;
  if (!workload.empty()) statement.Bind(++parameter, workload);
  statement.Bind(++parameter, limit > 0 ? limit : int64_t{-1});
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
