// The session of docs/tutorial/first_board.md with a device that has fewer cores than the tuner: tracker, runner, tune,
// build.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "db/record_store.h"
#include "runtime/session.h"
#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class RemoteSession : public TrackerChildTest {
 protected:
  void SetUp() override {
    TrackerChildTest::SetUp();
    ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 -o model.onnx").code, 0);
    OfferDevice({"--cores", "0", "--label", "left"});
  }
  // The test can show whose cores decide only if this machine has more than the device.
  static bool HasMoreCoresThanTheDevice() { return AllowedCores() >= 2; }
  int64_t CoresOfTheDevice() const {
    const Json devices = ParseJson(Shell("hone devices --json --tracker " + address_).out, "the devices");
    return devices["runners"].size() == 1 ? devices["runners"][0]["cores"].get<int64_t>() : 0;
  }
  ProgramResult TuneModel(const std::string& more) const {
    return Shell("hone tune model.onnx" + There() + " --db records.db " + more);
  }
  void ExpectRefusal(const std::string& more, const std::string& given, const std::string& has) const {
    const ProgramResult r = TuneModel(more);
    EXPECT_EQ(r.code, 78) << more;
    EXPECT_THAT(r.err, AllOf(StartsWith("hone: "), HasSubstr(given), HasSubstr(has)));
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  }
};

TEST_F(RemoteSession, TunesAndBuildsForTheDevice) {
  if (!HasMoreCoresThanTheDevice()) GTEST_SKIP() << "this machine has one core, as the device has";
  const ProgramResult tuned = TuneModel("--trials 8");
  ASSERT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_EQ(CoresOfTheDevice(), 1);
  EXPECT_THAT(tuned.err,
              AllOf(HasSubstr("timing on here/left ("), HasSubstr("1 core)"), HasSubstr("-num-cores=1, 1 thread\n")));
  EXPECT_THAT(tuned.out, Not(HasSubstr("none: ")));
  const std::string build = NextOf(tuned);
  EXPECT_THAT(build, AllOf(StartsWith("hone build model.onnx --target 'llvm "), HasSubstr(" --threads 1 "),
                           HasSubstr(" --db records.db ")));
  const ProgramResult built = Shell(build);
  ASSERT_EQ(built.code, 0) << built.err;
  EXPECT_THAT(built.out, HasSubstr(" 1 thread,"));
  EXPECT_THAT(built.out, testing::AnyOf(HasSubstr(" same microarchitecture "), HasSubstr(" near "))) << "no records";
  // The device is in fact this machine.
  EXPECT_THAT(NextOf(built), testing::StartsWith("hone run "));
  EXPECT_EQ(Shell(NextOf(built)).code, 0) << NextOf(built);
}

TEST_F(RemoteSession, RefusesWhatCannotRunThere) {
  if (!HasMoreCoresThanTheDevice()) GTEST_SKIP() << "this machine has one core, as the device has";
  ExpectRefusal("--threads 2", "2 threads were asked for", "has 1 core");
  ExpectRefusal("--target 'llvm -mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+d,+f,+m'", "generic-rv64",
                " code");
  for (const std::string& file : Files()) EXPECT_THAT(file, Not(HasSubstr("records.db")));
}

TEST_F(RemoteSession, TimesAPackageOnTheDevice) {
  ASSERT_EQ(Shell("hone build model.onnx -o model.hone --threads 1").code, 0);
  const std::string bench = "hone bench model.hone" + There() + " --runs 70 --json";
  const ProgramResult timed = Shell(bench + " --per-op");
  ASSERT_EQ(timed.code, 0) << timed.err;
  const Json document = ParseJson(timed.out, "the report");
  EXPECT_EQ(document["machine"]["label"], "left");
  const Json& package = document["packages"][0];
  EXPECT_EQ(package["runs"], 70);  // more than one job may run
  EXPECT_EQ(package["threads"], 1);
  EXPECT_GT(package["min_ns"].get<int64_t>(), 0);
  ASSERT_GE(package["per_op"].size(), 1U);
  EXPECT_GT(package["per_op"][0]["min_ns"].get<int64_t>(), 0);
  const ProgramResult shown = Shell("hone bench model.hone" + There() + " --runs 5 --per-op");
  EXPECT_EQ(NextOf(shown), "hone package info model.hone");
  const ProgramResult ones = Shell("hone bench model.hone --fill ones --runs 5" + There());
  EXPECT_EQ(ones.code, 0) << ones.err;
  const ProgramResult random = Shell("hone bench model.hone" + There() + " --runs 5 --random-params");
  EXPECT_EQ(random.code, 0) << random.err;
  EXPECT_THAT(random.out, HasSubstr("timed on here/left, with random parameters"));
  const ProgramResult nowhere = Shell("hone bench model.hone --random-params");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_THAT(nowhere.err, HasSubstr("--random-params is for a runner"));
}

