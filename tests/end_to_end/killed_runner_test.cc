// A runner that is killed in mid-run costs the tuner time and nothing else.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/end_to_end/tune_child.h"

namespace hone {
namespace {

class KilledRunner : public TuneChildTest {
 protected:
  void SetUp() override {
    TuneChildTest::SetUp();
    const std::string port_file = Path("work/port");
    tracker_ = std::make_unique<ChildProgram>(
        HONE_PROGRAM, std::vector<std::string>{"tracker", "--bind", "tcp://127.0.0.1:*", "--port-file", port_file},
        Path("work/tracker"));
    for (int i = 0; i < 2000 && address_.empty(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::ifstream(port_file) >> address_;
    }
    ASSERT_FALSE(address_.empty()) << tracker_->ErrorText();
  }
  void TearDown() override {
    tracker_.reset();
    TuneChildTest::TearDown();
  }
  std::unique_ptr<ChildProgram> Runner() const {
    return std::make_unique<ChildProgram>(HONE_RUNNER, std::vector<std::string>{"--tracker", address_, "--key", "here"},
                                          Path("work/runner"));
  }
  std::unique_ptr<ChildProgram> TuneFar() { return Tune({"--tracker", address_, "--key", "here"}); }

  std::string address_;
  std::unique_ptr<ChildProgram> tracker_;
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
