#include "compiler/plan/package_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/build.h"
#include "core/error.h"
#include "core/hash/hash.h"
#include "core/json/serialize.h"
#include "core/machine/required_features.h"
#include "core/package/package_format.h"

namespace hone::testing {
namespace {

Plan SmallPlan() {
  Plan plan;
  plan.model = "small";
  plan.target = Target::Parse("llvm -mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v3");
  return plan;
}

std::string Section(const std::string& package, PackageSection section) {
  PackageHeader header;
  std::memcpy(&header, package.data(), sizeof(header));
  const PackageSectionEntry& entry = header.sections[section];
  EXPECT_EQ(entry.offset_bytes % kPackageAlign, 0U);
  return package.substr(entry.offset_bytes, entry.size_bytes);
}

TEST(PackageWriter, SectionsHoldWhatWasGiven) {
  const std::string package = WritePackage(SmallPlan(), "the library", ParamBytes(std::string(5000, 'p')));
  EXPECT_EQ(package.substr(0, 8), std::string(kPackageMagic, 8));
  EXPECT_EQ(Section(package, kSectionLib), "the library");
  EXPECT_EQ(Section(package, kSectionParams), std::string(5000, 'p'));
  EXPECT_EQ(PlanFromJson(ParseJson(Section(package, kSectionGraph), "graph")), SmallPlan());
}

TEST(PackageWriter, TheManifestHashesTheSectionsAndTheHeaderTheManifest) {
  const std::string package = WritePackage(SmallPlan(), "lib", ParamBytes("params"));
  const std::string manifest = Section(package, kSectionManifest);
  const Json json = ParseJson(manifest, "manifest");
  EXPECT_EQ(json["sections"]["lib"]["sha256"], Sha256Hex("lib"));
  EXPECT_EQ(json["sections"]["params"]["size_bytes"], 6);
  EXPECT_EQ(json["required_features"], Json(MachineModelFor(SmallPlan().target).required_features));
  PackageHeader header;
  std::memcpy(&header, package.data(), sizeof(header));
  std::string hex;
  for (const uint8_t byte : header.manifest_sha256) {
    for (const int digit : {byte >> 4, byte & 15}) hex += "0123456789abcdef"[digit];
  }
  EXPECT_EQ(hex, Sha256Hex(manifest));
}

TEST(PackageWriter, KernelsOfBytesNeedWhatMultipliesThem) {
  Plan plan = SmallPlan();
  plan.target = {"x86_64-pc-linux-gnu", "znver4", {}, 0};
  const std::vector<std::string> floats = RequiredFeatures(plan);
  EXPECT_EQ(floats, MachineModelFor(plan.target).required_features);
  plan.kernels.emplace_back().dispatch.workload = "nn.conv2d data=1x4x4x4 weight=8x4x1x1 dtype=uint8,int8,int32,uint8";
  EXPECT_EQ(RequiredFeatures(plan).back(), "avx512vnni");
  EXPECT_EQ(RequiredFeatures(plan).size(), floats.size() + 1);
}

TEST(PackageWriter, ValuesOfFloat16NeedWhatConvertsThem) {
  Plan plan = SmallPlan();
  plan.target = {"x86_64-pc-linux-gnu", "x86-64-v3", {}, 0};
  const std::vector<std::string> floats = RequiredFeatures(plan);
  plan.buffers.emplace_back().dtype = DType::kFloat16;
  std::vector<std::string> needed = floats;
  needed.emplace_back("f16c");
  EXPECT_EQ(RequiredFeatures(plan), needed);
  plan.target.cpu = "x86-64-v2";
  EXPECT_EQ(RequiredFeatures(plan), MachineModelFor(plan.target).required_features);
}

// Attention's kernel has no workload, and a process must request tile registers.
TEST(PackageWriter, AttentionNeedsWhatMultipliesBFloat16) {
  Plan plan = SmallPlan();
  plan.target = {"x86_64-pc-linux-gnu", "sapphirerapids", {}, 0};
  const std::vector<std::string> floats = RequiredFeatures(plan);
  plan.buffers.emplace_back().dtype = DType::kFloat32;
  PlanCall& call = plan.calls.emplace_back();
  call.op = "attention";
  call.operands = {{0, 0, 0}};
  EXPECT_EQ(RequiredFeatures(plan), floats);
  plan.buffers.at(0).dtype = DType::kBFloat16;
  const std::vector<std::string> needed = RequiredFeatures(plan);
  for (const char* feature : {"amx-bf16", "amx-tile", "avx512bf16"}) {
    EXPECT_NE(std::find(needed.begin(), needed.end(), feature), needed.end()) << feature;
  }
}

TEST(PackageWriter, EqualInputsGiveEqualBytes) {
  EXPECT_EQ(WritePackage(SmallPlan(), "lib", ParamBytes("params")),
            WritePackage(SmallPlan(), "lib", ParamBytes("params")));
}

TEST(FactsOf, ThePrecisionMayBeMissingButNotDamaged) {
  EXPECT_EQ(FactsOf(Json::object()).precision, PackagePrecision());
  const Json layers = {{"float32", 1}, {"bfloat16", 0}, {"int8", 2}};
  const Json chosen = {{"name", "mixed"}, {"layers", layers}, {"error", 0.004}, {"max_error", 0.01}};
  for (const Json& right : {Json{{"name", "bfloat16"}}, chosen}) {
    EXPECT_EQ(ToJson(FactsOf(Json{{"precision", right}}).precision), right);
  }
  const auto with = [&](const char* field, const Json& value) {
    Json json = chosen;
    json[field] = value;
    return json;
  };
  Json fewer = layers, negative = layers;
  fewer.erase("int8");
  negative["float32"] = -1;
  for (const auto& [wrong, why] : std::vector<std::pair<Json, std::string>>{
           {Json("int8"), "name"},
           {with("name", "int4"), "name is \"int4\"; right is float32, bfloat16, int8 or mixed"},
           {with("name", 8), "name"},
           {with("layers", 3), "float32"},
           {with("layers", fewer), "int8"},
           {with("layers", negative), "float32"},
           {with("error", -0.5), "error is -0.5; right is 0 or more"},
           {with("error", "small"), "error"},
           {with("max_error", -1), "max_error is -1"}}) {
    const auto read = [&json = wrong] { FactsOf(Json{{"precision", json}}); };
    EXPECT_THAT(read, ::testing::ThrowsMessage<Error>(
                          ::testing::AllOf(::testing::HasSubstr("manifest: precision: "), ::testing::HasSubstr(why))))
        << wrong;
  }
}

}  // namespace
}  // namespace hone::testing
