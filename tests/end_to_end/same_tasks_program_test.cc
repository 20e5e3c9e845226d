// `hone inspect --tasks` prints the tasks that other commands build with the same options, so tuning relies on it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "core/json/serialize.h"
#include "tests/cli/run_program.h"

namespace hone {
namespace {

// A kernel with knobs is a pair of workload and schedule.
using Kernels = std::set<std::pair<std::string, std::string>>;

class SameTasks : public ProgramTest, public testing::WithParamInterface<const char*> {
 protected:
  Json Told(const std::string& line) const {
    const ProgramResult result = Shell(line + " --json");
    EXPECT_EQ(result.code, 0) << line << ": " << result.err;
    return ParseJson(result.out, line);
  }

  Kernels Inspected(const std::string& options) const {
    Kernels found;
    const Json told = Told("hone inspect --tasks " + options);
    for (const Json& task : told["tasks"]) {
      for (const auto& [schedule, size] : task["configs"].items()) found.emplace(task["workload"], schedule);
    }
    return found;
  }

  Kernels Built(const std::string& options) const {
    Kernels found;
    const Json told = Told("hone build --no-records -o p.hone " + options);
    for (const Json& kernel : told["dispatch"]) {
      if (kernel["workload"] != "") found.emplace(kernel["workload"], kernel["schedule"]);
    }
    return found;
  }
};

TEST_P(SameTasks, AreInspectedAndBuilt) {
  for (int number = 0; number < 8; ++number) {
    const std::string options = fmt::format("{} --image-shape 3,128,128 --threads {} --math {} --batch {}", GetParam(),
                                            1 + number % 2, number / 2 % 2 == 0 ? "fast" : "exact", number < 4 ? 1 : 4);
    const Kernels inspected = Inspected(options), built = Built(options);
    EXPECT_FALSE(built.empty());
    for (const auto& [workload, schedule] : built) {
      EXPECT_TRUE(inspected.contains({workload, schedule})) << schedule << " for " << workload << " of " << options;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, SameTasks, testing::Values("zoo:shufflenet", "zoo:squeezenet_v1.1"),
                         [](const auto& tested) { return tested.index == 0 ? "shufflenet" : "squeezenet"; });

}  // namespace
}  // namespace hone
