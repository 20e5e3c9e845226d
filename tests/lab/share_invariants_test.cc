// Shares and rates that are printed stay what such numbers can be, whatever they are made of.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/random.h"
#include "lab/comparison/comparison_text.h"
#include "lab/comparison/portability.h"
#include "lab/dashboard/tuning_watch.h"
#include "lab/text/number_text.h"
#include "rpc_runner/machine/sensors.h"
#include "tuner/tuner.h"

namespace hone {
namespace {

constexpr int kDraws = 500;

int64_t Draw(Random& random, uint64_t most) { return static_cast<int64_t>(random.Below(most)); }

TEST(Shares, OfTheWallTimeAddUpWithAnyNumberOfRunners) {
  Random random(1);
  for (int i = 0; i < kDraws; ++i) {
    const int64_t elapsed_ns = 1 + Draw(random, 1'000'000);
    // Machines together may work longer than the run lasts.
    const TuneCosts costs{Draw(random, 2'000'000), Draw(random, 3'000'000), Draw(random, 3'000'000)};
    const TuneCosts within = costs.Within(elapsed_ns);
    const std::vector<int64_t> parts = {within.compile_ns, within.verify_ns, within.timing_ns,
                                        within.other_ns(elapsed_ns)};
    for (const int64_t part : parts) EXPECT_GE(part, 0);
    EXPECT_EQ(std::accumulate(parts.begin(), parts.end(), int64_t{0}), elapsed_ns);
    const std::vector<int> percents = Percents(parts);
    for (const int percent : percents) EXPECT_THAT(percent, testing::AllOf(testing::Ge(0), testing::Le(100)));
    EXPECT_EQ(std::accumulate(percents.begin(), percents.end(), 0), 100);
  }
  EXPECT_THAT(Percents({0, 0}), testing::Each(0));
  EXPECT_THAT(Percents({1, 1, 1}), testing::ElementsAre(34, 33, 33));
}

Comparison RandomComparison(Random& random) {
  Comparison c;
  c.models = {{"net", 1}};
  for (uint64_t i = 0; i < 1 + random.Below(4); ++i) {
    ComparedDevice& device = c.devices.emplace_back();
    device.name = device.machine = device.setup = fmt::format("machine {}", i);
    device.roofs = {1.0 + static_cast<double>(random.Below(100)), 1, true};
    ComparedLayer layer;
    layer.name = "layer";
    layer.has_knobs = true;
    layer.flops = static_cast<double>(random.Below(1'000'000));
    const int64_t ns = 1 + Draw(random, 10'000);
    layer.time = {ns, ns, ns, 3};
    ComparedCell cell;
    cell.layers = {layer};
    cell.origin = TimeOrigin::kRecord;
    SumLayers(cell);
    c.cells.push_back({cell});
  }
  return c;
}

TEST(Shares, NoPortabilityIsAboveOne) {
  Random random(2);
  int above_roof = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Comparison c = RandomComparison(random);
    std::vector<size_t> devices(c.devices.size());
    std::iota(devices.begin(), devices.end(), size_t{0});
    const auto tuned = TunedPortability(c, 0, devices);
    ASSERT_TRUE(tuned.has_value());
    EXPECT_GE(*tuned, 0);
    EXPECT_LE(*tuned, 1);
    const ComparedCell& cell = c.At(0, 0);
    const bool above = FmaShare(c.devices[0].roofs, cell.flops, cell.time.ns) > 1;
    above_roof += above;
    // A share above 100 % comes with the word that explains it.
    ComparisonReport report;
    report.comparison = c;
    for (const std::string& text : {ComparisonText(report, 200), LayersText(report, 200)}) {
      EXPECT_TRUE(!above || text.find("Winograd needs fewer multiplications") != std::string::npos) << text;
    }
    PortedTime ported;
    ported.own_ns = 1 + Draw(random, 1000);
    ported.ported_ns = 1 + Draw(random, 1000);
    EXPECT_LE(*ported.Efficiency(), 1);
  }
  EXPECT_GT(above_roof, 0);
  EXPECT_EQ(AboveRoofsText(1.0, 1.0), "");
}

TEST(Rates, CountTrialsThatRan) {
  Random random(3);
  for (int i = 0; i < kDraws; ++i) {
    TrialRate rate;
    const int64_t trials = Draw(random, 50);
    int64_t at_ms = 1'700'000'000'000;
    for (int64_t t = 0; t < trials; ++t) rate.Count(at_ms += Draw(random, 40));
    EXPECT_GE(rate.PerSecond(at_ms), 0);
    EXPECT_LE(rate.PerSecond(at_ms), static_cast<double>(trials)) << "no more in a second than there were";
    EXPECT_EQ(rate.PerSecond(at_ms + TrialRate::kWindowMs + 1), 0);
  }
}

TEST(Shares, OfCpusAreOfThoseThatAreOnline) {
  Random random(4);
  for (int i = 0; i < kDraws; ++i) {
    const auto draw = [&] { return CpuTicks{Draw(random, 1000), Draw(random, 1000), Draw(random, 1000)}; };
    const CpuTicks before = draw(), after = draw();
    const double steal = StealShare(before, after), busy = BusyCpus(before, after, 4);
    EXPECT_TRUE(steal >= 0 && steal <= 1) << steal;
    EXPECT_TRUE(busy >= 0 && busy <= 4) << busy;
  }
}

}  // namespace
}  // namespace hone
