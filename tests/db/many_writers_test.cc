#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "core/error.h"
#include "db/database.h"
#include "db/record_store.h"
#include "db/sqlite/schema.h"
#include "db/sqlite/store_file.h"
#include "tests/db/forked_writer.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

class ManyWriters : public testing::Test {
 protected:
  void ExpectKept(const std::vector<int>& numbers) {
    EXPECT_EQ(OpenStoreFile(path_, false).Text("PRAGMA integrity_check"), "ok");
    const auto store = RecordStore::Open(path_, false);
    for (int number : numbers) EXPECT_TRUE(store->Get(SampleRecord(number).id)) << number;
  }
  TempFolder folder_;
  std::string path_ = folder_.File("r.db");
};

TEST_F(ManyWriters, NothingAcknowledgedIsLostWhenOneIsKilled) {
  Acknowledgements acknowledged;
  constexpr int kCount = 40;
  std::vector<pid_t> writers;
  for (int w = 0; w < 4; ++w) {
    // The first writer goes on until it is killed.
    const int count = w == 0 ? 1'000'000 : kCount;
    writers.push_back(Fork([&] { return WriteUntilEnough(path_, w * 10'000'000, count, acknowledged); }));
  }
  std::vector<int> numbers;
  const auto killed_wrote = [&] {
    return std::count_if(numbers.begin(), numbers.end(), [](int n) { return n < 10'000'000; });
  };
  while (killed_wrote() < 5) {
    const std::vector<int> more = acknowledged.Read(60'000);
    ASSERT_FALSE(more.empty()) << "no writer gets on";
    numbers.insert(numbers.end(), more.begin(), more.end());
  }
  kill(writers[0], SIGKILL);
  EXPECT_EQ(StatusOf(writers[0]), -SIGKILL);
  for (int w = 1; w < 4; ++w) EXPECT_EQ(StatusOf(writers[w]), 0);
  const std::vector<int> rest = acknowledged.Read(0);
  numbers.insert(numbers.end(), rest.begin(), rest.end());
  EXPECT_GE(numbers.size(), 3U * kCount + 5);
  ExpectKept(numbers);
}

TEST_F(ManyWriters, ManyMayCreateAStoreAtOnce) {
  for (JournalMode mode : {JournalMode::kPersist, JournalMode::kWal}) {
    const std::string path = folder_.File(mode == JournalMode::kWal ? "wal.db" : "persist.db");
    std::vector<pid_t> children;
    for (int c = 0; c < 8; ++c) {
      children.push_back(Fork(
          [&] { return OpenStoreFile(path, true, mode).Integer("PRAGMA user_version") == kSchemaVersion ? 0 : 1; }));
    }
    for (pid_t child : children) EXPECT_EQ(StatusOf(child), 0);
  }
}

TEST_F(ManyWriters, ADiskThatIsFullIsAnErrorAndLosesNothing) {
  Acknowledgements acknowledged;
  const pid_t writer = Fork([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{160 << 10, 160 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    return WriteUntilEnough(path_, 0, 1'000'000, acknowledged);
  });
  EXPECT_EQ(StatusOf(writer), static_cast<int>(ExitCode::kIo));
  const std::vector<int> numbers = acknowledged.Read(0);
  EXPECT_GT(numbers.size(), 10U);
  ExpectKept(numbers);
}

}  // namespace
}  // namespace hone