TEST_F(RemoteSession, RunsAndVerifiesAPackageOnTheDevice) {
  ASSERT_EQ(Shell("hone build model.onnx -o model.hone --threads 1").code, 0);
  const std::string there = There();
  ASSERT_EQ(Shell("hone run model.hone --threads 1 --seed 5 --output 'from here'").code, 0);
  const ProgramResult ran = Shell("hone run model.hone --seed 5 --output 'from there' --json" + there);
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ParseJson(ran.out, "the report")["machine"]["label"], "left");
  EXPECT_EQ(Shell("diff -r 'from here' 'from there'").code, 0) << "the device is this machine";
  EXPECT_NE(
      Shell("hone run model.hone --seed 6 --output 'from there'" + there + " && diff -r 'from here' 'from there'").code,
      0);
  const ProgramResult verified = Shell("hone verify model.onnx model.hone" + there);
  EXPECT_EQ(verified.code, 0) << verified.err << verified.out;
  EXPECT_THAT(verified.out, HasSubstr("the outputs agree"));
  const ProgramResult fresh = Shell("hone verify model.onnx" + there);
  EXPECT_EQ(fresh.code, 0) << fresh.err << fresh.out;
  EXPECT_THAT(fresh.out, HasSubstr(" (before softmax)"));
  EXPECT_THAT(NextOf(fresh), HasSubstr("--target "));
  ASSERT_EQ(Shell("hone zoo mlp --image-shape 1,14,14 --seed 9 -o other.onnx").code, 0);
  EXPECT_EQ(Shell("hone verify other.onnx model.hone" + there).code, 1) << "other weights";
}

TEST_F(RemoteSession, TimesWhatWasImportedOnTheDevice) {
  ASSERT_EQ(Shell("hone tune model.onnx --threads 1 --trials 6 --finals kernels --db theirs.db").code, 0);
  const std::string there = There();
  const ProgramResult verified = Shell("hone log verify theirs.db --db mine.db" + there);
  ASSERT_EQ(verified.code, 0) << verified.err;
  EXPECT_THAT(verified.err, HasSubstr("timing on here/left ("));
  EXPECT_THAT(verified.out, HasSubstr("records hold within 3 %"));
  EXPECT_THAT(NextOf(verified), AllOf(StartsWith("hone build MODEL -o P.hone "), HasSubstr(" --target 'llvm "),
                                      HasSubstr(" --threads 1"), HasSubstr(" --db mine.db")));
  const std::vector<Record> kept = RecordStore::Open(Path("work/mine.db"), false)->Find({});
  EXPECT_GE(kept.size(), 15U) << "of each of three layers five rounds";
  for (const Record& record : kept) EXPECT_EQ(record.measurement.environment.label, "left") << record.id;
}

TEST_F(RemoteSession, RefusesToTimeImportsOnADeviceThatIsNotNamedOrNotThere) {
  ASSERT_EQ(Shell("hone tune model.onnx --threads 1 --trials 2 --finals kernels --db theirs.db").code, 0);
  const std::string verify = "hone log verify theirs.db --db mine.db --tracker " + address_;
  EXPECT_EQ(Shell(verify).code, 2) << "without --key";
  const ProgramResult nobody = Shell(verify + " --key nobody");
  EXPECT_EQ(nobody.code, 69) << nobody.err;
  EXPECT_EQ(std::count(nobody.err.begin(), nobody.err.end(), '\n'), 1) << nobody.err;
  for (const std::string& file : Files()) EXPECT_THAT(file, Not(HasSubstr("mine.db")));
}

TEST_F(RemoteSession, RefusesToRunWhatIsDamaged) {
  ASSERT_EQ(Shell("hone build model.onnx -o model.hone --threads 1").code, 0);
  std::string bytes = Read("work/model.hone");
  bytes[bytes.size() - 2000] = static_cast<char>(bytes[bytes.size() - 2000] ^ 1);  // a byte of the package's parameters
  Write("work/model.hone", bytes);
  const ProgramResult damaged = Shell("hone run model.hone" + There());
  EXPECT_EQ(damaged.code, 65);
  EXPECT_EQ(std::count(damaged.err.begin(), damaged.err.end(), '\n'), 1) << damaged.err;
  EXPECT_EQ(Shell("hone run model.hone --tracker " + address_).code, 2);
  EXPECT_EQ(Shell("hone run nothing.hone" + There()).code, 66);
}

TEST_F(RemoteSession, SendsTheDeviceNoPackageThatItCannotRun) {
  ASSERT_EQ(Shell("hone build model.onnx -o arm.hone --target cortex-a72 --threads 1").code, 0);
  ASSERT_EQ(Shell("hone build model.onnx -o model.hone").code, 0);
  for (const char* words : {"arm.hone", "model.hone --threads 2"}) {
    const ProgramResult refused = Shell("hone bench" + There() + " " + words);
    EXPECT_EQ(refused.code, 78) << words;
    EXPECT_THAT(refused.err, HasSubstr(".hone cannot run on here/left: ")) << words;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

TEST_F(RemoteSession, TheDoctorNamesTheStepThatFails) {
  const std::string doctor = "hone doctor --json --tracker " + address_ + " --key ";
  const auto states = [&](const std::string& key) {
    std::map<std::string, std::string> found;
    const Json findings = ParseJson(Shell(doctor + key).out, "the findings");
    for (const Json& check : findings["checks"]) {
      found[check["check"]] = check["state"];
    }
    return found;
  };
  const auto here = states("here");
  for (const char* hop : {"keys", "connect", "lease", "build", "upload", "run", "result"}) {
    EXPECT_TRUE(here.contains(hop) && here.at(hop) == "ok") << hop;
  }
  const auto nobody = states("nobody");
  EXPECT_EQ(nobody.at("connect"), "ok");
  EXPECT_EQ(nobody.at("lease"), "bad");
  EXPECT_FALSE(nobody.contains("build"));
}

}  // namespace
}  // namespace hone
