// The share of time in which a device was there.
#include "rpc_runner/tracker/device_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hone {
namespace {

TrackerStatus With(const std::vector<std::string>& states) {
  TrackerStatus status;
  for (const std::string& state : states) {
    RunnerInfo runner;
    runner.key = "pi";
    runner.label = "sill";
    runner.state = state;
    status.runners.push_back(runner);
  }
  return status;
}

TEST(DeviceHistory, CountsWhatShouldHaveBeenThere) {
  DeviceHistory history;
  ASSERT_EQ(history.Note(With({"free"}), 1000).size(), 1);
  EXPECT_EQ(history.Note(With({"busy"}), 2000).size(), 0) << "it is there all the same";
  const auto lost = history.Note(With({"lost"}), 4000);
  ASSERT_EQ(lost.size(), 1);
  EXPECT_EQ(lost[0].from, "there");
  EXPECT_EQ(lost[0].to, "lost");
  EXPECT_EQ(history.Note({}, 5000).size(), 0) << "a tracker forgets lost runners";
  EXPECT_EQ(history.Note(With({"lost", "free"}), 8000).size(), 1) << "started again, under another id";
  EXPECT_EQ(history.Note({}, 9000).size(), 1) << "it said bye";
  history.Note({}, 60'000);
  const DeviceAvailability device = history.All().at(0);
  EXPECT_EQ(device.known_ms, 8000);
  EXPECT_EQ(device.there_ms, 4000);
  EXPECT_EQ(device.states.back().state, "left");
  EXPECT_EQ(device.states.back().at_ms, 9000);
  EXPECT_THAT(AvailabilityMetrics(history.All()),
              testing::HasSubstr("hone_tracker_device_there_seconds_total{key=\"pi\",label=\"sill\"} 4\n"));
}

TEST(DeviceHistory, KeepsTheNewestStates) {
  DeviceHistory history;
  for (int i = 0; i < 200; ++i) history.Note(With({i % 2 == 0 ? "free" : "quarantined"}), 1000 * (i + 1));
  const DeviceAvailability device = history.All().at(0);
  EXPECT_EQ(device.states.size(), 64);
  EXPECT_EQ(device.states.back().at_ms, 200'000);
}

// A status travels as JSON, with the history only if it was asked for.
TEST(DeviceHistory, SurvivesTheWay) {
  DeviceHistory history;
  history.Note(With({"free"}), 1000);
  TrackerStatus status = With({"free"});
  EXPECT_FALSE(StatusFromJson(StatusToJson(status)).history);
  status.history = history.All();
  status.runners[0].runtimes = {{"ort", "ONNX Runtime", "1.32"}};
  const TrackerStatus back = StatusFromJson(StatusToJson(status));
  ASSERT_TRUE(back.history);
  EXPECT_EQ(back.history->at(0).states.at(0).state, "there");
  EXPECT_EQ(back.runners[0].runtimes.at(0).version, "1.32");
}

}  // namespace
}  // namespace hone
