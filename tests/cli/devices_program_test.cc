// The care of a fleet with a real tracker: runners that are held, drained and end by themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

using testing::HasSubstr;

class DevicesProgram : public ProgramTest {
 protected:
  // Runs the commands while a tracker runs; $address is the tracker's.
  ProgramResult WithTracker(const std::string& commands) {
    return Shell(
        "{ \"$HONE\" tracker --bind 'tcp://127.0.0.1:*' --port-file port >tracker.out 2>&1 & } && tracker=$!; "
        "for i in $(seq 400); do [ -s port ] && break; sleep 0.05; done; address=$(cat port); " +
        commands + "; kill $tracker; wait $tracker");
  }
  // Runs the commands while a runner with the label "board" runs.
  ProgramResult WithRunner(const std::string& commands) {
    return WithTracker(
        "timeout 120 '" HONE_RUNNER
        "' --tracker $address --key pi --label board --health off 2>runner.err & runner=$!; "
        "for i in $(seq 400); do hone devices --tracker $address 2>/dev/null | grep -q board && break; sleep 0.05; "
        "done; " +
        commands + "; kill -TERM $runner; wait $runner");
  }
  // `hone devices WORDS`: writes its document to the file `name` and appends its exit code to the file codes.
  static std::string Step(const std::string& name, const std::string& words) {
    return "hone devices " + words + " --tracker $address --json >" + name + ".json; echo " + name + " $? >>codes; ";
  }
  // The runner in the output of that step.
  Json Board(const std::string& name) const {
    const Json status = ParseJson(Read("work/" + name + ".json"), name);
    return status["runners"].size() == 1 ? status["runners"][0] : Json::object();
  }
};

TEST_F(DevicesProgram, ARunnerIsHeldAndGivenBack) {
  const ProgramResult r =
      WithRunner(Step("held", "hold pi --for 10m") + Step("seen", "") + Step("unheld", "unhold board") +
                 Step("after", "") + Step("unknown", "hold nobody") + Step("unsaid", "hold") +
                 Step("odd", "hold pi --for soon") + "hone devices hold board --tracker $address >table");
  EXPECT_EQ(Read("work/codes"), "held 0\nseen 0\nunheld 0\nafter 0\nunknown 65\nunsaid 2\nodd 2\n") << r.err;
  const std::string user = Board("held")["held_by"];
  EXPECT_THAT(user, HasSubstr("@"));
  EXPECT_EQ(Board("seen")["held_by"], user);
  EXPECT_EQ(Board("seen")["state"], "free");
  const int64_t left_ns = Board("seen")["held_ns"];
  EXPECT_GT(left_ns, 0);
  EXPECT_LE(left_ns, int64_t{600} * 1'000'000'000);
  EXPECT_EQ(Board("unheld").value("held_by", ""), "");
  EXPECT_EQ(Board("after").value("held_by", ""), "");
  EXPECT_THAT(Read("work/table"), HasSubstr("free, held by " + user + " for "));
  EXPECT_THAT(r.err, HasSubstr("next: hone devices unhold board --tracker tcp://127.0.0.1:"));
  EXPECT_THAT(r.err, HasSubstr("no runner has the device key or the label \"nobody\""));
}

TEST_F(DevicesProgram, ARunnerIsDrainedAndTakenOnAgain) {
  const ProgramResult r = WithRunner(
      Step("drained", "drain board") + Step("seen", "") + Step("undrained", "undrain pi") + Step("after", "") +
      Step("unknown", "undrain nobody") + Step("unsaid", "drain") + "hone devices drain pi --tracker $address >table");
  EXPECT_EQ(Read("work/codes"), "drained 0\nseen 0\nundrained 0\nafter 0\nunknown 65\nunsaid 2\n") << r.err;
  EXPECT_EQ(Board("drained")["state"], "drained");
  EXPECT_EQ(Board("seen")["state"], "drained");
  EXPECT_EQ(Board("undrained")["state"], "free");
  EXPECT_EQ(Board("after")["state"], "free");
  EXPECT_THAT(Read("work/table"), HasSubstr("drained"));
  EXPECT_THAT(r.err, HasSubstr("next: hone devices undrain pi --tracker tcp://127.0.0.1:"));
}

TEST_F(DevicesProgram, ARunnerSaysThatNoTrackerAnswers) {
  const ProgramResult r = Shell("timeout 8 '" HONE_RUNNER "' --tracker tcp://127.0.0.1:1 --key pi --health off");
  const std::string said = "hone-runner: no tracker answers at tcp://127.0.0.1:1; it is tried until one does\n";
  EXPECT_THAT(r.err, HasSubstr(said));
  EXPECT_EQ(r.err.find(said), r.err.rfind(said)) << "once";
}

TEST_F(DevicesProgram, ARunnerSuggestsTheOptionThatWasMeant) {
  for (const char* given : {"--labell pi", "--labell=pi", "--labell"}) {
    const ProgramResult r = Shell(std::string("'" HONE_RUNNER "' ") + given);
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.err, HasSubstr("; did you mean --label?"));
  }
}

