#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "core/error.h"
#include "core/machine/fingerprint.h"
#include "db/record_log.h"
#include "db/record_store.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/sqlite_connection.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

class DamagedStore : public testing::Test {
 protected:
  void SetUp() override {
    RecordStore::Open(path_)->Append(records_);
    whole_ = ReadBytes(path_);
  }

  // Opens the bytes and reads everything; returns whether all was read. A refusal must leave the file as it was, and
  // everything read must equal what was written.
  bool ReadAll(const std::string& bytes) {
    WriteBytes(path_, bytes);
    const std::string journal = ReadBytes(path_ + "-journal");
    try {
      const std::vector<Record> found = RecordStore::Open(path_)->Find({});
      for (const Record& record : found) EXPECT_EQ(Finish(record).id, record.id);
      return found == records_;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
      EXPECT_EQ(ReadBytes(path_), bytes) << "a refused file is left as it was";
      EXPECT_EQ(ReadBytes(path_ + "-journal"), journal);
      return false;
    }
  }

  void ExpectRefused(const std::string& reason) {
    const std::string before = ReadBytes(path_);
    try {
      RecordStore::Open(path_);
      FAIL() << "not refused: " << reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
    EXPECT_EQ(ReadBytes(path_), before);
  }

  TempFolder folder_;
  std::string path_ = folder_.File("r.db");
  std::vector<Record> records_ = SampleRecords(4);
  std::string whole_;
};

TEST_F(DamagedStore, WholeFileIsRead) { EXPECT_TRUE(ReadAll(whole_)); }

TEST_F(DamagedStore, TruncatedFilesAreRefused) {
  for (size_t size : {size_t{1}, size_t{15}, size_t{16}, size_t{99}, size_t{100}, size_t{512}, size_t{4095},
                      size_t{4096}, whole_.size() / 2, whole_.size() - 4096}) {
    EXPECT_FALSE(ReadAll(whole_.substr(0, size))) << size;
  }
  // The last byte may be unused, in which case all is read.
  ReadAll(whole_.substr(0, whole_.size() - 1));
}

TEST_F(DamagedStore, EmptyFileIsMadeAStoreOnlyWhenCreating) {
  WriteBytes(path_, "");
  EXPECT_THROW(RecordStore::Open(path_, false), Error);
  EXPECT_EQ(ReadBytes(path_), "");
  EXPECT_EQ(RecordStore::Open(path_)->Append(records_), 4);
}

TEST_F(DamagedStore, OtherFilesAreRefused) {
  for (const std::string& bytes : {std::string("hello, world\n"), std::string(10000, '\0'), std::string(5000, 'x'),
                                   std::string("SQLite format 3\0", 16)}) {
    EXPECT_FALSE(ReadAll(bytes));
  }
}

TEST_F(DamagedStore, FlippedBytesNeverGiveAFalseRecord) {
  for (size_t at = 0; at < whole_.size(); at += at < 100 ? 2 : 331) {
    std::string damaged = whole_;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    WriteBytes(path_, damaged);
    std::filesystem::remove(path_ + "-journal");
    try {
      for (const Record& record : RecordStore::Open(path_)->Find({})) {
        EXPECT_NE(std::find(records_.begin(), records_.end(), record), records_.end()) << at;
      }
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ExitCode::kBadData || error.code() == ExitCode::kIo) << at << error.what();
    }
  }
}

TEST_F(DamagedStore, ZeroedPagesNeverGiveAFalseRecord) {
  for (size_t at = 0; at + 4096 <= whole_.size(); at += 4096) {
    std::string damaged = whole_;
    damaged.replace(at, 4096, std::string(4096, '\0'));
    ReadAll(damaged);
  }
}

TEST_F(DamagedStore, NewerVersionIsRefused) {
  OpenSqlite(path_, false).Execute("PRAGMA user_version = 7");
  ExpectRefused("version 7; this hone reads up to 6");
}

TEST_F(DamagedStore, DatabaseOfAnotherProgramIsRefused) {
  OpenSqlite(path_, false).Execute("PRAGMA application_id = 7");
  ExpectRefused("another program");
  std::filesystem::remove(path_);
  OpenSqlite(path_, true).Execute("CREATE TABLE t(a)");
  ExpectRefused("another program");
}

