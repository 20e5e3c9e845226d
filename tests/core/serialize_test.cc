#include "core/json/serialize.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/error.h"

namespace hone {
namespace {

Candidate SomeCandidate() {
  return {Workload::Parse("nn.dense data=1x8 weight=4x8 epilogue=residual"), "dense_gemv",
          Config::Parse("oc_block=16 tile_ow=6"),
          Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=znver3 -mattr=+fma")};
}

Measurement SomeMeasurement() {
  Measurement measurement;
  measurement.fate = Fate::kCrashed;
  measurement.detail = -11;
  measurement.message = "signal 11 in \"stage\" 2\n";
  measurement.samples_ns = {1234567890123, 5};
  measurement.batch = {1, 1000};
  measurement.worst_error = 0.1;
  measurement.noisy = true;
  measurement.environment.cpu_model = "AMD EPYC";
  measurement.environment.load = 0.25;
  measurement.environment.emulated = true;
  return measurement;
}

Artifact SomeArtifact() {
  Artifact artifact;
  artifact.object_sha256 = "ab";
  artifact.stages = {{"f0", 12, 4, 64}, {"f1", 1, 1, 0}};
  artifact.operands = {{OperandRole::kWeight, DType::kFloat32, {33, 9, 3, 3}, Layout::Parse("OIHW8i16o")},
                       {OperandRole::kOutput, DType::kInt64, {}, Layout()}};
  artifact.shared_workspace_bytes = 4096;
  artifact.required_features = {"avx2", "fma"};
  return artifact;
}

Plan SomePlan() {
  Plan plan;
  plan.model = "zoo:mlp";
  plan.target = SomeCandidate().target;
  plan.threads = 4;
  plan.buffers = {{"data", BufferKind::kInput, DType::kFloat32, {1, 8}, Layout::Parse("AB"), 32, 0},
                  {"dense", BufferKind::kArena, DType::kFloat32, {1, 17}, Layout::Parse("AB16b"), 128, 64}};
  plan.kernels = {{SomeArtifact().stages, 512, {"w", "generic", "", "default", "", 7, "cd"}}};
  plan.calls = {{0, {{0, 0, 0}, {1, 64, 128}}, "nn.dense", {"fc1", "relu1"}, 256, {}}};
  plan.inputs = {0};
  plan.outputs = {1};
  plan.counted = {{0, 1, 1, 17}, {-1, 0, 1, 9}};
  plan.ranged = {{0, 0, 1, 0}, {0, 1, 0, 7}};
  plan.states = {{1, 0, -1, -1, -1}, {1, 1, 2, 0, 1}};
  plan.calls[0].boxes = {{0, 3, {{2, -1, 1, 1}, {3, 1, 2, 16}}}, {1, 0, {{1, 0, 1, 1}}}};
  plan.calls[0].variants = {{0, {{1, 8}, {0, 0}}, {{0, 1, {{2, 1, 1, 1}}}}}, {0, {{0, 100}}, {}}};
  plan.arena_bytes = 192;
  return plan;
}

Json Again(const Json& json) { return ParseJson(DumpJson(json), "test"); }

TEST(Serialize, AnEnvironmentLeavesOutWhatItDoesNotKnow) {
  Environment environment = SomeMeasurement().environment;
  const std::string text = DumpJson(ToJson(environment));
  for (const char* field : {"golden_kernel", "golden_ns", "health", "roofs", "mhz", "celsius", "llvm_cpu"}) {
    EXPECT_EQ(text.find(field), std::string::npos) << field;
  }
  environment.golden_kernel = "1-avx2-128K-64M";
  environment.golden_ns = 900123;
  environment.health = "golden kernel 6.1 % slower than usual (arithmetic)";
  environment.roofs = "100.0 GFLOP/s, 20.0 GB/s";
  environment.mhz = 3394;
  environment.celsius = 61.5;
  EXPECT_EQ(EnvironmentFromJson(ToJson(environment)), environment);
  for (const char* field : {"golden_ns", "mhz", "celsius", "health", "roofs"}) {
    Json json = ToJson(environment);
    json[field] = Json::array();
    EXPECT_THROW(EnvironmentFromJson(json), Error) << field;
  }
}

TEST(Serialize, ValuesRoundTrip) {
  EXPECT_EQ(CandidateFromJson(Again(ToJson(SomeCandidate()))), SomeCandidate());
  EXPECT_EQ(MeasurementFromJson(Again(ToJson(SomeMeasurement()))), SomeMeasurement());
  EXPECT_EQ(ArtifactFromJson(Again(ToJson(SomeArtifact()))), SomeArtifact());
  EXPECT_EQ(PlanFromJson(Again(ToJson(SomePlan()))), SomePlan());
  EXPECT_EQ(TimingPolicyFromJson(Again(ToJson(TimingPolicy()))), TimingPolicy());
}

TEST(Serialize, UnknownFieldsArePassedOver) {
  Json json = ToJson(SomeCandidate());
  json["colour"] = "green";
  EXPECT_EQ(CandidateFromJson(json), SomeCandidate());
}

TEST(Serialize, MissingOrMistypedFieldsAreNamed) {
  const Json whole = ToJson(SomeMeasurement());
  for (const auto& [name, value] : whole.items()) {
    for (const Json& wrong : {Json(), Json::object({{"a", 1}})}) {
      Json damaged = whole;
      if (wrong.is_null()) {
        damaged.erase(name);
      } else {
        damaged[name] = wrong;
      }
      try {
        MeasurementFromJson(damaged);
        ADD_FAILURE() << name;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::kBadData);
        if (name != "environment" || wrong.is_null()) {
          EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
        }
      }
    }
  }
}

TEST(Serialize, RangesAreChecked) {
  Json plan = ToJson(SomePlan());
  const auto refused = [&](const char* pointer, const Json& value) {
    Json damaged = plan;
    damaged[Json::json_pointer(pointer)] = value;
    EXPECT_THROW(PlanFromJson(damaged), Error) << pointer;
  };
  refused("/version", 2);
  refused("/threads", 0);
  refused("/calls/0/kernel", 1);
  refused("/calls/0/operands/0/buffer", 2);
  refused("/calls/0/operands/0/offset_bytes", -1);
  refused("/buffers/0/shape/0", -1);
  refused("/buffers/0/shape", {INT64_MAX, 2});
  refused("/counted", Json(7));
  refused("/counted", {0, 1, 1});
  refused("/counted", {-2, 1, 1, 17});
  refused("/counted", {0, int64_t{1} << 32, 1, 17});
  refused("/ranged", Json(7));
  refused("/ranged", {0, 0, 1});
  refused("/ranged", {0, 0, 1, -1});
  refused("/ranged", {0, 0, 1, int64_t{1} << 31});
  refused("/ranged", {1, 0, 1, 1});
  refused("/ranged", {0, 0, 2, 1});
  refused("/states", Json(7));
  refused("/states", {0, 0, 1, 0});
  refused("/states", {0, 0, 1, 0, -2});
  refused("/states", {0, 0, 1, 0, int64_t{1} << 31});
  refused("/calls/0/boxes", Json(7));
  refused("/calls/0/boxes", {0, 0});
  refused("/calls/0/boxes", {0, 0, 1, 2, -1, 1});
  refused("/calls/0/boxes", {0, 0, -1});
  refused("/calls/0/boxes", {0, 0, INT64_MAX, 2, -1, 1, 1});
  refused("/calls/0/boxes", {int64_t{1} << 31, 0, 1, 2, -1, 1, 1});
  refused("/calls/0/boxes", {0, 0, 1, 2, int64_t{1} << 31, 1, 1});
  refused("/calls/0/boxes", {0, 0, 1, 2, -2, 1, 1});
  refused("/calls/0/variants", Json(7));
  refused("/calls/0/variants", {0, 1});
  refused("/calls/0/variants", {0, 1, 0});
  refused("/calls/0/variants", {0, 1, 0, 1});
  refused("/calls/0/variants", {0, 1, 1, 1, 8});
  refused("/calls/0/variants", {0, -1, 0});
  refused("/calls/0/variants", {0, 0, -1});
  refused("/calls/0/variants", {0, INT64_MAX, INT64_MAX, 1, 8});
  refused("/calls/0/variants", {0, 1, 2, 1, 8, 0, 0});
  refused("/calls/0/variants", {int64_t{1} << 31, 1, 0, 1, 8});
  refused("/calls/0/variants", {0, 1, 0, int64_t{1} << 31, 8});
  refused("/calls/0/variants", {0, 1, 0, -2, 8});
  refused("/buffers/0/kind", "stack");
  refused("/buffers/0/dtype", "float");
  refused("/buffers/0/size_bytes", 18446744073709551615ULL);
  refused("/outputs/0", 2);
  refused("/inputs/0", 0.5);
  refused("/kernels/0/stages/0/grain", 0);
}

TEST(Serialize, APlanOfVersionTwoHasAFifthNumberForEachAxis) {
  Plan plan = SomePlan();
  plan.version = 2;
  plan.calls[0].boxes[0].axes[1].plus = 5;
  plan.calls[0].variants[0].boxes[0].axes[0].plus = 7;
  EXPECT_EQ(PlanFromJson(Again(ToJson(plan))), plan);
  Json json = ToJson(plan);
  json["version"] = 1;
  EXPECT_THROW(PlanFromJson(json), Error);
  json["version"] = kPlanVersion + 1;
  EXPECT_THROW(PlanFromJson(json), Error);
}

TEST(Serialize, APlanOfVersionThreeHasParametersOfVariants) {
  Plan plan = SomePlan();
  plan.version = 3;
  plan.calls[0].variants[0].params = {{1, 0}, {2, 1}};
  plan.calls[0].variants.push_back(plan.calls[0].variants[0]);
  plan.calls[0].variants[1].params.clear();
  EXPECT_EQ(PlanFromJson(Again(ToJson(plan))), plan);
  Json json = ToJson(plan);
  json["version"] = 2;
  EXPECT_THROW(PlanFromJson(json), Error);
  const auto refused = [&](const std::vector<int64_t>& variants) {
    json["version"] = 3;
    json["calls"][0]["variants"] = variants;
    EXPECT_THROW(PlanFromJson(json), Error) << json["calls"][0]["variants"];
  };
  refused({0, 1, 0});
  refused({0, 1, 0, 1, 1, 8, 1});
  refused({0, 1, 0, -1, 1, 8});
  refused({0, 1, 0, INT64_MAX, 1, 8});
  refused({0, 1, 0, 1, 1, 8, int64_t{1} << 31, 0});
  refused({0, 1, 0, 1, 1, 8, 0, int64_t{1} << 31});
}

TEST(Serialize, EveryCutIsRefused) {
  const std::string text = DumpJson(ToJson(SomePlan()));
  for (size_t cut = 0; cut < text.size(); ++cut) EXPECT_THROW(ParseJson(text.substr(0, cut), "cut"), Error) << cut;
}

TEST(Serialize, FlippedBytesNeverCrash) {
  const std::string text = DumpJson(ToJson(SomePlan()));
  int refused = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    for (const char mask : {'\x01', '\x80', '\x10'}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      try {
        PlanFromJson(ParseJson(damaged, "flip"));
      } catch (const Error&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(ParseJson, RefusesWhatHoneNeverWrites) {
  for (const char* text : {"", "{", "nan", "[1,]", "{\"a\":1,\"a\":2}", "[{\"a\":{\"b\":1,\"b\":1}}]", "1e999", "[NaN]",
                           "{} {}", "\"\xff\"", "// x\n1"}) {
    EXPECT_THROW(ParseJson(text, "test"), Error) << text;
  }
  EXPECT_NO_THROW(ParseJson("[{\"a\":1},{\"a\":1,\"b\":{\"a\":1}}]", "test"));
}

TEST(ParseJson, RefusesDepthAndKeysBeyondReason) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(ParseJson(nested(64), "test"));
  EXPECT_THROW(ParseJson(nested(66), "test"), Error);
  EXPECT_THROW(ParseJson(std::string(1 << 20, '['), "test"), Error);
  std::string keys = "{\"k\":0";
  for (int i = 0; i < 3000; ++i) keys += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_THROW(ParseJson(keys + "}", "test"), Error);
}

TEST(ParseJson, FindsADuplicateKeyAtAnyDepth) {
  for (int keys = 1; keys < 60; ++keys) {
    for (int again = 0; again < keys; ++again) {
      std::string text = "{";
      for (int i = 0; i < keys; ++i) text += "\"k" + std::to_string(i) + "\":[{\"k0\":" + std::to_string(i) + "}],";
      EXPECT_NO_THROW(ParseJson(text + "\"new\":1}", "test"));
      EXPECT_THROW(ParseJson(text + "\"k" + std::to_string(again) + "\":1}", "test"), Error) << keys << " " << again;
    }
  }
}

TEST(ParseJson, GivesTheTreeThatTheLibraryGives) {
  for (const char* text :
       {"null", "true", "-1", "18446744073709551615", "-9223372036854775808", "1.5e3", "\"a\\u00e9\\n\"", "[]", "{}",
        R"([1,[],{},[[2.5,"x"],{"b":[null,false,{"c":{}}],"a":"\u0000"}],"end"])",
        R"({"z":1,"a":{"z":[{"q":1},{"q":2}],"y":-0.0},"":[]})", " [ 1 , 2 ] \n"}) {
    EXPECT_EQ(DumpJson(ParseJson(text, "test")), DumpJson(Json::parse(text))) << text;
    EXPECT_EQ(ParseJson(text, "test"), Json::parse(text)) << text;
  }
}

TEST(DumpJson, RefusesNumbersThatAreNotFinite) {
  EXPECT_THROW(DumpJson({{"a", {1, std::numeric_limits<double>::quiet_NaN()}}}), Error);
  EXPECT_THROW(DumpJson(std::numeric_limits<double>::infinity()), Error);
}

TEST(DumpJson, ReplacesBytesThatAreNotText) { EXPECT_EQ(DumpJson("a\xff"), "\"a\xEF\xBF\xBD\""); }

}  // namespace
}  // namespace hone
