#include "db/record.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "core/hash/hash.h"
#include "core/random.h"
#include "db/record_log.h"
#include "tests/db/sample_record.h"

namespace hone {
namespace {

TEST(Record, JsonRoundTrips) {
  const Record record = SampleRecord(3);
  EXPECT_EQ(RecordFromJson(ParseJson(DumpJson(ToJson(record)), "test")), record);
}

// A record whose texts, numbers and lists take every odd form they may have.
Record OddRecord(Random& random) {
  const auto text = [&random] {
    static const std::vector<std::string> kTexts = {"",
                                                    "plain",
                                                    "a \"quoted\\ one",
                                                    "line\nbreak\ttab\x01\x1f\x7f",
                                                    "\u00e9\u4e2d",
                                                    "bytes \xff\xc3",
                                                    std::string("a\0b", 3),
                                                    "x/y"};
    return kTexts[random.Next() % kTexts.size()];
  };
  const auto number = [&random] {
    static const std::vector<double> kNumbers = {0, -0.0, 1, 1.5, 1e-300, 1e22, 123456789.125, -3, 0.1};
    return kNumbers[random.Next() % kNumbers.size()];
  };
  Record record = SampleRecord(static_cast<int>(random.Next() % 100));
  record.candidate.target.features.assign(random.Next() % 3, text());
  Measurement& measurement = record.measurement;
  measurement.message = text();
  measurement.worst_error = number();
  measurement.samples_ns.assign(random.Next() % 4, static_cast<int64_t>(random.Next() >> 1));
  measurement.batch.assign(measurement.samples_ns.size(), 1 + static_cast<int64_t>(random.Next() % 9));
  measurement.noisy = random.Next() % 2 == 0;
  Environment& environment = measurement.environment;
  for (std::string* field : {&environment.host, &environment.cpu_model, &environment.features, &environment.arch,
                             &environment.label, &environment.health, &environment.roofs}) {
    *field = text();
  }
  environment.load = number();
  environment.celsius = number();
  environment.golden_ns = static_cast<int64_t>(random.Next() % 3);
  record.timing.near_factor = number();
  record.session = text();
  record.unix_ms = -static_cast<int64_t>(random.Next() % 5);
  if (random.Next() % 2 == 0) record.finals = {1, 2, 3, true, static_cast<int64_t>(random.Next() % 2)};
  return record;
}

TEST(Record, TextIsWhatTheTreeSays) {
  Random random(7);
  for (int i = 0; i < 500; ++i) {
    Record record = OddRecord(random);
    Json content = ToJson(record);
    content.erase("id");
    const RecordText text = TextOfRecord(record);
    EXPECT_EQ(text.id, Sha256Hex(DumpJson(content)).substr(0, 16));
    record.id = text.id;
    ASSERT_EQ(text.json, DumpJson(ToJson(record)));
  }
}

TEST(Record, ANumberThatJsonCannotSayIsABug) {
  Record record = SampleRecord(3);
  record.measurement.environment.load = std::numeric_limits<double>::infinity();
  EXPECT_THROW(TextOfRecord(record), Error);
  EXPECT_THROW(DumpJson(ToJson(record)), Error);
}

TEST(Record, IdIsPermanent) {
  // Existing stores and logs name records by these ids: a change of the canonical form breaks them.
  EXPECT_EQ(SampleRecord(3).id, "d44ed2fc4f633566");
}

// Every field has a value of its own, in the order of writing.
constexpr std::string_view kEveryField =
    R"x({"id":"f659a97a9fd393ad",)x"
    R"x("workload":"nn.dense data=1x64 weight=128x64 dtype=float32 epilogue=bias_act",)x"
    R"x("schedule":"dense_pack","config":"oc_block=16 tile_m=4","target":{"triple":"x86_64-pc-linux-gnu",)x"
    R"x("cpu":"znver3","features":["+avx2","-fma"],"num_cores":4},"schedule_version":1,"threads":1,)x"
    R"x("input_layout":"AB","output_layout":"AB16b","measurement":{"fate":"WrongOutput","detail":-11,)x"
    R"x("message":"a \"quoted\\ line\n","samples_ns":[3000,2000],"batch":[10,20],"worst_error":1.5,)x"
    R"x("noisy":true,"wall_ns":1500000,"environment":{"host":"left","cpu_model":"AMD EPYC 7763",)x"
    R"x("cpu_id":"AuthenticAMD-25-1-1","microcode":"0xa0","features":"avx,avx2,fma","cores":8,"caches":"32K,)x"
    R"x(512K,32M","governor":"performance","kernel":"6.1.0","hypervisor":"kvm","isolation":"fork,rlimit,)x"
    R"x(guard","emulated":true,"load":0.25,"hone_version":"0.1.0","arch":"x86_64","llvm_cpu":"znver3",)x"
    R"x("core_kind":"smt","key":"boards","label":"left","golden_kernel":"1-avx2-128K-64M",)x"
    R"x("health":"too hot","roofs":"100.0 GFLOP/s, 20.0 GB/s","golden_ns":900123,"mhz":3394,)x"
    R"x("celsius":61.5}},"timing":{"cache":"warm","threads":1,"min_samples":3,"max_samples":15,)x"
    R"x("min_sample_ns":100000,"incumbent_ns":2100,"near_factor":1.1,"deadline_ns":10000000000,)x"
    R"x("memory_bytes":4294967296},"hone_version":"0.1.0","llvm_version":"19.1.7",)x"
    R"x("artifact_sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",)x"
    R"x("packing_sha256":"ab","unix_ms":1763827200500,"session":"5f3c2a9d8e7b6a10","finals":{"held":2,)x"
    R"x("round":5,"place":1,"incumbent":true,"network_ns":123456}})x";

