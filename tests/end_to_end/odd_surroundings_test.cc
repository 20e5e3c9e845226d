// Tunes on a distant runner over a network that doubles frames, or with clocks that step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "db/record_store.h"
#include "rpc_runner/process/clock.h"
#include "tests/end_to_end/tracker_child.h"
#include "tests/rpc_runner/fault_proxy.h"

namespace hone {
namespace {

class OddSurroundings : public TrackerChildTest {
 protected:
  // All trials were made, once each and complete, in no more time than the test saw pass.
  void ExpectTuned(ChildProgram& tune, int64_t begin_ns) {
    ASSERT_EQ(tune.Wait(), 0) << tune.ErrorText();
    const int64_t wall_ns = MonotonicNs() - begin_ns;
    EXPECT_EQ(Acknowledge(tune), kTrials);
    const Json done = Done(tune);
    EXPECT_EQ(done.at("unanswered"), 0);
    EXPECT_GT(done.at("elapsed_ns").get<int64_t>(), 0);
    EXPECT_LE(done.at("elapsed_ns").get<int64_t>(), wall_ns);
    int64_t last_ns = 0;
    for (const std::string& line : tune.Lines()) {
      const Json event = ParseJson(line, "the stream of hone tune");
      if (event.at("event") != "trial") continue;
      const auto elapsed_ns = event.at("elapsed_ns").get<int64_t>();
      EXPECT_GE(elapsed_ns, last_ns);
      last_ns = elapsed_ns;
    }
    for (const Record& record : RecordStore::Open(Store(), /*create=*/false)->Find({})) {
      EXPECT_NE(record.measurement.fate, Fate::kRunnerLost) << record.measurement.message;
      for (const int64_t ns : record.measurement.samples_ns) EXPECT_TRUE(ns > 0 && ns < wall_ns) << ns;
    }
    ExpectStoreWhole();
  }
};

TEST_F(OddSurroundings, EveryFrameComesTwice) {
  FaultProxy::Faults faults;
  faults.doubles = true;
  const FaultProxy to_runner(address_, faults), to_tuner(address_, faults);
  const auto runner = Runner({"--tracker", to_runner.address()});
  const int64_t begin_ns = MonotonicNs();
  const auto tune = Tune({"--tracker", to_tuner.address(), "--key", "here"});
  ExpectTuned(*tune, begin_ns);
}

// The clock steps for tracker, runner and tuner alike.
class SteppedClock : public OddSurroundings {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's library wants to be loaded first";
#endif
    setenv("LD_PRELOAD", HONE_STEPPED_CLOCK, 1);
    OddSurroundings::SetUp();
  }
  void TearDown() override {
    unsetenv("LD_PRELOAD");
    OddSurroundings::TearDown();
  }
};

TEST_F(SteppedClock, IsNothingButALabel) {
  // The library is not loaded into this process, so a child proves that it steps the clock.
  ChildProgram look("/bin/sh", {"-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do date +%s; sleep 0.02; done"},
                    Path("work/look"));
  ASSERT_TRUE(look.WaitForLines("", 16));
  int64_t least = INT64_MAX, most = 0;
  for (const std::string& line : look.Lines()) {
    least = std::min<int64_t>(least, std::stoll(line));
    most = std::max<int64_t>(most, std::stoll(line));
  }
  ASSERT_GT(most - least, 7000) << "the clock does not jump";
  const auto runner = Runner();
  const int64_t begin_ns = MonotonicNs();
  const auto tune = Tune({"--tracker", address_, "--key", "here"});
  ExpectTuned(*tune, begin_ns);
}

}  // namespace
}  // namespace hone
