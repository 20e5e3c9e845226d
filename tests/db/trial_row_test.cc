#include "db/trial_row.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "db/record_store.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/sqlite_connection.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

// The store's own reading of keys agrees with the records.
TEST(EachTrial, TellsTheKeysOfTheRecords) {
  TempFolder folder;
  const auto store = RecordStore::Open(folder.File("store.db"));
  std::vector<Record> records = SampleRecords(5);
  records[1].measurement.environment = EpycOf("AuthenticAMD-25-1-1");
  records[1].measurement.environment.key = "boards";
  records[1].measurement.environment.label = "left";
  records[1].measurement.noisy = true;
  records[1].finals = {2, 1, 1, false};
  records[1].candidate.target.features = {"+avx2", "-fma"};
  records[1].id.clear();
  records[1] = Finish(records[1]);
  store->Append(records);
  std::vector<TrialRow> rows;
  store->EachTrial({}, [&](const TrialRow& row) { rows.push_back(row); });
  ASSERT_EQ(rows.size(), records.size());
  for (size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], TrialRowOf(records[i], static_cast<int64_t>(i) + 1));
  RecordQuery one;
  one.device = "left";
  int found = 0;
  store->EachTrial(one, [&](const TrialRow& row) { found += row.id == records[1].id; });
  EXPECT_EQ(found, 1);
}

TEST(EachColumn, NamesTheColumnsOfTheNewestTable) {
  std::map<std::string, std::string> listed = {{"seq", "INTEGER"}, {"json", "TEXT"}, {"setup", "INTEGER"}};
  const TrialRow row;
  EachColumn(row, [&]<typename Member>(const char* name, int version, const Member&) {
    EXPECT_LE(version, kSchemaVersion) << name;
    listed[name] = kIsText<Member> ? "TEXT" : "INTEGER";
  });
  Database database = SqliteInMemory();
  UpgradeSchema(database, 0);
  std::map<std::string, std::string> made;
  Statement columns(database, "SELECT name, type FROM pragma_table_info('records')");
  while (columns.Step()) made[columns.Text(0)] = columns.Text(1);
  EXPECT_EQ(made, listed);
}

}  // namespace
}  // namespace hone
