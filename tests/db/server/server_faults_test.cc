// Killed servers, connections that end at any message, and damaged pages.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/error.h"
#include "core/hash/minisign.h"
#include "db/care/store_care.h"
#include "db/database.h"
#include "db/open_database.h"
#include "db/packs/take_pack.h"
#include "db/patient_store.h"
#include "tests/db/sample_record.h"
#include "tests/db/server/refusal_of.h"
#include "tests/db/server/server_place.h"
#include "tests/db/store_place.h"
#include "tests/support/connection_cutter.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class RestartedServer : public testing::Test {
 protected:
  // A patient store that restarts the server each time it waits.
  Patience Restarting() {
    Patience patience;
    patience.now_ns = [this] { return now_ns_; };
    patience.sleep = [this](int64_t ns) {
      now_ns_ += ns;
      server_.Start();
    };
    patience.tell = [this](const std::string& what) { told_.push_back(what); };
    return patience;
  }

  PostgresServer server_;
  std::string where_ = server_.NewDatabase();
  int64_t now_ns_ = 0;
  std::vector<std::string> told_;
};

TEST_F(RestartedServer, LosesNothingThatWasAcknowledged) {
  const auto store = MakePatient(RecordStore::Open(where_), Restarting());
  ASSERT_TRUE(store->claims().Take("mine"));
  int64_t kept = 0;
  for (int kill = 0; kill < 3; ++kill) {
    kept += store->Append({SampleRecord(2 * kill)});
    server_.Kill();
    kept += store->Append({SampleRecord(2 * kill + 1)});
  }
  EXPECT_EQ(kept, 6);
  EXPECT_EQ(store->Find({}), SampleRecords(6));
  EXPECT_EQ(told_.size(), 6U) << "each wait is told, and its end";
  EXPECT_FALSE(RecordStore::Open(where_)->claims().Take("mine")) << "claims are taken again";
}

TEST_F(RestartedServer, ClaimsWaitForItToo) {
  const auto store = MakePatient(RecordStore::Open(where_), Restarting());
  ASSERT_TRUE(store->claims().Take("a"));
  server_.Kill();
  store->claims().Release("a");
  EXPECT_TRUE(store->claims().Take("b"));
  EXPECT_FALSE(RecordStore::Open(where_)->claims().Take("b"));
  EXPECT_TRUE(RecordStore::Open(where_)->claims().Take("a"));
}

TEST_F(RestartedServer, AClientWithoutPatienceGetsOneLine) {
  const auto store = RecordStore::Open(where_);
  server_.Kill();
  const Error error = Refusal([&] { store->Append({SampleRecord(1)}); });
  EXPECT_EQ(error.code(), ExitCode::kIo);
  EXPECT_THAT(error.what(), HasSubstr("lost"));
  EXPECT_EQ(Refusal([&] { store->Arrived(); }).code(), ExitCode::kIo);
  server_.Start();
  EXPECT_EQ(store->Append({SampleRecord(1)}), 1);
}

// The file is damaged while the server is down, because the server's memory would hide the damage.
TEST_F(RestartedServer, ADamagedPageIsTold) {
  RecordStore::Open(where_)->Append(SampleRecords(100));
  const std::string file = OpenDatabase(where_, false)
                               .Text(
                                   "SELECT current_setting('data_directory') || '/' || "
                                   "pg_relation_filepath('hone.records')");
  PostgresServer::Execute(where_, "CHECKPOINT");
  server_.Kill();
  {
    std::fstream pages(file, std::ios::binary | std::ios::in | std::ios::out);
    ASSERT_TRUE(pages.seekp(8192)) << file;
    pages << std::string(8192, '\xff');
  }
  server_.Start();
  const Error error = Refusal([&] { RecordStore::Open(where_)->Find({}); });
  EXPECT_EQ(error.code(), ExitCode::kBadData) << error.what();
  EXPECT_THAT(error.what(), HasSubstr("invalid page"));
  EXPECT_THAT(CheckStore(where_).problems, Not(IsEmpty()));
}

// Any message of a client may be the last, and any answer may be lost.
class CutConnection : public testing::Test {
 protected:
  // Calls `use` with an address whose connection ends at message 1, at 2, and so on, up to the last message. After
  // each, calls `look` with whether `use` succeeded.
  void AtEveryMessage(const std::function<void(const std::string& where)>& use,
                      const std::function<void(bool done)>& look) {
    for (const auto last : {ConnectionCutter::Message::kLost, ConnectionCutter::Message::kPassedOn}) {
      int message = 0;
      do {
        cutter_.CutNextAt(++message, last);
        bool done = true;
        try {
          use(cutter_.address());
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ExitCode::kIo) << error.what();
          done = false;
        }
        look(done);
      } while (cutter_.cut());
      EXPECT_GT(message, 10);
    }
  }

  StorePlace place_;
  ConnectionCutter cutter_{place_.where()};
};

TEST_F(CutConnection, AnAppendIsWholeOrNothing) {
  place_.Open();
  std::vector<Record> batch;
  int number = 0;
  AtEveryMessage(
      [&](const std::string& where) {
        batch = {SampleRecord(number), SampleRecord(number + 1)};
        number += 2;
        RecordStore::Open(where)->Append(batch);
      },
      [&](bool done) {
        const auto reader = place_.Open();
        const bool first = reader->Get(batch[0].id).has_value();
        EXPECT_EQ(first, reader->Get(batch[1].id).has_value()) << number;
        EXPECT_TRUE(first || !done) << number;
      });
}

TEST_F(CutConnection, APackIsInWithItsNoteOrNotAtAll) {
  place_.Open();
  const SigningKey key = MakeSigningKey();
  int64_t serial = 0;
  AtEveryMessage(
      [&](const std::string& where) {
        ++serial;
        const auto number = static_cast<int>(2 * serial);
        const std::string bytes = WritePack({"ours", serial, ""}, {}, {SampleRecord(number), SampleRecord(number + 1)});
        TakePack(where, {ReadPack(bytes), key.public_key, "us", "hash"}, 5);
      },
      [&](bool done) {
        Database database = OpenDatabase(place_.where(), false);
        const int64_t noted = database.Integer(fmt::format("SELECT count(*) FROM packs WHERE serial = {}", serial));
        const std::string id = SampleRecord(static_cast<int>(2 * serial)).id;
        EXPECT_EQ(database.Integer(fmt::format("SELECT count(*) FROM records WHERE id = '{}'", id)), noted) << serial;
        EXPECT_TRUE(noted == 1 || !done) << serial;
      });
}

}  // namespace
}  // namespace hone
