// Packs: their content, their signatures, and the packs that are refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/hash/minisign.h"
#include "db/packs/deflate.h"
#include "db/packs/pack.h"
#include "db/packs/take_pack.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::HasSubstr;

class Packs : public testing::Test {
 protected:
  Packs() { trusted_.Add("us", key_.public_key); }

  std::string Make(int64_t serial = 1, int records = 20, const std::string& name = "ours") const {
    return WritePack({name, serial, "a test"}, {}, SampleRecords(records));
  }
  std::string Sign(const std::string& bytes) const {
    return SignBytes(bytes, key_, PackComment(ReadPack(bytes).manifest));
  }
  void ExpectRefused(const std::string& bytes, const std::string& signature, const std::string& why = "") {
    try {
      CheckPack(bytes, signature, trusted_);
      FAIL() << "not refused: " << why;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ExitCode::kNotAuthorised || error.code() == ExitCode::kBadData) << error.what();
      EXPECT_THAT(error.what(), HasSubstr(why));
    }
  }

  SigningKey key_ = MakeSigningKey();
  TrustedKeys trusted_;
};

TEST_F(Packs, APackIsReadAsItWasWritten) {
  const RecordPack pack = ReadPack(Make(7));
  EXPECT_EQ(pack.manifest.name, "ours");
  EXPECT_EQ(pack.manifest.serial, 7);
  EXPECT_EQ(pack.manifest.by, "a test");
  EXPECT_EQ(pack.manifest.records, 20);
  EXPECT_EQ(pack.manifest.workloads, 1);
  EXPECT_EQ(pack.manifest.machines.size(), 1U);
  for (const Record& record : SampleRecords(20)) EXPECT_THAT(pack.records, testing::Contains(record));
}

TEST_F(Packs, TheSameRecordsGiveTheSameBytesInAnyOrder) {
  std::vector<Record> records = SampleRecords(20);
  std::reverse(records.begin(), records.end());
  records.push_back(records[3]);
  EXPECT_EQ(WritePack({"ours", 1, "a test"}, {}, records), Make());
  EXPECT_NE(WritePack({"ours", 2, "a test"}, {}, records), Make());
}

TEST_F(Packs, TheSerialIsByDefaultTheAgeOfTheNewestRecord) {
  std::vector<Record> records = SampleRecords(2);
  records[1].unix_ms = 1'700'000'000'123;
  records[1] = Finish(records[1]);
  EXPECT_EQ(ReadPack(WritePack({"x", 0, ""}, {}, records)).manifest.serial, 1'700'000'000);
}

TEST_F(Packs, NamesThatCannotBeAreRefused) {
  for (const char* name : {"", "../x", "a b", "a/b", "a\n"}) {
    EXPECT_THROW(WritePack({name, 1, ""}, {}, SampleRecords(1)), Error) << name;
  }
  EXPECT_THROW(WritePack({"x", 1, ""}, {}, {}), Error);
}

// This holds without a signature, too. A flip may be harmless: decompression ignores some bits of a stream.
void ExpectRefusedOrTheSame(const std::string& flipped, const RecordPack& pack, size_t at) {
  try {
    const RecordPack read = ReadPack(flipped);
    EXPECT_EQ(read.manifest, pack.manifest) << "byte " << at;
    EXPECT_EQ(read.records, pack.records) << "byte " << at;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kBadData) << "byte " << at;
  }
}

TEST_F(Packs, EveryFlippedByteAndEveryTruncationIsRefused) {
  const std::string bytes = Make(1, 4), signature = Sign(bytes);
  const RecordPack pack = ReadPack(bytes);
  CheckPack(bytes, signature, trusted_);
  const size_t step = std::getenv("HONE_SOAK") != nullptr ? 1 : 7;
  for (size_t at = 0; at < bytes.size(); at += step) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    ExpectRefused(flipped, signature);
    ExpectRefusedOrTheSame(flipped, pack, at);
    EXPECT_THROW(ReadPack(bytes.substr(0, at)), Error) << at;
    ExpectRefused(bytes.substr(0, at), signature);
  }
  ExpectRefused(bytes + "x", signature);
}

// Base64 and comments: a change is refused, or is harmless because it is in the untrusted comment or a line end.
TEST_F(Packs, EveryFlippedByteOfASignatureIsRefused) {
  const std::string bytes = Make(1, 4), signature = Sign(bytes);
  CheckPack(bytes, signature, trusted_);
  const size_t first_line = signature.find('\n') + 1;
  for (size_t at = first_line; at + 1 < signature.size(); ++at) {
    std::string flipped = signature;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x01);
    ExpectRefused(bytes, flipped);
    ExpectRefused(bytes, signature.substr(0, at));
  }
}

TEST_F(Packs, OtherKeysAreRefused) {
  const std::string bytes = Make();
  const SigningKey stranger = MakeSigningKey();
  const std::string comment = PackComment(ReadPack(bytes).manifest);
  ExpectRefused(bytes, SignBytes(bytes, stranger, comment), "not trusted");
  SigningKey forged = stranger;
  forged.public_key.id = key_.public_key.id;
  ExpectRefused(bytes, SignBytes(bytes, forged, comment), "not one of key");
}

TEST_F(Packs, ASignatureOfAnotherPackIsRefused) {
  const std::string bytes = Make(1), other = Make(2);
  ExpectRefused(bytes, Sign(other));
  ExpectRefused(bytes, SignBytes(bytes, key_, PackComment(ReadPack(other).manifest)), "the signature is of");
}

