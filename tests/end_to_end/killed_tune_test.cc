// A tuning run that is killed or interrupted loses nothing that it reported, and repeats nothing when it goes on.
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "core/random.h"
#include "tests/end_to_end/tune_child.h"

namespace hone {
namespace {

using KilledTune = TuneChildTest;

TEST_F(KilledTune, GoesOnWithoutLossOrRepetition) {
  Random random(std::random_device{}());
  int seen = 0;
  for (int kill_number = 0; kill_number < 4; ++kill_number) {
    const auto tune = Tune();
    // On the first kill there may not even be a store.
    if (kill_number > 0) tune->WaitForLines("\"event\":\"trial\"", static_cast<int>(random.Below(5)) + 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(kill_number == 0 ? 60 : 15)));
    tune->Signal(SIGKILL);
    tune->Wait();
    seen += Acknowledge(*tune);
  }
  const auto last = Tune();
  ASSERT_EQ(last->Wait(), 0) << last->ErrorText();
  EXPECT_GE(Done(*last).at("resumed").get<int>(), seen);
  EXPECT_EQ(Done(*last).at("resumed").get<int>() + Acknowledge(*last), kTrials);
  ExpectStoreWhole();
}

class StoppedTune : public TuneChildTest, public testing::WithParamInterface<int> {};

TEST_P(StoppedTune, EndsInOrderAndGoesOn) {
  const auto first = Tune();
  ASSERT_TRUE(first->WaitForLines("\"event\":\"trial\"", 3)) << first->ErrorText();
  first->Signal(GetParam());
  EXPECT_EQ(first->Wait(), 128 + GetParam());
  EXPECT_EQ(Done(*first).at("interrupted"), true);
  const int seen = Acknowledge(*first);
  EXPECT_LT(seen, kTrials);
  const auto second = Tune();
  ASSERT_EQ(second->Wait(), 0) << second->ErrorText();
  const int resumed = Done(*second).at("resumed").get<int>();
  EXPECT_GE(resumed, seen);
  EXPECT_EQ(Acknowledge(*second), kTrials - resumed);
  ExpectStoreWhole();
}

INSTANTIATE_TEST_SUITE_P(Signals, StoppedTune, testing::Values(SIGINT, SIGTERM, SIGHUP));

TEST_F(KilledTune, ASecondSignalEndsItAtOnce) {
  const auto first = Tune();
  ASSERT_TRUE(first->WaitForLines("\"event\":\"trial\"", 1)) << first->ErrorText();
  // Both signals arrive before the program looks: signals of two kinds do not merge.
  first->Signal(SIGSTOP);
  first->Signal(SIGINT);
  first->Signal(SIGTERM);
  first->Signal(SIGCONT);
  const int code = first->Wait();
  EXPECT_TRUE(code == 130 || code == 143) << code;
  Acknowledge(*first);
  ASSERT_EQ(Tune()->Wait(), 0);
  ExpectStoreWhole();
}

// Runs the program on a terminal of its own until it has printed `until` `times` times, then closes the terminal.
// Returns the exit status.
int EndWithItsTerminal(std::vector<std::string> words, const std::string& until, int times) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  std::string said;
  char bytes[4096];
  for (ssize_t n = 1; n > 0 && times > 0;) {
    n = read(terminal, bytes, sizeof(bytes));
    if (n > 0) said.append(bytes, static_cast<size_t>(n));
    for (size_t at = 0; times > 0 && (at = said.find(until)) != std::string::npos; --times) said.erase(0, at + 1);
  }
  EXPECT_EQ(times, 0) << said;
  close(terminal);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST_F(KilledTune, ATerminalThatIsClosedEndsItInOrder) {
  const int status = EndWithItsTerminal({HONE_PROGRAM, "tune", "zoo:mlp", "--image-shape", "1,14,14", "--trials",
                                         std::to_string(kTrials), "--threads", "1", "--json", "--db", Store()},
                                        "\"event\":\"trial\"", 3);
  ASSERT_TRUE(WIFEXITED(status)) << "a signal ended it";
  // The program learns of it by the signal, or by a failed write to its output.
  EXPECT_TRUE(WEXITSTATUS(status) == 128 + SIGHUP || WEXITSTATUS(status) == 74) << WEXITSTATUS(status);
  const auto next = Tune();
  ASSERT_EQ(next->Wait(), 0) << next->ErrorText();
  EXPECT_GE(Done(*next).at("resumed").get<int>(), 3) << "what it told of is lost";
  Acknowledge(*next);
  ExpectStoreWhole();
}

TEST_F(KilledTune, AReaderThatLeavesIsAnErrorOfOutputAndNothingIsLost) {
  const ProgramResult piped =
      Shell("{ hone tune zoo:mlp --image-shape 1,14,14 --threads 1 --json --trials " + std::to_string(kTrials) +
            " --db '" + Store() + "'; echo ended with $? >&2; } | head -n 3");
  EXPECT_NE(piped.err.find("ended with 74"), std::string::npos) << piped.err;
  EXPECT_NE(piped.err.find("hone: the output could not be written"), std::string::npos) << piped.err;
  ASSERT_EQ(Tune()->Wait(), 0);
  ExpectStoreWhole();
}

TEST_F(KilledTune, DoneOnceIsDone) {
  ASSERT_EQ(Tune()->Wait(), 0);
  const auto again = Tune();
  ASSERT_EQ(again->Wait(), 0);
  EXPECT_EQ(Done(*again).at("resumed"), kTrials);
  EXPECT_EQ(Acknowledge(*again), 0);
  ExpectStoreWhole();
}

TEST_F(KilledTune, KilledInItsFinalsItHasHeldATasksWholeOrNotAtAll) {
  Random random(std::random_device{}());
  for (int kill_number = 0; kill_number < 4; ++kill_number) {
    const auto tune = Tune();
    if (kill_number == 0) {
      ASSERT_TRUE(tune->WaitForLines("\"event\":\"trial\"", kTrials)) << tune->ErrorText();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random.Below(400)));
    tune->Signal(SIGKILL);
    tune->Wait();
    Acknowledge(*tune);
    ExpectFinalsWhole();
  }
  const auto last = Tune();
  ASSERT_EQ(last->Wait(), 0) << last->ErrorText();
  EXPECT_EQ(Done(*last).at("resumed"), kTrials);
  EXPECT_EQ(Acknowledge(*last), 0);
  EXPECT_GE(ExpectFinalsWhole(), 1);
  ExpectStoreWhole();
}

}  // namespace
}  // namespace hone
