#include "compiler/passes/chosen_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/frontend/zoo/zoo.h"
#include "compiler/relay/infer_type.h"
#include "core/error.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

BuildContext Context(int level, std::vector<std::string> required, std::vector<std::string> disabled) {
  BuildContext context = TestContext(level).build;
  context.required_passes = std::move(required);
  context.disabled_passes = std::move(disabled);
  return context;
}

std::string Refusal(const BuildContext& context) {
  try {
    CheckPasses(context);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

std::vector<std::string> Ran(const relay::IRModule& module, const BuildContext& context) {
  std::vector<std::string> names;
  RunPasses(module, {context}, [&](const std::string& pass, const relay::IRModule&) { names.push_back(pass); });
  return names;
}

// The names of the passes that a build can do without.
std::vector<std::string> OptionalPasses() {
  std::vector<std::string> names;
  for (const Pass& pass : AllPasses()) {
    if (pass.min_level > 0) names.push_back(pass.name);
  }
  return names;
}

relay::IRModule Network(const std::string& name) {
  return relay::InferType(BuildZoo(name, {.classes = 10, .image_shape = {3, 32, 32}}));
}

TEST(ChosenPasses, TheLevelChoosesAndNamesAddAndTakeAway) {
  const relay::IRModule module = ModuleOf(relay::MakeCall("nn.relu", {Input("x", {1, 4})}));
  EXPECT_THAT(Ran(module, Context(0, {}, {})), Not(::testing::Contains("fold_batch_norm")));
  EXPECT_EQ(Ran(module, Context(0, {"fold_batch_norm"}, {})).size(), Ran(module, Context(0, {}, {})).size() + 1);
  EXPECT_THAT(Ran(module, Context(0, {"fold_batch_norm"}, {})), ::testing::Contains("fold_batch_norm"));
  EXPECT_EQ(Ran(module, Context(3, {}, {})).size(), AllPasses().size());
  EXPECT_THAT(Ran(module, Context(3, {}, {"sink_concats"})), Not(::testing::Contains("sink_concats")));
  EXPECT_EQ(Ran(module, Context(3, {"sink_concats"}, {})), Ran(module, Context(3, {}, {}))) << "each runs once";
}

TEST(ChosenPasses, RefusesInOneLine) {
  EXPECT_EQ(Refusal(Context(3, {"fuse"}, {"nest_concats"})), "");
  EXPECT_THAT(Refusal(Context(3, {}, {"nest_concat"})),
              HasSubstr("there is no pass nest_concat; did you mean nest_concats?; the passes are bind_params, "));
  EXPECT_THAT(Refusal(Context(3, {"fuze"}, {})), HasSubstr("did you mean fuse?"));
  EXPECT_THAT(Refusal(Context(3, {}, {"fuse"})), HasSubstr("the pass fuse runs at every level and cannot be disabled"));
  EXPECT_THAT(Refusal(Context(3, {"split_batch"}, {"split_batch"})), HasSubstr("both required and disabled"));
  const relay::IRModule module = ModuleOf(relay::MakeCall("nn.relu", {Input("x", {1, 4})}));
  EXPECT_THROW(RunPasses(module, {Context(3, {}, {"fuse"})}), Error);
}

// A pass may use the results of earlier passes but must not require them.
class WithoutOnePass : public ::testing::TestWithParam<const char*> {};

TEST_P(WithoutOnePass, TheMeaningIsTheSame) {
  const relay::IRModule module = Network(GetParam());
  const relay::IRModule bound = relay::InferType(AllPasses().front().run(module, TestContext()));
  for (const std::string& pass : OptionalPasses()) {
    SCOPED_TRACE(pass);
    ExpectSameMeaning(bound, RunPassesUntil("choose_layouts", module, {Context(3, {}, {pass})}), 1e-4);
    ExpectSameMeaning(bound, RunPassesUntil("choose_layouts", module, {Context(0, {pass}, {})}), 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(Networks, WithoutOnePass, ::testing::Values("mobilenet", "shufflenet"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace hone::testing
