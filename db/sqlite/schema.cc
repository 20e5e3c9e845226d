#include "db/sqlite/schema.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "core/error.h"
#include "core/json/json_fields.h"
#include "core/machine/llvm_cpu_name.h"
#include "db/sqlite/sqlite_connection.h"

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

// The environment in a record's text.
std::optional<Environment> EnvironmentOf(const std::string& text) {
  try {
    const Json json = ParseJson(text, "a record of the store");
    return EnvironmentFromJson(Field(Field(json, "measurement"), "environment"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

// The new columns are copies of the records' fields. A record that cannot be read stays unchanged: its readers report
// it.
void FillDevices(Database& database) {
  Statement select(database, "SELECT seq, json FROM records");
  Statement update(database, "UPDATE records SET fingerprint = ?, device = ?, llvm_cpu = ? WHERE seq = ?");
  while (select.Step()) {
    const std::optional<Environment> environment = EnvironmentOf(select.Text(1));
    if (!environment) continue;
    const Fingerprint fingerprint = FingerprintOf(*environment);
    update.Bind(1, fingerprint.ToText());
    update.Bind(2, fingerprint.ShortId());
    update.Bind(3, LlvmCpuOf(*environment));
    update.Bind(4, select.Integer(0));
    update.Step();
    update.Reset();
  }
}

void AddForeignTrials(Database& database) {
  database.Execute(R"(
    CREATE TABLE foreign_trials(
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      format TEXT NOT NULL,
      source TEXT NOT NULL,
      target TEXT NOT NULL,
      task TEXT NOT NULL,
      workload TEXT NOT NULL,
      schedule TEXT NOT NULL,
      config TEXT NOT NULL,
      fate INTEGER NOT NULL,
      cost_ns INTEGER NOT NULL,
      unix_ms INTEGER NOT NULL,
      line TEXT NOT NULL
    ) STRICT;
    CREATE INDEX foreign_trials_by_workload ON foreign_trials(workload, fate, cost_ns);
  )");
}

void AddPacks(Database& database) {
  database.Execute(R"(
    CREATE TABLE packs(
      signer TEXT NOT NULL,
      name TEXT NOT NULL,
      serial INTEGER NOT NULL,
      sha256 TEXT NOT NULL,
      manifest TEXT NOT NULL,
      taken_unix_ms INTEGER NOT NULL,
      PRIMARY KEY(signer, name, serial)
    ) STRICT;
  )");
}

// A lookup reads only the index, because columns behind a record's text lie pages away from those before it. No query
// asks only for a CPU.
void AddSetups(Database& database) {
  database.Execute(R"(
    CREATE TABLE setups(
      id INTEGER PRIMARY KEY,
      triple TEXT NOT NULL,
      cpu TEXT NOT NULL,
      features TEXT NOT NULL,
      threads INTEGER NOT NULL,
      fingerprint TEXT NOT NULL,
      cache INTEGER NOT NULL,
      llvm_cpu TEXT NOT NULL,
      UNIQUE(triple, cpu, features, threads, fingerprint, cache, llvm_cpu)
    ) STRICT;
    ALTER TABLE records ADD COLUMN setup INTEGER NOT NULL DEFAULT 0;
    INSERT INTO setups(triple, cpu, features, threads, fingerprint, cache, llvm_cpu)
      SELECT DISTINCT triple, cpu, features, threads, fingerprint, cache, llvm_cpu FROM records;
    UPDATE records SET setup = (SELECT s.id FROM setups AS s WHERE s.triple = records.triple AND s.cpu = records.cpu AND
      s.features = records.features AND s.threads = records.threads AND s.fingerprint = records.fingerprint AND
      s.cache = records.cache AND s.llvm_cpu = records.llvm_cpu);
    DROP INDEX records_by_workload;
    DROP INDEX records_by_cpu;
    CREATE INDEX records_by_workload ON records(workload, seq, setup, fate, noisy, min_ns, held, place, schedule_version,
      id, session, schedule, config);
  )");
}

// The changes of a version beside the new columns of `records`. A new version adds a step and never edits one, because
// stores of every version exist.
struct SchemaStep {
  int64_t version;
  void (*run)(Database&);
};
constexpr std::array<SchemaStep, 5> kSteps = {
    {{1, CreateVersion1}, {3, FillDevices}, {4, AddForeignTrials}, {5, AddPacks}, {6, AddSetups}}};

}  // namespace

void UpgradeSchema(Database& database, int64_t from) {
  for (int64_t version = from + 1; version <= kSchemaVersion; ++version) {
    if (version > 1) database.Execute(SqlOfNewColumns(version, "TEXT", "INTEGER"));
    for (const SchemaStep& step : kSteps) {
      if (step.version == version) step.run(database);
    }
  }
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
  Database database = SqliteInMemory();
  UpgradeSchema(database, 0);
  return SchemaTexts(database);
}

}  // namespace hone
