// Small models, each of which once failed in a build or a run.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "compiler/codegen/target/host.h"
#include "compiler/frontend/onnx/onnx_import.h"
#include "compiler/relay/infer_type.h"
#include "core/random.h"
#include "tests/compiler/frontend/model_maker.h"
#include "tests/end_to_end/expect_as_reference.h"
#include "tests/end_to_end/run_model.h"

namespace hone {
namespace {

// This machine and older feature levels that it can run.
std::vector<Target> Targets() {
  const Target host = HostTarget();
  std::vector<Target> targets{host};
  for (const char* cpu : {"x86-64-v2", "x86-64-v3"}) {
    const Target modest{host.triple, cpu, {}, host.num_cores};
    if (host.triple.rfind("x86_64", 0) == 0 && MissingFeature(modest).empty()) targets.push_back(modest);
  }
  return targets;
}

void ExpectAsReferenceEverywhere(const relay::IRModule& module) {
  for (const Target& target : Targets()) {
    for (const int level : {0, 3}) {
      SCOPED_TRACE(target.ToText());
      BuildOptions options = HostBuild();
      options.context.target = target;
      options.context.opt_level = level;
      ExpectAsReference(module, options);
    }
  }
}

TEST(ReproModels, AreComputed) {
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(HONE_TEST_DATA "/repro")) {
    SCOPED_TRACE(file.path().filename().string());
    ++models;
    ExpectAsReferenceEverywhere(relay::InferType(ImportOnnx(file.path().string()).module));
  }
  EXPECT_EQ(models, 25);
}

constexpr int64_t kSide = 128, kRows = 16;
constexpr int kCalls = 4;

// x times w, repeatedly; with `plain` also w in its original layout, which no dense kernel takes.
std::string SharedWeight(uint64_t seed, bool plain) {
  Random random(seed);
  std::vector<float> w(kSide * kSide);
  for (float& value : w) value = static_cast<float>(random.Normal()) / 8;
  ModelMaker model;
  model.Input("t0", {kRows, kSide}).Weight("w", {kSide, kSide}, w);
  for (int i = 0; i < kCalls; ++i) {
    const std::string from = "t" + std::to_string(i), product = "m" + std::to_string(i);
    model.Node("MatMul", {from, "w"}, {product}).Node("Tanh", {product}, {"t" + std::to_string(i + 1)});
  }
  model.Output("t" + std::to_string(kCalls));
  if (plain) model.Input("v", {1, kSide}).Node("Mul", {"w", "v"}, {"y"}).Output("y");
  return model.Bytes();
}

// Expects `copies` buffers of the package to hold w, in as many layouts.
void ExpectCopies(const relay::IRModule& module, size_t copies) {
  const auto package = Package::FromBytes(Build(module, HostBuild()).package, "shared");
  std::multiset<std::string> layouts;
  for (const PlanBuffer& buffer : package->plan().buffers) {
    const bool is_weight = buffer.kind == BufferKind::kParam && ElementCount(buffer.shape) == kSide * kSide;
    if (is_weight) layouts.insert(ShapeText(buffer.shape) + buffer.layout.ToText());
  }
  EXPECT_EQ(layouts.size(), copies);
  EXPECT_EQ(std::set<std::string>(layouts.begin(), layouts.end()).size(), copies) << "two copies are alike";
  const auto copy_bytes = static_cast<size_t>(kSide * kSide) * sizeof(float);
  EXPECT_GE(package->params().size(), copies * copy_bytes);
  EXPECT_LT(package->params().size(), (copies + 1) * copy_bytes);
}

TEST(ReproModels, AWeightOfSeveralCallsIsKeptOncePerLayout) {
  for (const bool plain : {false, true}) {
    const relay::IRModule module = relay::InferType(ImportOnnxBytes(SharedWeight(7, plain), "shared").module);
    ExpectAsReferenceEverywhere(module);
    ExpectCopies(module, plain ? 2 : 1);
  }
}

}  // namespace
}  // namespace hone
