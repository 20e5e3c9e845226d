#include "db/schema.h"

#include <fmt/format.h>

#include <array>

namespace hone {
namespace {

void CreateVersion1(Database& database) {
  database.Execute(R"(
    CREATE TABLE records(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      workload TEXT NOT NULL,
      schedule TEXT NOT NULL,
      schedule_version INTEGER NOT NULL,
      config TEXT NOT NULL,
      triple TEXT NOT NULL,
      cpu TEXT NOT NULL,
      features TEXT NOT NULL,
      threads INTEGER NOT NULL,
      fate INTEGER NOT NULL,
      min_ns INTEGER NOT NULL,
      cache INTEGER NOT NULL,
      noisy INTEGER NOT NULL,
      emulated INTEGER NOT NULL,
      cpu_model TEXT NOT NULL,
      host TEXT NOT NULL,
      session TEXT NOT NULL,
      unix_ms INTEGER NOT NULL,
      json TEXT NOT NULL
    ) STRICT;
    CREATE INDEX records_by_workload ON records(workload, fate, noisy, cache, min_ns);
    CREATE INDEX records_by_session ON records(session);
    CREATE INDEX records_by_cpu ON records(cpu, workload);
    CREATE TABLE runs(
      id TEXT PRIMARY KEY,
      state TEXT NOT NULL,
      json TEXT NOT NULL
    ) STRICT;
  )");
}

void AddFinals(Database& database) {
  database.Execute(R"(
    ALTER TABLE records ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE records ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
  )");
}

// Step i brings version i to i + 1. A new version adds a step and never edits one: stores of every version are out
// there.
constexpr std::array<void (*)(Database&), kSchemaVersion> kSteps = {CreateVersion1, AddFinals};

}  // namespace

void UpgradeSchema(Database& database, int64_t from) {
  for (int64_t version = from; version < kSchemaVersion; ++version) kSteps.at(version)(database);
  database.Execute(fmt::format("PRAGMA application_id = {}", kStoreApplicationId));
  database.Execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
}

std::vector<std::string> SchemaTexts(Database& database) {
  std::vector<std::string> texts;
  Statement statement(database, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql");
  while (statement.Step()) texts.push_back(statement.Text(0));
  return texts;
}

std::vector<std::string> ExpectedSchemaTexts() {
  Database database = Database::InMemory();
  UpgradeSchema(database, 0);
  return SchemaTexts(database);
}

}  // namespace hone
