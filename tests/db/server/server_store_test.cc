// The abilities and failures that only a store on a server has.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/error.h"
#include "db/care/store_care.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/postgresql/server_link.h"
#include "db/trial_row.h"
#include "tests/db/sample_record.h"
#include "tests/db/server/refusal_of.h"
#include "tests/db/server/server_place.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Error OpenRefusal(const std::string& where, bool create = false) {
  return Refusal([&] { RecordStore::Open(where, create); });
}

TEST(ServerAddress, APasswordIsRefusedAndNeverTold) {
  for (const char* address :
       {"postgresql://me:hunter2@localhost/x", "postgres://localhost/x?password=hunter2",
        "postgresql://me:hunter2@localhost:port/x", "postgresql://localhost/x?sslpassword=hunter2",
        "postgresql://me:hunter2@[::1/x", "postgresql://me:hunter2@localhost/%zz", "postgresql://h/x?hunter2=1",
        // Schemes spelt in a way that libpq does not read.
        "POSTGRESQL://me:hunter2@localhost/x", "PostGres://me:hunter2@localhost/x", " postgresql://me:hunter2@h/x",
        "\tpostgres://me:hunter2@h/x", "\npostgres://me:hunter2@h/x", "postgresql:/me:hunter2@h/x",
        "postgresql:me:hunter2@h/x", "postgresql%3A//me:hunter2@h/x", "postgresql%3a%2f%2fme:hunter2@h/x",
        "'postgresql://me:hunter2@h/x'", "jdbc:postgresql://h/x?user=me&password=hunter2", "mysql://me:hunter2@h/x",
        "postgresql+psycopg://me:hunter2@h/x", "--db=postgresql://me:hunter2@h/x",
        // Passwords with characters that end a part of the address.
        "postgresql://me:hun/hunter2@localhost/x", "postgresql://me:/hunter2@localhost/x",
        "postgresql://me:hunter2/@localhost/x", "postgresql://me:hunter2?x@localhost/x", "postgresql://me:hunter2",
        "postgresql://me:hunter2/x", "postgresql://me@hunter2@localhost/x", "postgresql://me:a@hunter2@localhost/x",
        "postgresql://:hunter2@/x", "postgresql://me:hunter2@", "postgresql://me:1234/hunter2@localhost/x",
        "postgresql://localhost/x?%70assword=hunter2", "postgresql://localhost/x?host=h&password=hunter2",
        "postgresql://localhost/x?PASSWORD=hunter2",
        // Settings that are not an address at all.
        "host=localhost password=hunter2", "password = hunter2 host=localhost", "host=localhost PASSWORD='hunter2'",
        "host=localhost sslpassword=hunter2"}) {
    EXPECT_TRUE(IsServerStore(address)) << address;
    const Error error = OpenRefusal(address, true);
    EXPECT_EQ(error.code(), ExitCode::kUsage) << address;
    EXPECT_THAT(error.what(), Not(HasSubstr("hunter2"))) << address;
  }
}

TEST(ServerAddress, PathsOfFilesAreNone) {
  for (const char* path : {"records.db", "/var/lib/hone/records.db", "./postgres/records.db", "my password.db", "a:b",
                           "postgresql.db", "host=a dbname=b"}) {
    EXPECT_FALSE(IsServerStore(path)) << path;
  }
}

TEST(ServerAddress, AMissingServerIsAnErrorOfTheStore) {
  const Error error = OpenRefusal("postgresql:///x?host=/nowhere");
  EXPECT_EQ(error.code(), ExitCode::kIo);
  EXPECT_THAT(error.what(), HasSubstr("does not answer"));
}

TEST(ServerStore, AnAbsentDatabaseIsNoInput) {
  const Error error = OpenRefusal(SharedServer().Address("absent"), true);
  EXPECT_EQ(error.code(), ExitCode::kNoInput);
  EXPECT_THAT(error.what(), HasSubstr("createdb"));
}

TEST(ServerStore, WhatOthersKeepIsRefusedAndLeft) {
  const StorePlace place;
  PostgresServer::Execute(place.where(), "CREATE SCHEMA hone; CREATE TABLE hone.store(a int)");
  EXPECT_EQ(OpenRefusal(place.where(), true).code(), ExitCode::kBadData);
  PostgresServer::Execute(place.where(), "DROP TABLE hone.store; CREATE TABLE hone.mine(a int)");
  EXPECT_EQ(OpenRefusal(place.where(), true).code(), ExitCode::kBadData);
  PostgresServer::Execute(place.where(), "SELECT a FROM hone.mine");
}

TEST(ServerStore, ANewerVersionIsRefused) {
  const StorePlace place;
  place.Open();
  PostgresServer::Execute(place.where(), "UPDATE hone.store SET version = 7");
  const Error error = OpenRefusal(place.where(), true);
  EXPECT_EQ(error.code(), ExitCode::kBadData);
  EXPECT_THAT(error.what(), HasSubstr("version 7; this hone reads up to 6"));
}

TEST(ServerStore, AnOlderVersionIsBroughtUpWithAllItsRecords) {
  const StorePlace place;
  std::vector<Record> records = SampleRecords(6);
  for (size_t i = 0; i < 3; ++i) {
    records[i].measurement.environment = EpycOf("AuthenticAMD-26-2-1");
    records[i] = Finish(records[i]);
  }
  place.Open()->Append(records);
  const std::vector<BestRow> rows = place.Open()->Rows(kSampleWorkload);
  PostgresServer::Execute(place.where(),
                          "DROP INDEX hone.records_by_workload; "
                          "CREATE INDEX records_by_workload ON hone.records(workload, fate, noisy, cache, min_ns); "
                          "CREATE INDEX records_by_cpu ON hone.records(cpu, workload); "
                          "ALTER TABLE hone.records DROP COLUMN setup; DROP TABLE hone.setups; "
                          "UPDATE hone.store SET version = 5");
  const auto store = place.Open();
  EXPECT_EQ(store->Stats().engine.schema_version, kSchemaVersion);
  EXPECT_EQ(store->Find({}), records);
  EXPECT_EQ(store->Rows(kSampleWorkload), rows);
  EXPECT_EQ(store->Append(SampleRecords(8)), 5) << "those of the other machine have other ids";
}

