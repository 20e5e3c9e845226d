#include "tests/end_to_end/tracker_child.h"

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace hone {

void TrackerChildTest::SetUp() {
  TuneChildTest::SetUp();
  StartTracker("tcp://127.0.0.1:*");
}

void TrackerChildTest::StartTracker(const std::string& bind) {
  const std::string port_file = Path("work/port");
  std::filesystem::remove(port_file);
  address_.clear();
  tracker_ = std::make_unique<ChildProgram>(
      HONE_PROGRAM, std::vector<std::string>{"tracker", "--bind", bind, "--port-file", port_file},
      Path("work/tracker"));
  for (int i = 0; i < 40000 && address_.empty(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ifstream(port_file) >> address_;
  }
  ASSERT_FALSE(address_.empty()) << tracker_->ErrorText();
}

void TrackerChildTest::ReplaceTracker() {
  tracker_->Signal(SIGKILL);
  tracker_->Wait();
  StartTracker(std::string(address_));
}

void TrackerChildTest::TearDown() {
  device_.reset();
  tracker_.reset();
  TuneChildTest::TearDown();
}

std::unique_ptr<ChildProgram> TrackerChildTest::Runner(const std::vector<std::string>& more) const {
  std::vector<std::string> arguments = {"--tracker", address_, "--key", "here", "--health", "off"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return std::make_unique<ChildProgram>(HONE_RUNNER, arguments, Path("work/runner"));
}

void TrackerChildTest::OfferDevice(const std::vector<std::string>& more) { device_ = Runner(more); }

}  // namespace hone
