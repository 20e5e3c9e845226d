// Programs that meet a tracker of a later version, or one that sends nonsense, report it clearly and go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "core/error.h"
#include "rpc_runner/process/clock.h"
#include "rpc_runner/wire/socket.h"
#include "tests/rpc_runner/network_fixture.h"
#include "tests/support/sleeping_executor.h"

namespace hone {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr int64_t kMillisecond = 1'000'000;

// Answers every message with the same bytes.
class OddTracker {
 public:
  explicit OddTracker(const std::string& answer) : socket_(context_, Socket::Kind::kRouter) {
    address_ = socket_.Bind("tcp://127.0.0.1:*");
    thread_ = std::thread([this, answer] { Loop(answer); });
  }
  ~OddTracker() {
    stop_ = true;
    thread_.join();
  }
  const std::string& address() const { return address_; }
  int answered() const { return answered_; }

 private:
  void Loop(const std::string& answer) {
    Socket::Message message;
    while (!stop_) {
      WaitForAny({&socket_}, -1, 20 * kMillisecond);
      while (socket_.Receive(&message)) {
        std::string bytes = answer;
        socket_.SendBytes(message.peer, bytes);
        ++answered_;
      }
    }
  }

  SocketContext context_;
  Socket socket_;
  std::string address_;
  std::atomic<bool> stop_{false};
  std::atomic<int> answered_{0};
  std::thread thread_;
};

// The answer of a tracker of version 3: a frame of its own version with any content.
std::string NextVersion() {
  std::string frame = EncodeFrame(ErrorFrame("unsupported_version", "this program speaks version 3"));
  frame[4] = 3;
  return frame;
}

// The text that `call` writes to stderr, and the message that it throws.
std::string SaidBy(const std::function<void()>& call) {
  testing::internal::CaptureStderr();
  std::string thrown;
  try {
    call();
  } catch (const Error& error) {
    thrown = error.what();
  }
  return testing::internal::GetCapturedStderr() + thrown;
}

std::string SaidByATuner(const OddTracker& tracker) {
  return SaidBy([&] {
    RemoteRunnerOptions options;
    options.tracker = tracker.address();
    options.key = "key";
    options.connect_timeout_ns = 1500 * kMillisecond;
    MakeRemoteRunner(options);
  });
}

std::string SaidByARunner(const OddTracker& tracker) {
  return SaidBy([&] {
    const int before = tracker.answered();
    const SleepingRunner runner(OfferTo(tracker.address(), "key"), kMillisecond, FakeMachine("far"));
    for (const int64_t until_ns = MonotonicNs() + 20'000 * kMillisecond; tracker.answered() < before + 3;) {
      ASSERT_LT(MonotonicNs(), until_ns);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
}

TEST(NewerTracker, IsNamedWithBothVersions) {
  const OddTracker tracker(NextVersion());
  const auto names_both = AllOf(HasSubstr("protocol version 3"), HasSubstr("version 2"));
  EXPECT_THAT(SaidByATuner(tracker), AllOf(names_both, testing::Not(HasSubstr("no tracker answers"))));
  EXPECT_THAT(SaidBy([&] { QueryTracker(tracker.address(), 20'000 * kMillisecond); }), names_both);
  const std::string runner = SaidByARunner(tracker);
  EXPECT_THAT(runner, names_both);
  EXPECT_EQ(runner.find("protocol version 3"), runner.rfind("protocol version 3")) << "it is told once: " << runner;
}

TEST(NewerTracker, OneThatTalksNonsenseIsOutlived) {
  for (const std::string& bytes : {std::string("nonsense"), std::string(), EncodeFrame({FrameKind::kStatus, {}, {}}),
                                   std::string(100'000, '\xff'), NextVersion().substr(0, 6)}) {
    const OddTracker tracker(bytes);
    SaidByATuner(tracker);
    EXPECT_NE(SaidBy([&] { QueryTracker(tracker.address(), 20'000 * kMillisecond); }), "");
    SaidByARunner(tracker);
  }
}

}  // namespace
}  // namespace hone
