// A runner that is killed in mid-run costs the tuner time and nothing else.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/end_to_end/tracker_child.h"

namespace hone {
namespace {

class KilledRunner : public TrackerChildTest {
 protected:
  std::unique_ptr<ChildProgram> TuneFar() { return Tune({"--tracker", address_, "--key", "here"}); }
};

TEST_F(KilledRunner, IsReplacedByTheNextOne) {
  auto runner = Runner();
  const auto tune = TuneFar();
  for (const int trials : {2, 12}) {
    ASSERT_TRUE(tune->WaitForLines("\"event\":\"trial\"", trials)) << tune->ErrorText();
    runner->Signal(SIGKILL);
    runner->Wait();
    runner = Runner();
  }
  ASSERT_EQ(tune->Wait(), 0) << tune->ErrorText();
  Acknowledge(*tune);
  ExpectStoreWhole();
}

TEST_F(KilledRunner, TheBudgetEndsWithoutIt) {
  auto runner = Runner();
  const auto tune = Tune({"--tracker", address_, "--key", "here", "--budget", "6s"});
  ASSERT_TRUE(tune->WaitForLines("\"event\":\"trial\"", 1)) << tune->ErrorText();
  runner->Signal(SIGKILL);
  runner->Wait();
  ASSERT_EQ(tune->Wait(), 0) << tune->ErrorText();
  EXPECT_GE(Done(*tune).at("unanswered").get<int>(), 1);
}

TEST_F(KilledRunner, OutlivesATunerThatIsKilled) {
  const auto runner = Runner();
  const auto killed = TuneFar();
  ASSERT_TRUE(killed->WaitForLines("\"event\":\"trial\"", 3)) << killed->ErrorText();
  killed->Signal(SIGKILL);
  killed->Wait();
  const int seen = Acknowledge(*killed);
  const auto next = TuneFar();
  ASSERT_EQ(next->Wait(), 0) << next->ErrorText();
  EXPECT_GE(Done(*next).at("resumed").get<int>(), seen);
  Acknowledge(*next);
  ExpectStoreWhole();
}

}  // namespace
}  // namespace hone