// A reader may be another version, so a pack's content does not depend on how it was compressed.
TEST_F(Packs, HoldTheirWholeLogThoughItIsWrittenInPieces) {
  const std::string bytes = Make(1, 500);
  std::string body;
  InflateInPieces(std::string_view(bytes).substr(84), [&](std::string_view piece) { body += piece; });
  EXPECT_EQ(Inflate(std::string_view(bytes).substr(84), body.size()), body);
  EXPECT_EQ(bytes.substr(20, 64), Sha256Hex(body));
  EXPECT_EQ(bytes.substr(84), Deflate(body)) << "the same in one piece";
  EXPECT_THROW(InflateInPieces(std::string_view(bytes).substr(84, 1000), [](std::string_view) {}), Error);
}

// Packs that a key's owner may sign and hone still refuses: their manifests contradict their content.
TEST_F(Packs, AManifestThatSaysOtherThingsIsRefused) {
  const std::string bytes = Make(1, 4);
  const auto size = static_cast<size_t>(static_cast<uint8_t>(bytes[12]) + 256 * static_cast<uint8_t>(bytes[13]));
  const std::string body = Inflate(std::string_view(bytes).substr(84), size);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"\"records\":4", "\"records\":5"},
                                                        {"\"workloads\":1", "\"workloads\":2"},
                                                        {"1002", "9002"},
                                                        {"\"name\":\"ours\"", "\"name\":\"../x\""},
                                                        {"\"serial\":1", "\"serial\":0"},
                                                        {"hone-pack", "hone-sack"}}) {
    std::string changed = body;
    ASSERT_NE(changed.find(from), std::string::npos) << from;
    changed.replace(changed.find(from), from.size(), to);
    const std::string forged = bytes.substr(0, 20) + Sha256Hex(changed) + Deflate(changed);
    EXPECT_THROW(ReadPack(forged), Error) << to;
  }
  EXPECT_NO_THROW(ReadPack(bytes.substr(0, 20) + Sha256Hex(body) + Deflate(body)));
}

TEST_F(Packs, ABombIsRefusedBeforeItGrows) {
  const std::string zeros(1 << 20, '\0');
  std::string bytes = Make(1, 1).substr(0, 12) + std::string(8, '\xff') + Sha256Hex(zeros) + Deflate(zeros);
  EXPECT_THROW(ReadPack(bytes), Error);
  bytes.replace(12, 8, std::string("\x10\0\0\0\0\0\0\0", 8));
  EXPECT_THROW(ReadPack(bytes), Error) << "more than it says";
}

TEST(MinisignKeys, FilesAreReadAsTheyWereWritten) {
  const SigningKey key = MakeSigningKey();
  EXPECT_EQ(ParseSecretKeyFile(SecretKeyFile(key)).public_key, key.public_key);
  EXPECT_EQ(SigningPublicKey::Parse(PublicKeyFile(key.public_key)), key.public_key);
  EXPECT_EQ(SigningPublicKey::Parse(key.public_key.ToText()), key.public_key);
  for (const char* bad : {"", "x", "untrusted comment: x", "untrusted comment: x\nRWQ=\n"}) {
    EXPECT_THROW(ParseSecretKeyFile(bad), Error) << bad;
    EXPECT_THROW(SigningPublicKey::Parse(bad), Error) << bad;
  }
}

TEST(TrustedKeysTest, TheListIsReadAsItWasWritten) {
  TrustedKeys trusted;
  const SigningKey a = MakeSigningKey(), b = MakeSigningKey();
  trusted.Add("a", a.public_key);
  trusted.Add("b", b.public_key);
  EXPECT_THROW(trusted.Add("a", MakeSigningKey().public_key), Error);
  EXPECT_THROW(trusted.Add("c", a.public_key), Error);
  EXPECT_THROW(trusted.Add("two words", MakeSigningKey().public_key), Error);
  TrustedKeys again = TrustedKeys::Parse(trusted.ToText(), "f");
  ASSERT_EQ(again.keys().size(), 2U);
  EXPECT_EQ(again.Find(b.public_key.id)->name, "b");
  EXPECT_EQ(again.Remove(b.public_key.IdText()), 1);
  EXPECT_EQ(again.Find(b.public_key.id), nullptr);
  EXPECT_THROW(TrustedKeys::Parse("nonsense\n", "f"), Error);
}

// Stock minisign, where installed, is the reference.
TEST(StockMinisign, ChecksOursAndMakesWhatWeCheck) {
  if (std::system("minisign -v > /dev/null 2>&1") != 0) GTEST_SKIP() << "minisign is not installed";
  const TempFolder folder;
  const SigningKey key = MakeSigningKey();
  const std::string bytes(100'000, 'x');
  WriteBytes(folder.File("p"), bytes);
  WriteBytes(folder.File("p.minisig"), SignBytes(bytes, key, "hone pack x serial 1"));
  WriteBytes(folder.File("key.pub"), PublicKeyFile(key.public_key));
  const std::string in = "cd " + folder.File("") + " && ";
  EXPECT_EQ(std::system((in + "minisign -V -q -p key.pub -m p").c_str()), 0);
  WriteBytes(folder.File("key"), SecretKeyFile(key));
  EXPECT_EQ(std::system((in + "minisign -S -s key -t theirs -x q.minisig -m p > /dev/null").c_str()), 0);
  EXPECT_EQ(CheckSignature(bytes, ReadBytes(folder.File("q.minisig")), key.public_key), "theirs");
  WriteBytes(folder.File("p"), bytes + "y");
  EXPECT_NE(std::system((in + "minisign -V -q -p key.pub -m p 2> /dev/null").c_str()), 0);
}

}  // namespace
}  // namespace hone
