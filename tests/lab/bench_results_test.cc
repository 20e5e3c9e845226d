// Saved bench results as parts of a comparison, with the roofs to which times are compared.
#include "lab/comparison/bench_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "lab/comparison/comparison.h"
#include "lab/comparison/comparison_text.h"
#include "lab/comparison/likeness.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(Roofs, AreThoseOfAsManyThreads) {
  const std::vector<Roof> roofs = ParseRoofsText("106.9 GFLOP/s, 21.4 GB/s; 2 threads 213.1 GFLOP/s, 28.0 GB/s");
  ASSERT_EQ(roofs.size(), 2U);
  EXPECT_FLOAT_EQ(static_cast<float>(RoofFor(roofs, 1).gflops), 106.9F);
  EXPECT_FLOAT_EQ(static_cast<float>(RoofFor(roofs, 2).read_gbps), 28.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(RoofFor(roofs, 4).gflops), 213.1F) << "the most there are";
  EXPECT_EQ(ParseRoofsText("atom 50.0 GFLOP/s, 9.0 GB/s").at(0).cores, "atom");
  const std::vector<Roof> both = {{"cortex-a53", 4, 30.5, 3.0}, {"", 8, 80.0, 5.5}};
  EXPECT_EQ(ParseRoofsText(RoofsText(both)).at(0).cores, "cortex-a53");
  EXPECT_EQ(ParseRoofsText(RoofsText(both)).at(0).threads, 4);
  EXPECT_EQ(ParseRoofsText(RoofsText(both)).at(1).threads, 8);
  const std::vector<Roof> of_two_days = {{"", 1, 90, 20}, {"", 1, 95, 18}, {"", 2, 180, 30}};
  EXPECT_EQ(RoofFor(of_two_days, 1).gflops, 95);
  EXPECT_EQ(RoofFor(of_two_days, 1).read_gbps, 20) << "a busy machine shows less than it can";
  EXPECT_EQ(RoofFor({}, 1).gflops, 0);
  EXPECT_FALSE(RoofFor({}, 1).measured);
  for (const char* none : {"as fast as it gets", "two threads 1.0 GFLOP/s, 1.0 GB/s", "-1.0 GFLOP/s, 1.0 GB/s"}) {
    EXPECT_THAT(ParseRoofsText(none), IsEmpty()) << none;
  }
}

Json BenchResult(const std::string& host) {
  Environment machine = EpycOf("AuthenticAMD-25-1-1");
  machine.host = host;
  Json package = {{"name", "p.hone"},       {"model", "net"},        {"threads", 1},
                  {"precision", "float32"}, {"images", 4},           {"runs", 100},
                  {"median_ns", 5000},      {"hone_version", "0.1"}, {"median_ci95_ns", Json::array({4900, 5100})}};
  package["per_op"] = Json::array({{{"op", "nn.dense"},
                                    {"nodes", Json::array({"fc"})},
                                    {"schedule", "dense_pack"},
                                    {"config", ""},
                                    {"workload", kSampleWorkload},
                                    {"median_ns", 4000},
                                    {"gflops", 1.0}}});
  return {{"format", "hone-bench"},
          {"version", 1},
          {"machine", ToJson(machine)},
          {"conditions", {{"mode", "latency"}, {"cache", "alone"}}},
          {"noise", {{"notes", Json::array()}}},
          {"packages", Json::array({package})}};
}

TEST(BenchResults, AreComparedAsPackages) {
  std::vector<PackageTimes> packages;
  for (const char* host : {"left", "right"}) {
    for (const PackageTimes& timed : ReadBenchResult(BenchResult(host).dump(), host)) packages.push_back(timed);
  }
  packages[1].time.ns = 10'000;
  const ComparisonReport without{ComparePackages(packages), {}, {}};
  EXPECT_THAT(ComparisonText(without), Not(HasSubstr("J per image")));
  Json with_energy = BenchResult("left");
  with_energy["packages"][0]["joules_per_image"] = 0.0125;
  packages[0] = ReadBenchResult(with_energy.dump(), "left").at(0);
  const Comparison c = ComparePackages(packages);
  const ComparisonReport with{c, {}, {}};
  EXPECT_THAT(ComparisonText(with), testing::AllOf(HasSubstr("J per image"), HasSubstr("0.0125")));
  EXPECT_EQ(ToJson(with)["cells"][0]["joules_per_image"], 0.0125);
  EXPECT_THAT(ComparisonCsv(with), HasSubstr(",0.0125\r\n"));
  ASSERT_EQ(c.devices.size(), 2U) << "two hosts were asked for as two";
  EXPECT_EQ(c.models.at(0).images, 4);
  EXPECT_EQ(c.At(0, 0).time, (ComparedTime{5000, 4900, 5100, 100}));
  EXPECT_EQ(c.At(0, 0).layers.at(0).flops, 64);
  EXPECT_DOUBLE_EQ(StandingsOf(c, 0, {})[1].ratio, 2);
}

TEST(BenchResults, TellTheRoofsOfTheirMachine) {
  Json told = BenchResult("left"), unlikely = told, of_no_kind = told;
  told["machine"]["roofs"] = "90.0 GFLOP/s, 20.0 GB/s; 2 threads 180.0 GFLOP/s, 30.0 GB/s";
  unlikely["machine"]["roofs"] = "0.1 GFLOP/s, 0.1 GB/s";
  of_no_kind["machine"]["cpu_id"] = "";
  const MachineRoofs measured = ReadBenchResult(told.dump(), "told").at(0).roofs;
  EXPECT_TRUE(measured.measured);
  EXPECT_EQ(measured.gflops, 90);
  for (const Json& json : {BenchResult("left"), unlikely}) {
    const MachineRoofs assumed = ReadBenchResult(json.dump(), "file").at(0).roofs;
    EXPECT_GT(assumed.gflops, 0);
    EXPECT_FALSE(assumed.measured);
  }
  EXPECT_EQ(ReadBenchResult(of_no_kind.dump(), "file").at(0).roofs.gflops, 0) << "nothing is known of it";
  of_no_kind["machine"]["roofs"] = told["machine"]["roofs"];
  EXPECT_TRUE(ReadBenchResult(of_no_kind.dump(), "file").at(0).roofs.measured);
}

TEST(BenchResults, OfAnotherKindAreRefused) {
  Json other = BenchResult("x"), later = BenchResult("x"), throughput = BenchResult("x"), bare = BenchResult("x");
  other["format"] = "else";
  later["version"] = 2;
  throughput["conditions"]["mode"] = "throughput";
  bare.erase("machine");
  for (const Json& json : {other, later, throughput, bare, Json::array()}) {
    EXPECT_THROW(ReadBenchResult(json.dump(), "file"), Error) << json.dump();
  }
  EXPECT_THROW(ReadBenchResult("{", "file"), Error);
}

}  // namespace
}  // namespace hone
