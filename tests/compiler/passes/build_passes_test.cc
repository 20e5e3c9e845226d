// The passes that a context requires or disables, and a build's report of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/build.h"
#include "compiler/frontend/zoo/zoo.h"
#include "compiler/passes/passes.h"
#include "compiler/replace_params.h"
#include "core/error.h"
#include "runtime/package.h"
#include "tests/compiler/passes/pass_testing.h"

namespace hone::testing {
namespace {

relay::IRModule Network(uint64_t seed) {
  return BuildZoo("mobilenet", {.classes = 10, .image_shape = {3, 32, 32}, .seed = seed});
}

BuildOptions Without(const std::vector<std::string>& passes) {
  BuildOptions options;
  options.context = TestContext().build;
  options.context.disabled_passes = passes;
  return options;
}

TEST(BuildPasses, TellsTheTimeOfEachPassThatRan) {
  BuildOptions options = Without({"split_batch"});
  std::vector<std::string> seen;
  options.after_pass = [&](const std::string& pass, const relay::IRModule&) { seen.push_back(pass); };
  const BuildReport report = Build(Network(0), options).report;
  ASSERT_EQ(report.pass_seconds.size(), AllPasses().size() - 1);
  double total = 0;
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(report.pass_seconds[i].first, seen[i]);
    EXPECT_GT(report.pass_seconds[i].second, 0);
    total += report.pass_seconds[i].second;
  }
  EXPECT_LE(total, report.seconds.at(0).second) << report.seconds.at(0).first;
}

TEST(BuildPasses, DisablesWhatItIsTold) {
  EXPECT_NE(Build(Network(0), Without({"fold_batch_norm"})).package, Build(Network(0), Without({})).package);
  EXPECT_THROW(Build(Network(0), Without({"fold_constants"})), Error);
}

TEST(BuildPasses, ParametersAreReplacedWithTheSamePasses) {
  const BuildOptions options = Without({"fold_batch_norm"});
  const std::string built = Build(Network(1), options).package;
  const auto package = Package::InspectBytes(built, "built");
  const BuiltParts parts = {package->plan(), std::string(package->lib()), std::string(package->params()),
                            package->manifest()};
  EXPECT_EQ(parts.manifest.at("built").at("disabled_passes"), Json({"fold_batch_norm"}));
  EXPECT_EQ(ReplaceParams(parts, Network(2), "built"), Build(Network(2), options).package);
}

TEST(BuildPasses, APackageNamesOnlyPassesThatWereChosen) {
  const auto package = Package::InspectBytes(Build(Network(0), Without({})).package, "built");
  EXPECT_FALSE(package->manifest().at("built").contains("disabled_passes"));
  EXPECT_FALSE(package->manifest().at("built").contains("required_passes"));
}

}  // namespace
}  // namespace hone::testing
