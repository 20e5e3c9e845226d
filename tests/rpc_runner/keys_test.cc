// Key files, lists, codes and the audit, without a network.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "rpc_runner/keys/audit.h"
#include "rpc_runner/keys/authorized_list.h"
#include "rpc_runner/keys/client_keys.h"
#include "rpc_runner/keys/curve_key.h"
#include "rpc_runner/keys/enrolment.h"
#include "rpc_runner/keys/key_file.h"

namespace hone {
namespace {

using testing::HasSubstr;

// A key of ZeroMQ's own manual pages, and the key of 32 zero bytes.
constexpr const char* kKeyA = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6";
constexpr const char* kKeyB = "0000000000000000000000000000000000000000";

class Keys : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "hone_keys_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& text, int mode = 0600) const {
    std::ofstream(Path(name)) << text;
    chmod(Path(name).c_str(), static_cast<mode_t>(mode));
  }
  std::string Read(const std::string& name) const {
    std::ifstream in(Path(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // The error of reading an identity; empty when it is read.
  std::string Complaint(const std::string& name) const {
    try {
      ReadIdentity(Path(name));
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadConfig);
      return error.what();
    }
  }
  std::string folder_;
};

TEST(CurveKey, IsTextOf40Characters) {
  const KeyPair keys = NewKeyPair();
  EXPECT_TRUE(IsKey(keys.public_key) && IsKey(keys.secret_key));
  EXPECT_EQ(PublicKeyOf(keys.secret_key), keys.public_key);
  EXPECT_EQ(KeyText(KeyBytes(keys.public_key)), keys.public_key);
  EXPECT_NE(NewKeyPair().secret_key, keys.secret_key);
  // The key pair of those manual pages.
  EXPECT_EQ(PublicKeyOf("JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"), "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7");
  for (const char* text : {"", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh66",
                           "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh ", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh\"",
                           "#####################################0##"})
    EXPECT_FALSE(IsKey(text)) << text;
  EXPECT_TRUE(KeyFingerprint(kKeyB).starts_with("SHA256:Zmh6rfhivXdsj8GLjp+OIAiXFIVu4jOzkCpZHQ1fKSU"))
      << KeyFingerprint(kKeyB);
}

TEST(AuthorizedList, ReadsWhatIsRightAndTellsWhatIsNot) {
  const std::string a = kKeyA, b = kKeyB, c = NewKeyPair().public_key;
  const std::string text = "# whom we admit\n#\n\n" + a + " runner pi4-1\n  " + b +
                           "\ttuner,viewer  ada@lab expires=2027-01-31\r\n" +  // line 5
                           c + " runner\n" +                                   // 6: no name
                           c + " owner eve\n" +                                // 7: no such role
                           c + " runner,runner eve\n" +                        // 8
                           c + " runner, eve\n" +                              // 9
                           c + " tuner eve expires=2027-02-30\n" +             // 10: no such day
                           c + " tuner eve until=2027-02-20\n" +               // 11
                           c + " tuner eve expires=2027-02-20 more\n" +        // 12
                           c.substr(1) + " tuner eve\n" +                      // 13: a short key
                           "#" + c + " tuner eve\n" +                          // 14: a comment without its blank
                           c + " tuner e\xC3\xA8ve\n" +                        // 15
                           a + " tuner eve\n" +                                // 16: the first key once more
                           c + " tuner " + std::string(65, 'n') + "\n" +       // 17
                           c + " viewer last";
  const AuthorizedList list = ParseAuthorizedList(text);
  EXPECT_THAT(list.keys,
              testing::ElementsAre(AuthorizedKey{a, 4, "pi4-1", 0}, AuthorizedKey{b, 3, "ada@lab", 1801353600},
                                   AuthorizedKey{c, 1, "last", 0}));
  std::vector<int> lines;
  for (const auto& fault : list.faults) lines.push_back(fault.line);
  EXPECT_THAT(lines, testing::ElementsAre(6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17));
  for (const AuthorizedKey& key : list.keys) EXPECT_EQ(ParseAuthorizedList(ToLine(key)).keys.at(0), key);
}

TEST(AuthorizedList, SurvivesEveryCutAndEveryDamagedByte) {
  const std::string line = std::string(kKeyA) + " tuner,runner ada expires=2027-01-31T12:00:00Z";
  for (size_t at = 0; at < line.size(); ++at) {
    for (const AuthorizedKey& key : ParseAuthorizedList(line.substr(0, at)).keys) {
      // A cut in the name or the date changes them, but never gives another key or more roles.
      EXPECT_EQ(key.key, kKeyA);
      EXPECT_EQ(key.roles, 6);
    }
    for (const char byte : {'\0', '\n', ' ', '\xFF', ','}) {
      std::string damaged = line;
      damaged[at] = byte;
      for (const AuthorizedKey& key : ParseAuthorizedList(damaged).keys) EXPECT_EQ(key.key, kKeyA);
    }
  }
}

TEST(AuthorizedList, MomentsAreDatesThatThereAre) {
  EXPECT_EQ(ParseUtcTime("2027-01-31"), 1801353600);
  EXPECT_EQ(ParseUtcTime("2027-01-31T12:00:01Z"), 1801353600 + 12 * 3600 + 1);
  EXPECT_EQ(UtcTimeText(1801353600), "2027-01-31T00:00:00Z");
  for (const char* text :
       {"", "2027", "2027-1-31", "2027-13-01", "2027-02-29", "2027-01-31T24:00:00Z", "2027-01-31T12:00", "2027/01/31",
        "31-01-2027", "-027-01-31", "2027-01-31T12:00:00+", "+027-01-31"})
    EXPECT_FALSE(ParseUtcTime(text)) << text;
}

TEST_F(Keys, AnIdentityIsReadOnlyIfItsFileIsPrivate) {
  const KeyPair keys = NewKeyPair();
  WriteIdentity(Path("id"), keys, "ada");
  EXPECT_EQ(ReadIdentity(Path("id")), keys);
  EXPECT_EQ(ReadPublicKey(Path("id.pub")), keys.public_key);
  EXPECT_THROW(WriteIdentity(Path("id"), NewKeyPair(), "ada"), Error) << "a key is never lost";
  struct stat status{};
  ASSERT_EQ(stat(Path("id").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
  for (const int mode : {0644, 0640, 0604, 0660, 0620, 0610}) {
    chmod(Path("id").c_str(), static_cast<mode_t>(mode));
    EXPECT_THAT(Complaint("id"), HasSubstr("chmod 600")) << mode;
  }
  EXPECT_THAT(Complaint("nowhere"), HasSubstr("hone key new"));
  Write("empty", "");
  Write("cut", keys.secret_key.substr(0, 39) + "\n");
  Write("two", keys.secret_key + "\n" + keys.secret_key + "\n");
  Write("public", keys.public_key + " ada\n");
  for (const char* name : {"empty", "cut", "two", "public"}) EXPECT_THAT(Complaint(name), HasSubstr("damaged")) << name;
  EXPECT_THAT(Complaint("."), HasSubstr("not a regular file"));
  ASSERT_EQ(mkfifo(Path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(Complaint("pipe"), HasSubstr("not a regular file"));
}

TEST_F(Keys, AListIsChangedLineByLine) {
  const KeyFolder folder(Path("tracker"));
  MakeTrackerFolder(folder);
  EXPECT_THROW(MakeTrackerFolder(folder), Error);
  Write("tracker/authorized_keys", "# ours\nnonsense stays\n" + std::string(kKeyA) + " runner pi\n# end\n");
  Authorize(folder, {kKeyB, 2, "ada", 0});
  Authorize(folder, {kKeyA, 5, "pi", 0});
  EXPECT_EQ(Read("tracker/authorized_keys"),
            "# ours\nnonsense stays\n# end\n" + std::string(kKeyB) + " tuner ada\n" + kKeyA + " viewer,runner pi\n");
  EXPECT_TRUE(Revoke(folder, "a").empty());
  EXPECT_TRUE(Revoke(folder, "JTKVSB%").empty()) << "too few characters";
  EXPECT_EQ(Revoke(folder, "JTKVSB%%").size(), 1u);
  EXPECT_EQ(Revoke(folder, KeyFingerprint(kKeyB)).size(), 1u);
  EXPECT_EQ(Read("tracker/authorized_keys"), "# ours\nnonsense stays\n# end\n");
  chmod(folder.list().c_str(), 0666);
  EXPECT_THROW(ReadAuthorizedList(folder), Error);
}

TEST_F(Keys, AnEnrolmentCodeNamesItsTrackerAndIsReadWholeOrRefused) {
  EnrolmentCode made;
  const std::string code = MakeEnrolmentCode(kKeyA, &made);
  const EnrolmentCode read = ReadEnrolmentCode(code);
  EXPECT_EQ(read.server_key, kKeyA);
  EXPECT_EQ(read.once, made.once);
  EXPECT_EQ(code.size(), 62u);
  EXPECT_EQ(code.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"), code.npos);
  for (size_t at = 0; at < code.size(); ++at) {
    std::string wrong = code;
    wrong[at] = wrong[at] == 'x' ? 'y' : 'x';
    EXPECT_THROW(ReadEnrolmentCode(wrong), Error) << at;
    EXPECT_THROW(ReadEnrolmentCode(code.substr(0, at)), Error) << at;
  }
  EXPECT_THROW(ReadEnrolmentCode(code + "x"), Error);
}

TEST_F(Keys, AnEnrolmentIsTakenByOneKeyAndEndsInTime) {
  const KeyFolder folder(Path("tracker"));
  MakeTrackerFolder(folder);
  const std::string once = NewKeyPair().public_key, fresh = NewKeyPair().public_key, other = NewKeyPair().public_key;
  AddEnrolment(folder, {once, 4, "pi", 1600, 5000, ""}, 1000);
  AuthorizedKey made;
  EXPECT_FALSE(TakeEnrolment(folder, other, fresh, 1001, &made)) << "another code";
  EXPECT_FALSE(TakeEnrolment(folder, once, fresh, 1600, &made)) << "too late";
  EXPECT_TRUE(TakeEnrolment(folder, once, fresh, 1001, &made));
  EXPECT_EQ(made, (AuthorizedKey{fresh, 4, "pi", 5000}));
  EXPECT_TRUE(TakeEnrolment(folder, once, fresh, 1002, &made)) << "its answer was lost";
  EXPECT_FALSE(TakeEnrolment(folder, once, other, 1002, &made)) << "a code works once";
  EXPECT_THAT(ReadAuthorizedList(folder).keys, testing::ElementsAre(AuthorizedKey{fresh, 4, "pi", 5000}));
  EXPECT_TRUE(ReadEnrolments(folder, 999).empty()) << "from a clock that was wrong";
  for (size_t i = 1; i < kMostEnrolments; ++i) AddEnrolment(folder, {once, 4, "pi", 1600, 0, ""}, 1000);
  EXPECT_THROW(AddEnrolment(folder, {once, 4, "pi", 1600, 0, ""}, 1000), Error);
  EXPECT_NO_THROW(AddEnrolment(folder, {once, 4, "pi", 2200, 0, ""}, 1600));
}

TEST_F(Keys, KnownTrackersAreFoundByTheirAddress) {
  const std::string path = Path("config/known_trackers");
  EXPECT_EQ(FindKnownTracker(path, "tcp://10.0.0.1:9190"), "");
  AddKnownTracker(path, "tcp://10.0.0.1:9190", kKeyA);
  AddKnownTracker(path, "tcp://10.0.0.1:919", kKeyB);
  AddKnownTracker(path, "tcp://10.0.0.1:09190", kKeyB);
  EXPECT_EQ(FindKnownTracker(path, "tcp://10.0.0.1:9190"), kKeyB);
  EXPECT_EQ(Read("config/known_trackers"),
            "tcp://10.0.0.1:919 " + std::string(kKeyB) + "\ntcp://10.0.0.1:9190 " + kKeyB + "\n");
  Write("config/known_trackers", "tcp://10.0.0.1:9190 " + std::string(kKeyA).substr(1) + "\n");
  EXPECT_THROW(FindKnownTracker(path, "tcp://10.0.0.1:9190"), Error);
  EXPECT_EQ(FindKnownTracker(path, "tcp://10.0.0.1:1"), "");
  chmod(path.c_str(), 0666);
  EXPECT_THROW(FindKnownTracker(path, "tcp://10.0.0.1:1"), Error);
}

TEST_F(Keys, TheAuditHasALineForEach) {
  Audit audit(Path("audit.jsonl"));
  audit.Admitted(kKeyA, "pi", "runner", "10.0.0.7");
  audit.Refused(kKeyB, "10.0.0.8", "not on \"the\" list\n");
  audit.Lease({"9f", "left", "pi4", "ada", "hone", 1801353600123, 0});
  audit.Lease({"9f", "left", "pi4", "ada", "hone", 1801353600123, 1801353660000});
  std::vector<Json> lines;
  std::ifstream in(Path("audit.jsonl"));
  for (std::string line; std::getline(in, line);) lines.push_back(ParseJson(line, "an audit line"));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["key"], std::string(kKeyA).substr(0, 8)) << "no whole key";
  EXPECT_EQ(lines[1]["why"], "not on \"the\" list\n");
  EXPECT_EQ(lines[2]["event"], "lease_begin");
  EXPECT_FALSE(lines[2].contains("until"));
  EXPECT_EQ(lines[3]["holder"], "ada");
  EXPECT_EQ(lines[3]["from"], "2027-01-31T00:00:00.123Z");
  EXPECT_EQ(lines[3]["until"], "2027-01-31T00:01:00.000Z");
}

TEST_F(Keys, AFloodOfRefusalsDoesNotFillTheDisk) {
  Audit audit(Path("audit.jsonl"));
  for (int i = 0; i < 10'000; ++i) audit.Refused(kKeyB, "10.0.0.8", "not on the list");
  const std::string text = Read("audit.jsonl");
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 1000);
  EXPECT_GE(std::count(text.begin(), text.end(), '\n'), 20);
  EXPECT_THAT(audit.RefusalCounts(), testing::ElementsAre(testing::Pair("not on the list", 10'000)));
  EXPECT_THROW(Audit(Path("no/such/folder")), Error);
}

}  // namespace
}  // namespace hone