TEST_F(DamagedStore, TablesAndTriggersThatHoneDidNotMakeAreRefused) {
  OpenSqlite(path_, false).Execute("CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END");
  ExpectRefused("tables that hone did not make");
}

// A store of hone 0.1 from before finals were kept: its tables, and its records as they were.
void MakeVersion1(const std::string& path, const std::vector<Record>& records) {
  std::filesystem::remove(path);
  Database database = OpenSqlite(path, true);
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
    PRAGMA application_id = 0x484F4E45;
    PRAGMA user_version = 1;
  )");
  Statement statement(database,
                      "INSERT INTO records(id, workload, schedule, schedule_version, config, triple, cpu, features, "
                      "threads, fate, min_ns, cache, noisy, emulated, cpu_model, host, session, unix_ms, json) "
                      "VALUES(?,?,'dense_gemv',1,'c','x86_64-pc-linux-gnu','znver3','',1,0,?,0,0,0,'AMD EPYC "
                      "7763','Bench-1','s1',0,?)");
  for (const Record& record : records) {
    statement.Bind(1, record.id);
    statement.Bind(2, record.candidate.workload.ToText());
    statement.Bind(3, record.measurement.MinNs());
    statement.Bind(4, DumpJson(ToJson(record)));
    statement.Step();
    statement.Reset();
  }
}

TEST_F(DamagedStore, AnOlderVersionIsBroughtUpWithAllItsRecords) {
  MakeVersion1(path_, records_);
  const auto store = RecordStore::Open(path_);
  EXPECT_EQ(store->Stats().engine.schema_version, kSchemaVersion);
  EXPECT_EQ(store->Find({}), records_);
  Record final = records_[0];
  final.finals = {1, 1, 1, false};
  EXPECT_EQ(store->Append({Finish(final)}), 1);
  const Candidate& candidate = final.candidate;
  const Fingerprint machine = FingerprintOf(final.measurement.environment);
  EXPECT_EQ(store->Best(candidate.workload.ToText(), candidate.target, machine, 1).front().record.finals.held, 1);
}

// A store from before machines had fingerprints.
void MakeVersion2(const std::string& path, const std::vector<Record>& records) {
  MakeVersion1(path, records);
  OpenSqlite(path, false).Execute(R"(
    ALTER TABLE records ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE records ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
    PRAGMA user_version = 2;
  )");
}

// A store from before setups had a table of their own.
void MakeVersion5(const std::string& path, const std::vector<Record>& records) {
  std::filesystem::remove(path);
  RecordStore::Open(path)->Append(records);
  OpenSqlite(path, false).Execute(R"(
    DROP INDEX records_by_workload;
    CREATE INDEX records_by_workload ON records(workload, fate, noisy, cache, min_ns);
    CREATE INDEX records_by_cpu ON records(cpu, workload);
    DROP TABLE setups;
    ALTER TABLE records DROP COLUMN setup;
    PRAGMA user_version = 5;
  )");
}

// A store from before packs.
void MakeVersion4(const std::string& path, const std::vector<Record>& records) {
  MakeVersion5(path, records);
  OpenSqlite(path, false).Execute("DROP TABLE packs; PRAGMA user_version = 4");
}

// A store from before other tuners' logs were read.
void MakeVersion3(const std::string& path, const std::vector<Record>& records) {
  MakeVersion4(path, records);
  OpenSqlite(path, false).Execute("DROP TABLE foreign_trials; PRAGMA user_version = 3");
}

TEST_F(DamagedStore, EveryOlderVersionTakesOtherTunersTrials) {
  for (const auto& make : {MakeVersion1, MakeVersion2, MakeVersion3, MakeVersion4, MakeVersion5}) {
    make(path_, records_);
    const auto store = RecordStore::Open(path_);
    EXPECT_EQ(store->Stats().engine.schema_version, kSchemaVersion);
    EXPECT_EQ(store->Find({}), records_);
    ForeignTrial trial;
    trial.id = "0123456789abcdef";
    trial.workload = "w";
    trial.fate = Fate::kCrashed;
    trial.line = "{}";
    EXPECT_EQ(store->AppendForeign({trial, trial}), 1);
    EXPECT_EQ(store->FindForeign("w"), std::vector<ForeignTrial>{trial});
  }
}

