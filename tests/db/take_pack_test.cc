// The signed packs that a store takes, and those that it refuses.
#include "db/packs/take_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/hash/minisign.h"
#include "db/open_database.h"
#include "tests/db/sample_record.h"
#include "tests/db/store_place.h"

namespace hone {
namespace {

using testing::HasSubstr;

class TakingPacks : public testing::Test {
 protected:
  TakingPacks() { trusted_.Add("us", key_.public_key); }

  TakenPack Take(int64_t serial, int records, const std::string& name = "ours") {
    const std::string bytes = WritePack({name, serial, "a test"}, {}, SampleRecords(records));
    return TakePack(place_.where(),
                    CheckPack(bytes, SignBytes(bytes, key_, PackComment(ReadPack(bytes).manifest)), trusted_), 5);
  }
  void ExpectRefused(int64_t serial, int records, const std::string& why) {
    const std::vector<std::string> before = Content();
    try {
      Take(serial, records);
      FAIL() << "not refused: " << why;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kNotAuthorised) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
    EXPECT_EQ(Content(), before) << "nothing of it reached the store";
  }
  // The ids of the records, and the noted packs.
  std::vector<std::string> Content() const {
    std::vector<std::string> content = place_.Open()->Ids(0, INT64_MAX);
    Database database = OpenDatabase(place_.where(), false);
    Statement packs(database, "SELECT name, serial, sha256, taken_unix_ms FROM packs ORDER BY name, serial");
    while (packs.Step()) content.push_back(packs.Text(0) + " " + packs.Text(1) + " " + packs.Text(2) + packs.Text(3));
    return content;
  }

  StorePlace place_;
  SigningKey key_ = MakeSigningKey();
  TrustedKeys trusted_;
};

TEST_F(TakingPacks, WhatATrustedKeySignedIsTaken) {
  EXPECT_EQ(Take(1, 20).fresh, 20);
  const std::vector<std::string> content = Content();
  EXPECT_EQ(content.size(), 21U);
  EXPECT_EQ(Take(1, 20).known, 20);
  EXPECT_EQ(Content(), content) << "the same again changes nothing";
  EXPECT_EQ(place_.Open()->Find({}).size(), 20U);
}

TEST_F(TakingPacks, RecordsThatAreThereAreNotCountedAsNew) {
  place_.Open()->Append(SampleRecords(7));
  const TakenPack taken = Take(1, 20);
  EXPECT_EQ(taken.fresh, 13);
  EXPECT_EQ(taken.known, 7);
}

TEST_F(TakingPacks, AnOlderPackIsRefusedAndSoIsAnotherOfTheSameSerial) {
  EXPECT_EQ(Take(5, 10).fresh, 10);
  ExpectRefused(4, 12, "older one is refused");
  ExpectRefused(5, 11, "a pack never changes");
  EXPECT_EQ(Take(1, 15, "theirs").fresh, 5) << "each name has serials of its own";
}

}  // namespace
}  // namespace hone
