// Portability of packages timed on each other's machines.
#include "lab/comparison/portability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/comparison/comparison_text.h"

namespace hone {
namespace {

using testing::HasSubstr;

// A model on machines with the given times.
Comparison OfTimes(const std::vector<int64_t>& times_ns) {
  Comparison c;
  c.models = {{"net", 1}};
  for (size_t i = 0; i < times_ns.size(); ++i) {
    ComparedDevice device;
    device.name = device.machine = device.setup = "machine " + std::to_string(i);
    c.devices.push_back(device);
    ComparedCell cell;
    cell.origin = TimeOrigin::kPackage;
    cell.time = {times_ns[i], times_ns[i], times_ns[i] + 1, 3};
    cell.tasks = cell.covered = 1;
    c.cells.push_back({cell});
  }
  return c;
}

// Two machines that ran each other's packages, and a third that exchanged none.
MeasuredPackages MeasuredOfThree() {
  MeasuredPackages measured;
  measured.ported = {{0, 0, 1, {400, 390, 410, 12}, ""}, {0, 1, 0, {0, 0, 0, 0}, "it lacks avx512f"}};
  return measured;
}

TEST(PortabilityFromPackages, HoldsWhatWasTimedAndGuessesNothing) {
  const Comparison c = OfTimes({100, 200, 300});
  const Portability p = PortabilityFromPackages(MeasuredOfThree(), c, {{0, 1, 2}}).at(0);
  EXPECT_EQ(p.origin, TimeOrigin::kPackage);
  EXPECT_EQ(p.times[0][0].Efficiency(), 1);
  EXPECT_EQ(p.times[0][1].Efficiency(), 0.5);
  EXPECT_EQ(p.times[0][1].samples, 12);
  EXPECT_EQ(p.times[1][0].Efficiency(), 0) << "it does not run there";
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(p.times[i][2].Efficiency().has_value());
    EXPECT_FALSE(p.times[2][i].Efficiency().has_value());
    EXPECT_FALSE(PerformancePortability(p, i).has_value()) << "of a set of which one platform is not known";
  }
  const Portability two = PortabilityFromPackages(MeasuredOfThree(), c, {{0, 1}}).at(0);
  EXPECT_DOUBLE_EQ(PerformancePortability(two, 0).value(), 2 / 3.0);
  EXPECT_EQ(PerformancePortability(two, 1), 0);
}

TEST(PortabilityFromPackages, IsToldWithWhatDoesNotRunAndWhy) {
  ComparisonReport report;
  report.comparison = OfTimes({100, 200, 300});
  report.portability = PortabilityFromPackages(MeasuredOfThree(), report.comparison, {{0, 1, 2}});
  const std::string text = PortabilityText(report);
  EXPECT_THAT(text, HasSubstr("50 %"));
  EXPECT_THAT(text, HasSubstr("measured there as a whole"));
  EXPECT_THAT(text, HasSubstr("what was built for machine 1 does not run on machine 0: it lacks avx512f\n"));
  const Json json = ToJson(report)["portability"][0];
  EXPECT_EQ(json["origin"], "package");
  EXPECT_EQ(json["configs"][1]["on"][0]["why_not"], "it lacks avx512f");
  EXPECT_EQ(json["configs"][0]["on"][1]["interval_ns"], Json::array({390, 410}));
  EXPECT_TRUE(json["configs"][0]["on"][2]["efficiency"].is_null());
}

}  // namespace
}  // namespace hone
