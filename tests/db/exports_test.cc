// Records in the formats that other programs read.
#include <gtest/gtest.h>

#include "db/foreign/record_exports.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

Record Failed(Fate fate) {
  Record record = SampleRecord(1);
  record.measurement.fate = fate;
  record.measurement.message = "no";
  record.measurement.samples_ns.clear();
  record.measurement.batch.clear();
  return Finish(record);
}

Record Sampled() {
  Record record = SampleRecord(1);
  record.measurement.samples_ns = {3000, 2000};
  record.measurement.batch = {10, 20};
  return Finish(record);
}

TEST(KernelTunerT4, HasWhatItsSchemaRequires) {
  const Json t4 = KernelTunerT4({Sampled()});
  EXPECT_EQ(t4["schema_version"], "1.0.0");
  const Json& result = t4["results"].at(0);
  EXPECT_EQ(result["timestamp"], "2023-11-14T22:13:20+00:00");
  EXPECT_EQ(result["configuration"]["schedule"], "dense_gemv");
  EXPECT_EQ(result["configuration"]["oc_block"], 16);
  EXPECT_EQ(result["times"]["runtimes"], Json::array({0.003, 0.002}));
  EXPECT_EQ(result["objectives"], Json::array({"time"}));
  EXPECT_EQ(result["invalidity"], "correct");
  EXPECT_EQ(result["correctness"], 1);
  EXPECT_EQ(result["measurements"].at(0), Json({{"name", "time"}, {"value", 0.002}, {"unit", "ms"}}));
  EXPECT_EQ(result["measurements"].at(1)["value"], kSampleWorkload);
}

TEST(KernelTunerT4, EveryFateHasItsWord) {
  const auto word = [](Fate fate) { return KernelTunerT4({Failed(fate)})["results"].at(0)["invalidity"]; };
  EXPECT_EQ(word(Fate::kInvalidConfig), "constraints");
  EXPECT_EQ(word(Fate::kCompileFailed), "compile");
  EXPECT_EQ(word(Fate::kWrongOutput), "correctness");
  EXPECT_EQ(word(Fate::kTimedOut), "timeout");
  EXPECT_EQ(word(Fate::kCrashed), "runtime");
  const Json failed = KernelTunerT4({Failed(Fate::kCrashed)})["results"].at(0);
  EXPECT_EQ(failed["correctness"], 0);
  EXPECT_EQ(failed["measurements"].at(0)["name"], "workload") << "there is no time";
}

TEST(GoogleBenchmark, EverySampleIsARepetition) {
  const Json json = GoogleBenchmark({Sampled()});
  ASSERT_EQ(json["benchmarks"].size(), 2U);
  const Json& second = json["benchmarks"].at(1);
  EXPECT_EQ(second["name"], std::string(kSampleWorkload) + "/threads:1");
  EXPECT_EQ(second["run_name"], second["name"]);
  EXPECT_EQ(second["run_type"], "iteration");
  EXPECT_EQ(second["repetitions"], 2);
  EXPECT_EQ(second["repetition_index"], 1);
  EXPECT_EQ(second["iterations"], 20);
  EXPECT_EQ(second["real_time"], 2000);
  EXPECT_EQ(second["time_unit"], "ns");
  EXPECT_EQ(second["label"], "dense_gemv oc_block=16 tile_ow=1");
  EXPECT_EQ(json["context"]["host_name"], "Bench-1");
}

TEST(GoogleBenchmark, AFailureIsAnErrorOfItsBenchmark) {
  const Json json = GoogleBenchmark({Failed(Fate::kCrashed), Sampled()});
  EXPECT_EQ(json["benchmarks"].at(0)["error_occurred"], true);
  EXPECT_EQ(json["benchmarks"].at(0)["error_message"], "Crashed: no");
  EXPECT_FALSE(json["benchmarks"].at(0).contains("real_time"));
  EXPECT_EQ(json["benchmarks"].at(0)["family_index"], json["benchmarks"].at(1)["family_index"]);
}

TEST(GoogleBenchmark, NoRecordsAreNoBenchmarks) {
  EXPECT_TRUE(GoogleBenchmark({})["benchmarks"].empty());
  EXPECT_TRUE(KernelTunerT4({})["results"].empty());
}

}  // namespace
}  // namespace hone
