#include "db/postgresql/server_schema.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>

#include "core/error.h"
#include "db/trial_row.h"

namespace hone {
namespace {

// Texts are compared byte by byte, as in SQLite. A notification goes out with each commit that brings records.
void CreateVersion5(ServerLink& link) {
  link.Execute(R"(
    CREATE SCHEMA hone;
    CREATE TABLE hone.store(application BIGINT NOT NULL, version BIGINT NOT NULL);
    CREATE TABLE hone.records(
      seq BIGSERIAL PRIMARY KEY,
      id TEXT COLLATE "C" NOT NULL UNIQUE,
      workload TEXT COLLATE "C" NOT NULL,
      schedule TEXT COLLATE "C" NOT NULL,
      schedule_version BIGINT NOT NULL,
      config TEXT COLLATE "C" NOT NULL,
      triple TEXT COLLATE "C" NOT NULL,
      cpu TEXT COLLATE "C" NOT NULL,
      features TEXT COLLATE "C" NOT NULL,
      threads BIGINT NOT NULL,
      fate BIGINT NOT NULL,
      min_ns BIGINT NOT NULL,
      cache BIGINT NOT NULL,
      noisy BIGINT NOT NULL,
      emulated BIGINT NOT NULL,
      cpu_model TEXT COLLATE "C" NOT NULL,
      host TEXT COLLATE "C" NOT NULL,
      session TEXT COLLATE "C" NOT NULL,
      unix_ms BIGINT NOT NULL,
      json TEXT COLLATE "C" NOT NULL,
      held BIGINT NOT NULL,
      place BIGINT NOT NULL,
      fingerprint TEXT COLLATE "C" NOT NULL,
      device TEXT COLLATE "C" NOT NULL,
      llvm_cpu TEXT COLLATE "C" NOT NULL,
      runner_key TEXT COLLATE "C" NOT NULL,
      label TEXT COLLATE "C" NOT NULL
    );
    CREATE INDEX records_by_workload ON hone.records(workload, fate, noisy, cache, min_ns);
    CREATE INDEX records_by_session ON hone.records(session);
    CREATE INDEX records_by_cpu ON hone.records(cpu, workload);
    CREATE TABLE hone.runs(
      rowid BIGSERIAL,
      id TEXT COLLATE "C" PRIMARY KEY,
      state TEXT NOT NULL,
      json TEXT NOT NULL
    );
    CREATE TABLE hone.foreign_trials(
      seq BIGSERIAL PRIMARY KEY,
      id TEXT COLLATE "C" NOT NULL UNIQUE,
      format TEXT COLLATE "C" NOT NULL,
      source TEXT COLLATE "C" NOT NULL,
      target TEXT COLLATE "C" NOT NULL,
      task TEXT COLLATE "C" NOT NULL,
      workload TEXT COLLATE "C" NOT NULL,
      schedule TEXT COLLATE "C" NOT NULL,
      config TEXT COLLATE "C" NOT NULL,
      fate BIGINT NOT NULL,
      cost_ns BIGINT NOT NULL,
      unix_ms BIGINT NOT NULL,
      line TEXT COLLATE "C" NOT NULL
    );
    CREATE INDEX foreign_trials_by_workload ON hone.foreign_trials(workload, fate, cost_ns);
    CREATE TABLE hone.packs(
      signer TEXT COLLATE "C" NOT NULL,
      name TEXT COLLATE "C" NOT NULL,
      serial BIGINT NOT NULL,
      sha256 TEXT NOT NULL,
      manifest TEXT NOT NULL,
      taken_unix_ms BIGINT NOT NULL,
      PRIMARY KEY(signer, name, serial)
    );
    CREATE FUNCTION hone.instr(text, text) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT strpos($1, $2)';
    CREATE FUNCTION hone.tell_of_records() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_notify(''hone_records'', ''''); RETURN NULL; END';
    CREATE TRIGGER records_arrive AFTER INSERT ON hone.records FOR EACH ROW EXECUTE FUNCTION hone.tell_of_records();
    INSERT INTO hone.store VALUES(0, 0);
  )");
}

// A server's index entry has a size limit that a workload and a config together could exceed. So lookups on a server
// read the records, whose texts it stores separately.
void AddSetups(ServerLink& link) {
  link.Execute(R"(
    CREATE TABLE hone.setups(
      id BIGSERIAL PRIMARY KEY,
      triple TEXT COLLATE "C" NOT NULL,
      cpu TEXT COLLATE "C" NOT NULL,
      features TEXT COLLATE "C" NOT NULL,
      threads BIGINT NOT NULL,
      fingerprint TEXT COLLATE "C" NOT NULL,
      cache BIGINT NOT NULL,
      llvm_cpu TEXT COLLATE "C" NOT NULL
    );
    ALTER TABLE hone.records ADD COLUMN setup BIGINT NOT NULL DEFAULT 0;
    INSERT INTO hone.setups(triple, cpu, features, threads, fingerprint, cache, llvm_cpu)
      SELECT DISTINCT triple, cpu, features, threads, fingerprint, cache, llvm_cpu FROM hone.records;
    UPDATE hone.records AS r SET setup = s.id FROM hone.setups AS s WHERE s.triple = r.triple AND s.cpu = r.cpu AND
      s.features = r.features AND s.threads = r.threads AND s.fingerprint = r.fingerprint AND s.cache = r.cache AND
      s.llvm_cpu = r.llvm_cpu;
    DROP INDEX hone.records_by_workload;
    DROP INDEX hone.records_by_cpu;
    CREATE INDEX records_by_workload ON hone.records(workload, seq);
  )");
}

// Brings the store from its previous version to `version`. A new version that does more than add columns to `records`
// adds a step here and one to SQLite's. It never edits one.
constexpr int64_t kFirstVersion = 5;
void UpgradeTo(int64_t version, ServerLink& link) {
  if (version == kFirstVersion) return CreateVersion5(link);
  if (const std::string columns = SqlOfNewColumns(version, R"(TEXT COLLATE "C")", "BIGINT"); !columns.empty()) {
    link.Execute(columns);
  }
  if (version == 6) AddSetups(link);
}

int64_t Integer(ServerLink& link, const char* sql) {
  const ServerResult result = link.Run(sql, {});
  return PQntuples(result.get()) == 0 ? 0 : std::strtoll(PQgetvalue(result.get(), 0, 0), nullptr, 10);
}

[[noreturn]] void RefuseServerStore(const ServerLink& link, std::string_view why) {
  throw Error(ExitCode::kBadData, fmt::format("'{}' {}", link.address(), why));
}

}  // namespace

int64_t ServerSchemaVersion(ServerLink& link) {
  if (Integer(link, "SELECT count(*) FROM pg_namespace WHERE nspname = 'hone'") == 0) return 0;
  if (Integer(link, "SELECT count(*) FROM pg_tables WHERE schemaname = 'hone' AND tablename = 'store'") == 0) {
    RefuseServerStore(link, "has a schema hone of another program, not a hone store");
  }
  if (Integer(link, "SELECT application FROM hone.store") != kStoreApplicationId) {
    RefuseServerStore(link, "has a schema hone of another program, not a hone store");
  }
  const int64_t version = Integer(link, "SELECT version FROM hone.store");
  if (version > kSchemaVersion) {
    RefuseServerStore(link, fmt::format("is a store of version {}; this hone reads up to {}", version, kSchemaVersion));
  }
  if (version < kFirstVersion) RefuseServerStore(link, "is a store without a version: it is damaged");
  return version;
}

void UpgradeServerSchema(ServerLink& link) {
  link.Begin();
  try {
    link.Execute(kWriteLock);
    // Another process may have upgraded it in the meantime.
    const int64_t version = ServerSchemaVersion(link);
    for (int64_t next = version == 0 ? kFirstVersion : version + 1; next <= kSchemaVersion; ++next)
      UpgradeTo(next, link);
    link.Run("UPDATE hone.store SET application = ?::bigint, version = ?::bigint",
             {kStoreApplicationId, kSchemaVersion});
    link.Commit();
  } catch (const Error&) {
    link.Rollback();
    throw;
  }
}

}  // namespace hone
