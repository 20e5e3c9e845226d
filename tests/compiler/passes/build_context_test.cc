// Tuning and building use the same workloads, for any context of a model.
#include "core/build_context.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/build.h"
#include "compiler/codegen/target/host.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/passes/graph/anchor.h"
#include "compiler/relay/infer_type.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using Workloads = std::set<std::string>;

Workloads Tuned(const relay::IRModule& module, const BuildContext& context) {
  Workloads found;
  for (const Task& task : ExtractTasks(module, context)) found.insert(task.workload.ToText());
  return found;
}

// The workloads for which Build looks up records. The next pass, fold_layouts, packs constants and leaves functions
// unchanged.
Workloads Built(const relay::IRModule& module, const BuildContext& context) {
  Workloads found;
  const relay::IRModule chosen = RunPassesUntil("choose_layouts", module, {context});
  for (const relay::Call* call : FunctionCalls(chosen)) {
    const Anchor* anchor = AnchorOf(*relay::AsFunction(call->op));
    if (anchor != nullptr) found.insert(anchor->workload.ToText());
  }
  return found;
}

Target TargetOf(const std::string& text) { return text == "host" ? HostTarget() : Target::Parse("llvm " + text); }

// The contexts that the commands offer, by index.
BuildContext ContextOf(size_t number) {
  static const std::string kTargets[] = {"host",
                                         "-mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v2",
                                         "-mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v3",
                                         "-mtriple=x86_64-pc-linux-gnu -mcpu=x86-64-v4",
                                         "-mtriple=aarch64-linux-gnu -mcpu=cortex-a72",
                                         "-mtriple=riscv64-linux-gnu -mcpu=generic-rv64 -mattr=+v"};
  static constexpr int kThreads[] = {1, 2, 4, 16};
  BuildContext context;
  context.target = TargetOf(kTargets[number % 6]);
  context.threads = kThreads[number / 6 % 4];
  context.exact_math = number / 24 % 2 == 1;
  context.opt_level = 3 - static_cast<int>(number / 48 % 4);
  context.precision = number / 21 % 2 == 1 ? Precision::kBFloat16 : Precision::kFloat32;
  return context;
}
constexpr size_t kContexts = size_t{6} * 4 * 2 * 4;
constexpr int64_t kBatches[] = {1, 4, 8};

void ExpectTasksOfAll(const relay::IRModule& module, const BuildContext& context) {
  const Workloads tuned = Tuned(module, context), built = Built(module, context);
  EXPECT_FALSE(built.empty());
  for (const std::string& workload : built) {
    EXPECT_TRUE(tuned.contains(workload)) << workload << " on " << context.threads << " threads of "
                                          << context.target.ToText() << " -O" << context.opt_level;
  }
}

relay::IRModule Network(const std::string& name, int64_t batch) {
  ZooOptions options;
  options.batch = batch;
  return relay::InferType(BuildZoo(name, options));
}

TEST(BuildContext, ABatchIsSplitForTheThreadsThatAreTuned) {
  const relay::IRModule module = Network("squeezenet_v1.1", 4);
  const BuildContext few = TestContext().build;
  BuildContext many = few;
  many.threads = 16;
  ExpectTasksOfAll(module, few);
  ExpectTasksOfAll(module, many);
  EXPECT_NE(Tuned(module, few), Tuned(module, many)) << "threads share a larger cache";
}

TEST(BuildContext, LayersHaveThePrecisionThatIsTuned) {
  const relay::IRModule module = Network("squeezenet_v1.1", 1);
  const BuildContext wide = TestContext().build;
  BuildContext narrow = wide;
  narrow.precision = Precision::kBFloat16;
  ExpectTasksOfAll(module, narrow);
  EXPECT_NE(Tuned(module, wide), Tuned(module, narrow));
}

TEST(BuildContext, GroupsAreMergedAsTheMathThatIsTuned) {
  const relay::ExprPtr weight = RandomConstant({128, 4, 3, 3}, 1);
  const relay::IRModule module =
      ModuleOf(relay::MakeCall("nn.conv2d", {Input("x", {1, 128, 14, 14}), weight}, {{"groups", int64_t{32}}}));
  const BuildContext fast = TestContext().build;
  BuildContext exact = fast;
  exact.exact_math = true;
  ExpectTasksOfAll(module, fast);
  ExpectTasksOfAll(module, exact);
  EXPECT_NE(Tuned(module, fast), Tuned(module, exact)) << "zeros meet what exact math keeps apart";
}

std::vector<std::string> Networks() {
  std::vector<std::string> names;
  for (const ZooEntry& entry : ZooEntries()) {
    // Its workloads are those of vgg, because batch norms are folded into the weights.
    if (entry.name.ends_with("_bn")) continue;
    // Deeper variants of networks that are tested.
    static const std::set<std::string> kDeeper = {"densenet-161",  "densenet-169", "densenet-201",  "resnet-200",
                                                  "resnet-269",    "resnet_3d-34", "resnet_3d-101", "resnet_3d-152",
                                                  "resnet_3d-200", "resnet_3d-269"};
    if (kDeeper.count(entry.name) == 0) names.push_back(entry.name);
  }
  return names;
}

class ZooContexts : public ::testing::TestWithParam<std::string> {};

// Each network gets a batch and a context of its own.
TEST_P(ZooContexts, TheTasksAreWhatIsBuilt) {
  const std::vector<std::string> names = Networks();
  const auto number = static_cast<size_t>(std::find(names.begin(), names.end(), GetParam()) - names.begin());
  ExpectTasksOfAll(Network(GetParam(), kBatches[number % 3]), ContextOf(7 * number % kContexts));
}

// The whole zoo takes two hours: `ctest --preset soak` runs it.
TEST_P(ZooContexts, DISABLED_InEveryContext) {
  for (const int64_t batch : kBatches) {
    const relay::IRModule module = Network(GetParam(), batch);
    for (size_t number = 0; number < kContexts; ++number) ExpectTasksOfAll(module, ContextOf(number));
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, ZooContexts, ::testing::ValuesIn(Networks()), [](const auto& tested) {
  std::string name = tested.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

}  // namespace
}  // namespace hone::testing