TEST(ServerStore, ARoleThatMayOnlyReadReads) {
  const StorePlace place;
  place.Open()->Append(SampleRecords(3));
  PostgresServer::Execute(place.where(),
                          "DO 'BEGIN CREATE ROLE reader LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END'; GRANT "
                          "USAGE ON SCHEMA hone TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA hone TO reader");
  std::string where = place.where();
  where.replace(where.find("hone@"), 5, "reader@");
  const auto store = RecordStore::Open(where, true);
  EXPECT_EQ(store->Find({}).size(), 3U);
  EXPECT_EQ(Refusal([&] { store->Append({SampleRecord(9)}); }).code(), ExitCode::kNotAuthorised);
  EXPECT_EQ(store->Find({}).size(), 3U) << "the store goes on after a refusal";
}

TEST(ServerStore, NamesMayBeAnyBytes) {
  const StorePlace place;
  Record record = SampleRecord(1);
  record.measurement.environment.host = "b\xff\xe4r'; DROP TABLE records; --";
  record.measurement.environment.cpu_model = std::string("zero\0inside", 11);
  record.measurement.environment.label = "gr\xc3\xbc\xc3\x9f";
  record = Finish(record);
  const auto store = place.Open();
  EXPECT_EQ(store->Append({record}), 1);
  EXPECT_EQ(store->Find({.device = "gr\xc3\xbc"}).size(), 1U);
  EXPECT_THAT(CheckStore(place.where()).problems, IsEmpty());
}

TEST(ServerStore, AKeyThatIsNotItsFieldIsAProblem) {
  const StorePlace place;
  place.Open()->Append(SampleRecords(1005));
  EXPECT_EQ(CheckStore(place.where()).records, 1005);
  PostgresServer::Execute(place.where(), "UPDATE hone.records SET min_ns = 1 WHERE seq = 1003");
  EXPECT_EQ(CheckStore(place.where()).problems.size(), 1U);
  PostgresServer::Execute(place.where(),
                          "WITH other AS (INSERT INTO hone.setups(triple, cpu, features, threads, fingerprint, cache, "
                          "llvm_cpu) VALUES('t', 'c', '', 9, '', 0, '') RETURNING id) "
                          "UPDATE hone.records SET setup = other.id FROM other WHERE seq = 7");
  EXPECT_EQ(CheckStore(place.where()).problems.size(), 2U);
}

TEST(ServerStore, WhatNeedsAFileSaysWhatToUse) {
  const StorePlace place;
  const Error backup = Refusal([&] { BackupStore(place.where(), "/nowhere/x.db"); });
  EXPECT_EQ(backup.code(), ExitCode::kUsage);
  EXPECT_THAT(backup.what(), HasSubstr("pg_dump"));
  EXPECT_EQ(Refusal([&] { RecoverStore(place.where(), "/nowhere/x.db"); }).code(), ExitCode::kUsage);
}

TEST(ServerStore, ManyMayCreateItAtOnce) {
  const StorePlace place;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back([&place, t] { place.Open()->Append({SampleRecord(t)}); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(place.Open()->Find({}).size(), 8U);
}

// A reader that has seen arrival n has seen all that arrived before it, though writers overlap.
TEST(ServerStore, ArrivalIsInTheOrderOfVisibility) {
  const StorePlace place;
  place.Open();
  constexpr int kWriters = 4, kEach = 60;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&place, w] {
      const auto store = place.Open();
      for (int i = 0; i < kEach; ++i) store->Append({SampleRecord(w * 1000 + i)});
    });
  }
  const auto watcher = place.Open();
  std::set<std::string> seen;
  for (RecordQuery query; seen.size() < kWriters * kEach; query.after = query.until) {
    query.until = watcher->Arrived();
    if (query.until == query.after) continue;
    for (const Record& record : watcher->Find(query)) seen.insert(record.id);
    if (query.until >= kWriters * kEach) break;
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(seen.size(), static_cast<size_t>(kWriters * kEach));
}

TEST(ServerClaimsTest, AreHeldByOneAndGoWithTheirHolder) {
  const StorePlace place;
  auto here = place.Open();
  const auto there = place.Open();
  EXPECT_TRUE(here->claims().Take("a"));
  EXPECT_TRUE(here->claims().Take("a"));
  EXPECT_FALSE(there->claims().Take("a"));
  here->claims().Release("a");
  here->claims().Release("never held");
  EXPECT_TRUE(there->claims().Take("a"));
  EXPECT_TRUE(here->claims().Take("b"));
  here.reset();
  // The server notices the end of a connection a moment later.
  for (int i = 0; i < 1000 && !there->claims().Take("b"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_TRUE(there->claims().Take("b"));
}

TEST(ServerStore, NotifiesListenersOfNewRecords) {
  const StorePlace place;
  const auto store = place.Open();
  ServerLink listener(place.where());
  listener.Execute("LISTEN hone_records");
  EXPECT_FALSE(listener.AwaitNotice(0));
  store->Append(SampleRecords(300));
  EXPECT_TRUE(listener.AwaitNotice(10'000));
  while (listener.AwaitNotice(0)) {
  }
  store->Append(SampleRecords(300));
  EXPECT_FALSE(listener.AwaitNotice(50)) << "known records are no news";
}

}  // namespace
}  // namespace hone