TEST_F(DamagedStore, AnUpgradeDerivesTheDeviceOfEachRecord) {
  Record record = records_[0];
  record.measurement.environment.cpu_id = "AuthenticAMD-25-1-1";
  record = Finish(record);
  for (const auto& make : {MakeVersion1, MakeVersion2}) {
    make(path_, {record, records_[1]});
    OpenSqlite(path_, false).Execute("UPDATE records SET json = '{' WHERE id = '" + records_[1].id + "'");
    RecordStore::Open(path_);
    Database database = OpenSqlite(path_, false);
    EXPECT_EQ(database.Text("SELECT fingerprint || ' ' || llvm_cpu FROM records WHERE seq = 1"),
              "cpu=AuthenticAMD-25-1-1 znver3");
    EXPECT_EQ(database.Text("SELECT fingerprint FROM records WHERE seq = 2"), "");
    EXPECT_EQ(RecordStore::Open(path_)->Get(record.id), record);
    EXPECT_EQ(RecordStore::Open(path_)->Find({.device = FingerprintOf(record.measurement.environment).ShortId()}),
              std::vector<Record>{record});
  }
}

// Records of two machines and two targets, and of several thread counts.
std::vector<Record> RecordsOfManySetups() {
  std::vector<Record> records = SampleRecords(12);
  for (size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    if (i % 2 == 1) record.measurement.environment = EpycOf("AuthenticAMD-26-2-1");
    if (i % 3 == 1) record.candidate.target.features = {"+avx2", "-fma"};
    record.threads = 1 + static_cast<int>(i / 6);
    record = Finish(record);
  }
  return records;
}

std::vector<BestRow> RowsOf(const std::vector<Record>& records) {
  std::vector<BestRow> rows;
  for (const Record& record : records) rows.push_back(BestRowOf(record, static_cast<int64_t>(rows.size()) + 1));
  return rows;
}

TEST_F(DamagedStore, AnUpgradeGivesEachRecordItsSetup) {
  const std::vector<Record> records = RecordsOfManySetups();
  std::vector<BestRow> rows = RowsOf(records);
  for (BestRow& row : rows) ChangeSetup(row, [](auto& setup) { setup.target.num_cores = 0; });  // no column stores it
  MakeVersion5(path_, records);
  const auto store = RecordStore::Open(path_);
  EXPECT_EQ(store->Rows(kSampleWorkload), rows);
  EXPECT_EQ(OpenSqlite(path_, false).Integer("SELECT count(*) FROM setups"), 8);
  EXPECT_EQ(OpenSqlite(path_, false).Integer("SELECT count(*) FROM records WHERE setup = 0"), 0);
}

// An older hone that has the store open goes on writing records without a setup.
TEST_F(DamagedStore, ARecordWithoutASetupIsLookedUpAllTheSame) {
  const std::vector<Record> records = RecordsOfManySetups();
  std::filesystem::remove(path_);
  RecordStore::Open(path_)->Append(records);
  OpenSqlite(path_, false).Execute("UPDATE records SET setup = 0 WHERE seq % 2 = 0");
  EXPECT_EQ(RecordStore::Open(path_)->Rows(kSampleWorkload), RowsOf(records));
}

TEST_F(DamagedStore, ATextThatDoesNotProveItselfIsReadOrRefused) {
  const auto texts = [this] {
    std::vector<std::string> all;
    RecordStore::Open(path_)->EachText({}, [&](const std::string& json) { all.push_back(json); });
    return all;
  };
  const std::vector<std::string> right = texts();
  OpenSqlite(path_, false).Execute("UPDATE records SET json = replace(json, ',\"', ', \"') WHERE seq = 2");
  EXPECT_EQ(texts(), right) << "another writing of the same record";
  OpenSqlite(path_, false).Execute("UPDATE records SET json = replace(json, '1001', '1111') WHERE seq = 2");
  EXPECT_THROW(texts(), Error);
}

TEST_F(DamagedStore, UnfinishedUpgradeLeavesNothing) {
  Database database = SqliteInMemory();
  {
    Transaction transaction(database);
    UpgradeSchema(database, 0);
  }
  EXPECT_EQ(database.Integer("PRAGMA user_version"), 0);
  EXPECT_TRUE(SchemaTexts(database).empty());
}

}  // namespace
}  // namespace hone