TEST(Record, WithEveryFieldIsReadAndWrittenAsTheSameBytes) {
  const Record record = RecordFromJson(ParseJson(kEveryField, "test"));
  EXPECT_EQ(record.id, "f659a97a9fd393ad");
  EXPECT_EQ(TextOfRecord(record).json, kEveryField);
  EXPECT_EQ(DumpJson(ToJson(record)), kEveryField);
}

// A record of an older hone, without architecture, kind of core or a runner's registered names.
Record OldRecord() {
  Record record = SampleRecord(3);
  record.measurement.environment.cpu_id = "AuthenticAMD-25-1-1";
  record.measurement.environment.features = "avx2 fma";
  return Finish(record);
}

TEST(Record, NewEmptyFieldsOfAnEnvironmentAreLeftOut) {
  EXPECT_EQ(OldRecord().id, "8b18cc19b55b5134");
  for (std::string Environment::* field : {&Environment::arch, &Environment::llvm_cpu, &Environment::core_kind,
                                           &Environment::key, &Environment::label, &Environment::roofs}) {
    Record record = OldRecord();
    record.measurement.environment.*field = "x";
    record = Finish(record);
    EXPECT_NE(record.id, OldRecord().id);
    EXPECT_EQ(RecordFromJson(ParseJson(DumpJson(ToJson(record)), "test")), record);
  }
}

TEST(Record, IdNamesTheContent) {
  Record record = SampleRecord(3);
  EXPECT_EQ(Finish(record).id, record.id);
  record.measurement.message = "x";
  EXPECT_NE(Finish(record).id, record.id);
  Json json = ToJson(record);
  EXPECT_THROW(RecordFromJson(json), Error);
  json["id"] = Finish(record).id;
  EXPECT_EQ(RecordFromJson(json).measurement.message, "x");
}

TEST(Record, OfAKernelThatGaveNaNCanBeKept) {
  Record record = SampleRecord(0);
  record.measurement.fate = Fate::kWrongOutput;
  record.measurement.worst_error = std::numeric_limits<double>::quiet_NaN();
  record.measurement.message = "bytes \xff";
  record = Finish(record);
  EXPECT_EQ(RecordFromJson(ParseJson(DumpJson(ToJson(record)), "test")).id, record.id);
}

Record SampleFinal() {
  Record record = SampleRecord(3);
  record.finals = {2, 5, 1, true};
  return Finish(record);
}

TEST(Record, OfFinalsRoundTripsAndHasAnIdOfItsOwn) {
  const Record record = SampleFinal();
  EXPECT_EQ(RecordFromJson(ParseJson(DumpJson(ToJson(record)), "test")), record);
  EXPECT_EQ(record.id, "306d7e97c3ccb8aa");
}

TEST(Record, OfFinalsInTheModelSaysItsTimeThere) {
  Record record = SampleFinal();
  record.finals.network_ns = 123'456;
  record = Finish(record);
  EXPECT_EQ(RecordFromJson(ParseJson(DumpJson(ToJson(record)), "test")), record);
  EXPECT_NE(record.id, SampleFinal().id);
  Json damaged = ToJson(record);
  damaged["finals"]["network_ns"] = -1;
  EXPECT_THROW(RecordFromJson(damaged), Error);
}

TEST(Record, OfFinalsMustSayWhich) {
  const Json whole = ToJson(SampleFinal());
  for (const char* field : {"held", "round", "place", "incumbent"}) {
    Json damaged = whole;
    damaged["finals"].erase(field);
    EXPECT_THROW(RecordFromJson(damaged), Error) << field;
  }
  for (const Json& wrong : {Json(3), Json({{"held", 0}, {"round", 1}, {"place", 1}, {"incumbent", true}})}) {
    Json damaged = whole;
    damaged["finals"] = wrong;
    EXPECT_THROW(RecordFromJson(damaged), Error);
  }
}

TEST(Record, MissingFieldsAreNamed) {
  const Json whole = ToJson(SampleRecord(1));
  for (const auto& [name, value] : whole.items()) {
    Json damaged = whole;
    damaged.erase(name);
    try {
      RecordFromJson(damaged);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kBadData);
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace hone
