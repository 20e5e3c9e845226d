// Two tuners, each in a process of its own, on one store in a file: no config is measured twice.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "db/record_store.h"
#include "tests/end_to_end/tune_child.h"

namespace hone {
namespace {

class TwoTuners : public TuneChildTest {
 protected:
  // The number of measurements of each config, by workload; noisy and undecided trials may be repeated.
  std::map<std::string, int> Measured() const {
    std::map<std::string, int> measured;
    for (const Record& record : RecordStore::Open(Store(), /*create=*/false)->Find({})) {
      const Fate fate = record.measurement.fate;
      const Candidate& c = record.candidate;
      if (record.finals.held > 0 || fate == Fate::kRunnerLost || fate == Fate::kCancelled) continue;
      measured[c.workload.ToText() + " | " + c.schedule + " | " + c.config.ToText()] +=
          record.measurement.noisy ? 0 : 1;
    }
    return measured;
  }
};

// Another strategy makes another run. The same command in two terminals makes one run: the same seed gives the same
// proposals.
TEST_F(TwoTuners, MeasureNothingTwice) {
  for (const char* other : {"evolutionary", "random"}) {
    SCOPED_TRACE(other);
    std::filesystem::remove(Store());
    const auto left = Tune({"--strategy", "random", "--finals", "kernels"});
    const auto right = Tune({"--strategy", other, "--finals", "kernels"});
    EXPECT_EQ(left->Wait(), 0) << left->ErrorText();
    EXPECT_EQ(right->Wait(), 0) << right->ErrorText();
    const std::map<std::string, int> measured = Measured();
    EXPECT_GE(measured.size(), static_cast<size_t>(kTrials));
    EXPECT_GE(Acknowledge(*left) + Acknowledge(*right), static_cast<int>(measured.size()));
    for (const auto& [config, times] : measured) EXPECT_LE(times, 1) << config;
  }
}

}  // namespace
}  // namespace hone
