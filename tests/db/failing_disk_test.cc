// Power cuts, and disks and memory that fail at every point: acknowledged records stay, and each failure is one line.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdlib>
#include <random>

#include "core/error.h"
#include "core/hash/minisign.h"
#include "db/packs/take_pack.h"
#include "db/record_store.h"
#include "db/sqlite/store_file.h"
#include "tests/db/sample_record.h"
#include "tests/db/simulated_disk.h"

namespace hone {
namespace {

constexpr const char* kPath = "simulated.db";
constexpr int kBatches = 8, kBatch = 3;

const std::vector<Record>& AllRecords() {
  static const std::vector<Record> all = SampleRecords(kBatches * kBatch);
  return all;
}

bool Soak() { return std::getenv("HONE_SOAK") != nullptr; }

// Appends batch after batch and notes the ids that were acknowledged. Returns the error that ended it, if any.
std::string AppendAll(std::vector<std::string>& acknowledged) {
  try {
    const auto store = RecordStore::Open(kPath);
    for (int b = 0; b < kBatches; ++b) {
      const auto begin = AllRecords().begin() + b * kBatch;
      const std::vector<Record> batch(begin, begin + kBatch);
      store->Append(batch);
      for (const Record& record : batch) acknowledged.push_back(record.id);
    }
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// The number of acknowledged records that are lost; -1 where the store is damaged.
int Lost(const std::vector<std::string>& acknowledged) {
  try {
    if (OpenStoreFile(kPath, true).Text("PRAGMA integrity_check") != "ok") return -1;
    const auto store = RecordStore::Open(kPath);
    int lost = 0;
    for (const std::string& id : acknowledged) lost += store->Get(id) ? 0 : 1;
    // The store can still be written.
    store->Append(AllRecords());
    EXPECT_EQ(store->Find({}).size(), static_cast<size_t>(kBatches * kBatch));
    return lost;
  } catch (const Error&) {
    return -1;
  }
}

int64_t OperationsInAll() {
  SimulatedDisk disk;
  std::vector<std::string> acknowledged;
  EXPECT_EQ(AppendAll(acknowledged), "");
  EXPECT_EQ(acknowledged.size(), static_cast<size_t>(kBatches * kBatch));
  return disk.operations();
}

// Cuts the power at a random operation; returns what Lost says then.
int LostByPowerCut(uint64_t seed, int64_t operations, bool ignores_syncs) {
  std::mt19937_64 random(seed);
  SimulatedDisk disk;
  if (ignores_syncs) disk.IgnoreSyncs();
  const auto last = static_cast<int64_t>(random() % static_cast<uint64_t>(operations));
  disk.FailBy([last](DiskOperation, int64_t count) { return count > last ? SQLITE_IOERR : SQLITE_OK; });
  std::vector<std::string> acknowledged;
  AppendAll(acknowledged);
  disk.CutPower(random);
  return Lost(acknowledged);
}

class FailingDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (LinkedJournalMode() != JournalMode::kPersist) GTEST_SKIP() << "the simulated disk has no shared memory for WAL";
  }

  // Makes the n-th operation fail, and with `forever` all after it, for each n up to the number of operations.
  void FailAtEvery(const std::function<int(DiskOperation)>& code, bool forever) {
    const int64_t step = Soak() ? 1 : 13;
    for (int64_t n = 1;; n += step) {
      SimulatedDisk disk;
      bool failed = false;
      disk.FailBy([&](DiskOperation operation, int64_t count) {
        const bool now = count == n || (forever && count > n);
        const int fails = now ? code(operation) : SQLITE_OK;
        failed = failed || fails != SQLITE_OK;
        return fails;
      });
      std::vector<std::string> acknowledged;
      const std::string error = AppendAll(acknowledged);
      if (n > disk.operations()) break;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
      if (error.empty()) {
        EXPECT_EQ(acknowledged.size(), static_cast<size_t>(kBatches * kBatch)) << n;
      }
      if (failed && forever) {
        EXPECT_NE(error, "") << n;
      }
      disk.FailBy(nullptr);
      ASSERT_EQ(Lost(acknowledged), 0) << "operation " << n << ": " << error;
    }
  }
};

TEST_F(FailingDisk, NothingAcknowledgedIsLostByPowerCuts) {
  const int64_t operations = OperationsInAll();
  const int cuts = Soak() ? 1000 : 50;
  for (int cut = 0; cut < cuts; ++cut)
    EXPECT_EQ(LostByPowerCut(static_cast<uint64_t>(cut), operations, false), 0) << cut;
}

// This proves that the simulation works: without syncs, as with synchronous=OFF, the same cuts lose records.
TEST_F(FailingDisk, PowerCutsAreSeenToLoseWhatWasNotSynced) {
  const int64_t operations = OperationsInAll();
  int harmed = 0;
  for (int cut = 0; cut < 50; ++cut)
    harmed += LostByPowerCut(static_cast<uint64_t>(cut), operations, true) != 0 ? 1 : 0;
  EXPECT_GT(harmed, 10);
}

TEST_F(FailingDisk, AFullDiskAtAnyWriteLosesNothing) {
  const auto full = [](DiskOperation operation) {
    return operation == DiskOperation::kWrite ? SQLITE_FULL : SQLITE_OK;
  };
  FailAtEvery(full, false);
  FailAtEvery(full, true);
}

TEST_F(FailingDisk, AnErrorOfTheDeviceAtAnyPointLosesNothing) {
  const auto errs = [](DiskOperation operation) {
    switch (operation) {
      case DiskOperation::kOpen:
        return SQLITE_CANTOPEN;
      case DiskOperation::kRead:
        return SQLITE_IOERR_READ;
      case DiskOperation::kWrite:
        return SQLITE_IOERR_WRITE;
      case DiskOperation::kTruncate:
        return SQLITE_IOERR_TRUNCATE;
      case DiskOperation::kSync:
        return SQLITE_IOERR_FSYNC;
    }
    return SQLITE_IOERR;
  };
  FailAtEvery(errs, false);
  FailAtEvery(errs, true);
}

// Otherwise an older pack could be taken after a newer one.
TEST_F(FailingDisk, APackIsInWithItsNoteOrNotAtAll) {
  constexpr int kRecords = 20;
  const std::string bytes = WritePack({"ours", 1, ""}, {}, SampleRecords(kRecords));
  const CheckedPack pack{ReadPack(bytes), MakeSigningKey().public_key, "us", "hash"};
  std::mt19937_64 random(1);
  const int64_t step = Soak() ? 1 : 3;
  int64_t whole = 0;
  bool failed = true;
  for (int64_t n = 0; failed; n += step) {
    SimulatedDisk disk;
    disk.FailBy([n](DiskOperation, int64_t count) { return count > n ? SQLITE_IOERR : SQLITE_OK; });
    bool taken = true;
    try {
      TakePack(kPath, pack, 5);
    } catch (const Error&) {
      taken = false;
    }
    failed = disk.operations() > n;
    disk.CutPower(random);
    Database database = OpenStoreFile(kPath, true);
    const int64_t noted = database.Integer("SELECT count(*) FROM packs");
    EXPECT_EQ(database.Integer("SELECT count(*) FROM records"), kRecords * noted) << "operation " << n;
    EXPECT_TRUE(noted == 1 || !taken) << "operation " << n;
    whole += noted;
  }
  EXPECT_GT(whole, 0);
}

// The number of SQLite's allocations, and the one that fails.
sqlite3_mem_methods usual;
int64_t allocations = 0, failing = 0;  // failing 0: none fails

bool FailsNow() { return ++allocations == failing; }
void* Malloc(int size) { return FailsNow() ? nullptr : usual.xMalloc(size); }
void* Realloc(void* old, int size) { return FailsNow() ? nullptr : usual.xRealloc(old, size); }

TEST_F(FailingDisk, NoMemoryAtAnyPointLosesNothing) {
  sqlite3_shutdown();
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
  sqlite3_mem_methods counted = usual;
  counted.xMalloc = Malloc;
  counted.xRealloc = Realloc;
  ASSERT_EQ(sqlite3_config(SQLITE_CONFIG_MALLOC, &counted), SQLITE_OK);
  sqlite3_initialize();
  const int64_t step = Soak() ? 1 : 97;
  int failures = 0;
  for (int64_t n = 1;; n += step) {
    SimulatedDisk disk;
    std::vector<std::string> acknowledged;
    allocations = 0;
    failing = n;
    const std::string error = AppendAll(acknowledged);
    failing = 0;
    if (n > allocations) break;
    failures += error.empty() ? 0 : 1;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    ASSERT_EQ(Lost(acknowledged), 0) << "allocation " << n << ": " << error;
  }
  EXPECT_GT(failures, 10);
  sqlite3_shutdown();
  sqlite3_config(SQLITE_CONFIG_MALLOC, &usual);
}

}  // namespace
}  // namespace hone