TEST_F(DevicesProgram, ARunnerLeavesWhenItsLifetimeIsOver) {
  const std::string words = " --tracker $address --key pi --health off --lifetime 1s 2>>runner.err; echo code $?; ";
  const ProgramResult r = WithTracker("timeout 60 '" HONE_RUNNER "'" + words + "timeout 60 \"$HONE\" runner" + words +
                                      "hone devices --tracker $address");
  EXPECT_THAT(r.out, HasSubstr("code 0\ncode 0\n")) << r.err;
  // The runner has said goodbye: one that just fell silent would be "lost".
  EXPECT_THAT(r.out, HasSubstr("no runners\n"));
  const std::string offered = "runner \"pi\" offers itself to tcp://127.0.0.1:";
  const std::string said = Read("work/runner.err");
  const size_t first = said.find(offered);
  ASSERT_NE(first, std::string::npos) << said;
  EXPECT_NE(said.find(offered, first + 1), std::string::npos) << said;
}

TEST_F(DevicesProgram, ALostRunnerRunsTheAdministratorsCommandOnce) {
  const std::string command = "echo \"$HONE_DEVICE $HONE_DEVICE_KEY $HONE_DEVICE_STATE\" >> hooked; exit 3";
  const auto lose = [](const std::string& lost) {
    return "timeout 60 '" HONE_RUNNER
           "' --tracker $address --key pi --label 'board;1' --health off 2>/dev/null & runner=$!; "
           "for i in $(seq 400); do hone devices --tracker $address | grep -q 'board;1.*free' && break; sleep 0.05; "
           "done; sleep 1.2; pkill -KILL -P $runner; for i in $(seq 200); do "
           "[ $(hone devices --tracker $address | grep -c 'board;1.*lost') -ge " +
           lost + " ] && break; sleep 0.05; done; sleep 1.5; ";
  };
  const ProgramResult r =
      Shell("{ \"$HONE\" tracker --bind 'tcp://127.0.0.1:*' --port-file port --audit audit --on-lost '" + command +
            "' >tracker.out 2>&1 & } && tracker=$!; for i in $(seq 400); do [ -s port ] && break; sleep 0.05; done; "
            "address=$(cat port); " +
            lose("1") + lose("2") +
            "hone devices --history --tracker $address > history; hone devices --history --json --tracker $address; "
            "kill $tracker; wait $tracker");
  EXPECT_EQ(Read("work/hooked"), "board;1 pi lost\n") << "the second time comes too soon\n" << r.err;
  const std::string audit = Read("work/audit");
  EXPECT_THAT(audit, HasSubstr("\"what\":\"begun\""));
  EXPECT_THAT(audit, HasSubstr("\"what\":\"ended with code 3\""));
  EXPECT_THAT(audit, HasSubstr("\"what\":\"left out\""));
  const Json history = ParseJson(r.out, "the history")["history"];
  ASSERT_EQ(history.size(), 1) << r.out;
  EXPECT_EQ(history[0]["states"].back()["state"], "lost");
  EXPECT_GE(history[0]["states"].size(), 4);
  EXPECT_GT(history[0]["known_ms"], history[0]["there_ms"]);
  EXPECT_THAT(Read("work/history"), HasSubstr("there since "));
}

}  // namespace
}  // namespace hone
